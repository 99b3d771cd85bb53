/** The frame of one panel card, and its tables. */

import { type Html, html } from '../html.ts';

/** A section with a heading. The part `live` is updated when the world changes, `fixed` is not. */
export function panelCard(id: string, title: string, live: Html, fixed: Html | null = null): Html {
  return html`<section class="card panel-card" aria-labelledby="${id}-title" id="${id}">
  <header class="card-head"><h2 id="${id}-title">${title}</h2></header>
  <div class="card-body">${fixed}<div data-live="panel-${id}"><div data-key="${id}">${live}</div></div></div></section>`;
}

/** A table with its own horizontal scrolling in a narrow window; `rows` are cells in the order of the headings. */
export function panelTable(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string | number | null)[])[],
): Html {
  return html`<div class="panel-scroll" tabindex="0" role="region" aria-label="${caption}"><table class="panel-table"><caption class="sr-only">${caption}</caption>
  <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
  <tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** `12 of 80`, with a bar. */
export function share(used: number, limit: number): Html {
  const state = used >= limit ? 'full' : used >= limit * 0.8 ? 'near' : 'calm';
  return html`<span class="share share-${state}"><meter min="0" max="${limit}" value="${Math.min(used, limit)}" aria-label="${used} of ${limit}"></meter> <span class="nowrap">${used} of ${limit}</span></span>`;
}
