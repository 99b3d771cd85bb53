/** Switches faults on and off, and lists recent strikes. */

import { faultKinds } from '../../faults/fault.ts';
import { faults as limits } from '../../limits/limits.ts';
import { type Html, html } from '../html.ts';
import { renderMoment } from '../parts/moment.ts';
import { panelCard, panelTable } from './cards.ts';
import type { PanelFacts } from './panel.ts';

export function faultsCard(facts: PanelFacts): Html {
  return panelCard('faults', 'Faults', html`${renderSwitchedOn(facts)}${renderInjected(facts)}`, renderForm());
}

function renderForm(): Html {
  return html`<form class="fault-form" method="post" action="/_playground/world/faults" data-act>
    <label class="field">Fault<select name="kind">${faultKinds.map((kind) => html`<option>${kind}</option>`)}</select></label>
    <label class="field">Percent of occasions<input name="percent" type="number" min="0" max="100" value="20" required></label>
    <label class="field">Seed<input name="seed" type="number" value="1" required></label>
    <label class="field">Route or event (* is anything)<input name="route" value="*" maxlength="${limits.routeCharacters}" required></label>
    <label class="field">Seconds (how slow, late, stale, skewed)<input name="seconds" type="number" value="${limits.durationDefaultMs / 1000}" required></label>
    <label class="check-field"><input type="checkbox" name="people" value="on"> people too</label>
    <p class="refusal" role="alert" data-refusal hidden></p>
    <div class="row end"><button class="button primary">Switch on</button></div>
  </form>`;
}

function renderSwitchedOn({ faults }: PanelFacts): Html {
  if (faults.length === 0) return html`<p class="nothing">No fault is on.</p>`;
  return html`<ul class="fault-list">${faults.map(
    (fault, index) =>
      html`<li><span><strong>${fault.kind}</strong> ${Math.round(fault.rate * 100)} % of <code>${fault.route}</code>, seed ${fault.seed}, ${fault.durationMs / 1000} s${fault.people ? ', people too' : ''}</span>
      <form method="post" action="/_playground/world/faults" data-act><button class="button" name="off" value="${index}" aria-label="Switch off ${fault.kind} on ${fault.route}">Switch off</button></form></li>`,
  )}</ul>`;
}

function renderInjected({ struck, struckCount }: PanelFacts): Html | null {
  const counts = Object.entries(struckCount);
  if (counts.length === 0) return null;
  return html`<p>Struck: ${counts.map(([kind, count], index) => html`${index === 0 ? '' : ', '}${kind} <strong>${count}</strong>`)}</p>
  ${panelTable(
    'Struck lately',
    ['fault', 'occasion', 'when'],
    struck.map(({ kind, route, atMs }) => [
      kind,
      html`<code>${route}</code>`,
      renderMoment(new Date(atMs).toISOString()),
    ]),
  )}`;
}
