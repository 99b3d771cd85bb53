/** A label in its own colour, readable on light and dark backgrounds. */
import type { ApiLabel } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import { showHiddenCharacters } from './written.ts';

/** People choose the colour: anything but six hex digits becomes grey. */
export function label({ name, color, description }: ApiLabel): Html {
  const hex = /^[0-9a-f]{6}$/i.test(color) ? color : '8b949e';
  return html`<span class="label" style="--label: #${hex}" title="${description ?? ''}">${showHiddenCharacters(name)}</span>`;
}

export function labelList(labels: readonly ApiLabel[]): Html | null {
  if (labels.length === 0) return null;
  return html`<span class="labels">${labels.map(label)}</span>`;
}
