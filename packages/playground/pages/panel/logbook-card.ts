/** The logbook with its chains, verified by the panel's own code. */

import { type Html, html } from '../html.ts';
import { pageLimits } from '../page-limits.ts';
import { icon } from '../parts/icons.ts';
import { renderMoment } from '../parts/moment.ts';
import { panelCard, panelTable } from './cards.ts';
import type { PanelFacts } from './panel.ts';
import type { Chain } from './verify-chain.ts';

export function logbookCard({ chains }: PanelFacts): Html {
  return panelCard(
    'logbook',
    'Logbook',
    chains.length === 0
      ? html`<p class="nothing">Nothing is recorded yet.</p>`
      : html`<p class="muted small">Every line was read again here: its form, number, hash, the hash before it, and its signature by a key of the config.</p>${chains.map(renderChain)}`,
  );
}

function renderChain({ run, events, bad }: Chain): Html {
  const head = events.at(-1);
  const shown = events.slice(-pageLimits.logbookEntriesShown);
  const verdict =
    bad === null
      ? html`<span class="tone-good">${icon('check')} chain and signatures hold</span>`
      : html`<span class="tone-bad">${icon('cross')} line ${bad.line}: ${bad.reason}</span>`;
  return html`<details class="chain"><summary><strong>${run}</strong> ${events.length} entries ${verdict}${head === undefined ? null : html` <code>${head.seq}:${head.hash.slice(0, 12)}</code>`}</summary>
  ${shown.length < events.length ? html`<p class="muted small">The newest ${shown.length} entries.</p>` : null}
  ${panelTable(
    `Entries of ${run}`,
    ['entry', 'what', 'by', 'when', 'hash'],
    shown
      .toReversed()
      .map((event) => [
        event.seq,
        event.type,
        event.login === null ? event.role : `${event.login}, through ${event.role}`,
        renderMoment(event.at),
        html`<code>${event.hash.slice(0, 12)}</code>`,
      ]),
  )}</details>`;
}
