/** Every token's usage of GitHub's limits, and each caller's requests since the world started. */

import { github } from '../../limits/limits.ts';
import type { RateWindow } from '../../limits/rate.ts';
import { type Html, html } from '../html.ts';
import { panelCard, panelTable, share } from './cards.ts';
import type { PanelFacts } from './panel.ts';

export function limitsCard(facts: PanelFacts): Html {
  return panelCard(
    'limits',
    'Limits',
    html`<h3>This hour and this minute, by token</h3>${usageRows(facts)}
    <h3>Since the world began, by caller</h3>${renderCosts(facts)}
    <p class="muted small">The bot is what says <code>installation</code>, <code>app</code> or <code>workflows</code>; what people do on this page counts for themselves. Used, limit and reset are those of <code>GET /rate_limit</code>.</p>`,
  );
}

/** The bot's tokens come first, because they matter most. */
function usageRows({ rest, graphql, secondary }: PanelFacts): Html {
  const keys = [...new Set([rest, graphql, secondary].flatMap((table) => Object.keys(table)))].toSorted();
  if (keys.length === 0) return html`<p class="nothing">Nobody has asked anything yet.</p>`;
  const ordered = [...keys.filter((key) => !isPerson(key)), ...keys.filter(isPerson)];
  return html`<div class="tokens">${ordered.map((key) => {
    const usage = secondary[key];
    return html`<section class="token" aria-label="Limits of ${key}"><h4><code>${key}</code></h4><dl class="gauges">
      ${renderHourly('REST an hour', rest[key])}${renderHourly('GraphQL an hour', graphql[key])}
      ${renderGauge('content a minute', share(usage?.contentLastMinute ?? 0, github.contentPerMinute))}
      ${renderGauge('content an hour', share(usage?.contentLastHour ?? 0, github.contentPerHour))}
      ${renderGauge('REST points a minute', share(usage?.pointsLastMinute ?? 0, github.pointsPerMinute))}
      ${renderGauge('GraphQL points a minute', share(usage?.graphqlPointsLastMinute ?? 0, github.graphqlPointsPerMinute))}
      ${renderGauge('at once', share(usage?.inFlight ?? 0, github.requestsAtOnce))}</dl></section>`;
  })}</div>`;
}

function isPerson(key: string): boolean {
  return key.startsWith('user:');
}

/** Without a request there is no window: GitHub starts one with the next request. */
function renderHourly(name: string, window: RateWindow | undefined): Html {
  if (window === undefined) return renderGauge(name, html`<span class="muted">nothing in this hour</span>`);
  return renderGauge(name, html`${share(window.used, window.limit)} ${renderReset(window)}`);
}

/** To the second, as in `x-ratelimit-reset`. */
function renderReset({ resetAtMs }: RateWindow): Html {
  const at = new Date(Math.ceil(resetAtMs / 1_000) * 1_000).toISOString();
  return html`<span class="muted small nowrap">resets <time datetime="${at}">${at.slice(11, 19)}</time> UTC</span>`;
}

function renderGauge(name: string, value: Html): Html {
  return html`<div class="gauge"><dt>${name}</dt><dd>${value}</dd></div>`;
}

function renderCosts({ usage }: PanelFacts): Html {
  return panelTable(
    'Cost by caller',
    ['caller', 'REST', 'GraphQL', 'not modified (free)', 'content writes', 'tokens minted', 'git'],
    Object.entries(usage).map(([caller, used]) => [
      html`<code>${caller}</code>`,
      used.rest,
      used.graphql,
      used.notModified,
      used.contentWrites,
      used.mints,
      used.git,
    ]),
  );
}
