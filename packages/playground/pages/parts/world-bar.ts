/** The footer bar: the world's clock, requests used, webhooks delivered. */
import { github } from '../../limits/limits.ts';
import type { Glance } from '../glance.ts';
import { type Html, html } from '../html.ts';
import { icon } from './icons.ts';

/**
 * Without a glance the bar only shows that the page is live. A narrow window leaves less urgent values to the panel.
 */
export function worldBar(glance: Glance | null): Html {
  const live = html`<span title="This page follows the playground without reloading"><span class="live-dot"></span>live</span>`;
  if (glance === null) return html`<div class="world-items" data-key="world">${live}</div>`;
  const now = new Date(glance.nowMs).toISOString();
  const { contentMinute, contentHour, requestsHour } = glance.nearest;
  return html`<div class="world-items" data-key="world" data-now="${now}">${live}
  <span>${icon('clock')} <time datetime="${now}"><strong><span class="wide">${now.slice(0, 10)} </span>${now.slice(11, 19)}</strong> UTC</time></span>
  <span>bot: <strong>${glance.botRequests}</strong> requests<span class="wide">, <strong>${glance.botContentWrites}</strong> content writes</span></span>
  <span class="wide" title="What the bot has used of GitHub's limits: content in the last minute and hour, requests in this hour">limits: <strong>${contentMinute}</strong>/${github.contentPerMinute} a minute, <strong>${contentHour}</strong>/${github.contentPerHour} an hour, <strong>${requestsHour.used}</strong>/${requestsHour.limit} requests</span>
  <span class="wide">webhooks: <strong>${glance.deliveries}</strong> sent${glance.deliveriesFailed === 0 ? null : html`, <strong class="tone-bad">${glance.deliveriesFailed}</strong> not taken`}</span>
  <a href="/_playground/world">World<span class="wide">: clock, limits, faults, deliveries, logbook</span></a></div>`;
}
