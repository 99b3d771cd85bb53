/** The world's panel: state that GitHub does not show, and controls for a rehearsal. */
import { html } from '../html.ts';
import { clockCard } from '../panel/clock-card.ts';
import { deliveriesCard } from '../panel/deliveries-card.ts';
import { faultsCard } from '../panel/faults-card.ts';
import { limitsCard } from '../panel/limits-card.ts';
import { logbookCard } from '../panel/logbook-card.ts';
import { processesCard } from '../panel/processes-card.ts';
import type { ScreenHandler } from '../visit.ts';

const sections = ['clock', 'limits', 'faults', 'deliveries', 'logbook', 'processes'] as const;

export const worldScreen: ScreenHandler = async (visit) => {
  if (visit.panel === null) return { kind: 'missing', message: 'This playground shows no panel.' };
  const facts = await visit.panel.facts();
  return {
    kind: 'page',
    title: 'World · playground',
    header: null,
    body: html`<div class="page"><h1 class="page-title">The world</h1>
      <nav class="panel-nav" aria-label="Parts of the panel">${sections.map((name) => html`<a href="#${name}">${name}</a>`)}</nav>
      <div class="stack">${clockCard(facts)}${limitsCard(facts)}${faultsCard(facts)}${deliveriesCard(facts)}${logbookCard(facts)}${processesCard(facts)}</div></div>`,
  };
};
