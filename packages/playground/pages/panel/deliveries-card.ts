/** The log of webhook deliveries, with a button that sends one again. */

import { type Html, html } from '../html.ts';
import { pageLimits } from '../page-limits.ts';
import { renderMoment } from '../parts/moment.ts';
import { panelCard, panelTable } from './cards.ts';
import type { PanelFacts } from './panel.ts';

export function deliveriesCard({ deliveries }: PanelFacts): Html {
  const shown = deliveries.slice(0, pageLimits.deliveriesShown);
  const more = deliveries.length - shown.length;
  return panelCard(
    'deliveries',
    'Deliveries',
    deliveries.length === 0
      ? html`<p class="nothing">No webhook was sent yet.</p>`
      : html`${panelTable(
          'Webhook deliveries',
          ['event', 'answer', 'when', 'took', 'GUID', 'again'],
          shown.map((row) => [
            html`<code>${row.event}${row.action === null ? '' : `.${row.action}`}</code>${row.redelivery ? ' (again)' : ''}`,
            html`<span class="${row.statusCode < 300 ? 'tone-good' : 'tone-bad'}">${row.statusCode} ${row.status}</span>`,
            renderMoment(new Date(row.deliveredAtMs).toISOString()),
            `${row.durationMs} ms`,
            html`<code>${row.guid}</code>`,
            html`<form method="post" action="/_playground/world/redeliver" data-act><button class="button" name="delivery" value="${row.id}" aria-label="Redeliver ${row.event} ${row.guid}">Redeliver</button></form>`,
          ]),
        )}${more > 0 ? html`<p class="muted small">${more} older ones are in <a href="/_playground/deliveries">the whole log</a>.</p>` : null}`,
  );
}
