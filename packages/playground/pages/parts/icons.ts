/**
 * Small drawings, 16 by 16, in the colour of the surrounding text; hidden from screen readers, which get a text
 * alternative.
 */
import { type Html, html, trustedHtml } from '../html.ts';

const drawings = {
  issue: '<circle cx="8" cy="8" r="6.25"/><circle cx="8" cy="8" r="1.5" fill="currentColor" stroke="none"/>',
  closed: '<circle cx="8" cy="8" r="6.25"/><path d="m5.4 8.2 1.8 1.8 3.4-3.8"/>',
  pull: '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="12.5" r="1.75"/><path d="M4 5.25v5.5M12 10.75V6.5a2 2 0 0 0-2-2H7.5M9.5 2.5l-2 2 2 2"/>',
  merged:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="8.5" r="1.75"/><path d="M4 5.25v5.5M4 5.25c.3 2.4 2.6 3.25 6.25 3.25"/>',
  commit: '<circle cx="8" cy="8" r="2.75"/><path d="M.75 8h4.5M10.75 8h4.5"/>',
  code: '<path d="m5.25 4-4 4 4 4M10.75 4l4 4-4 4"/>',
  play: '<circle cx="8" cy="8" r="6.25"/><path d="M6.5 5.4v5.2L10.7 8z" fill="currentColor"/>',
  check: '<path d="m3 8.5 3.2 3.2L13 4.8" stroke-width="2"/>',
  cross: '<path d="m4 4 8 8m0-8-8 8" stroke-width="2"/>',
  dash: '<path d="M3.5 8h9" stroke-width="2"/>',
  dot: '<circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none"/>',
  spin: '<circle cx="8" cy="8" r="5.75" opacity=".3" stroke-width="2"/><path d="M13.75 8A5.75 5.75 0 0 0 8 2.25" stroke-width="2"/>',
  attention:
    '<circle cx="8" cy="8" r="6.25"/><path d="M8 4.6v4" stroke-width="1.75"/><circle cx="8" cy="11.2" r=".9" fill="currentColor" stroke="none"/>',
  comment: '<path d="M1.75 2.75h12.5v8.5H7.5l-3 2.5v-2.5H1.75z"/>',
  eye: '<path d="M1 8s2.5-4.75 7-4.75S15 8 15 8s-2.5 4.75-7 4.75S1 8 1 8z"/><circle cx="8" cy="8" r="2"/>',
  tag: '<path d="M1.75 1.75h6l6.5 6.5-6 6-6.5-6.5z"/><circle cx="5" cy="5" r="1" fill="currentColor" stroke="none"/>',
  file: '<path d="M3 1.5h6.25L13 5.25v9.25H3zM9 1.75v3.75h3.75"/>',
  folder: '<path d="M1.5 3.25h4.75l1.5 1.75h6.75v8.25h-13z" fill="currentColor" fill-opacity=".25"/>',
  ferry:
    '<path d="M2.25 9.25h11.5l-1.9 3.25h-7.7zM4.5 9V6.25h5.75L12 9M6.5 6V3.25h2.25V6"/><path d="M1 14.25c1.2 0 1.2-.75 2.35-.75s1.15.75 2.3.75 1.2-.75 2.35-.75 1.15.75 2.3.75 1.2-.75 2.35-.75 1.15.75 2.35.75" stroke-width="1.1"/>',
  clock: '<circle cx="8" cy="8" r="6.25"/><path d="M8 4.25V8l2.5 1.75"/>',
  lock: '<path d="M3.25 7h9.5v7h-9.5zM5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"/>',
  bot: '<rect x="2.5" y="5" width="11" height="8" rx="2"/><path d="M8 5V2.25M6 8.25v1.5M10 8.25v1.5"/>',
  chevron: '<path d="m4 6 4 4 4-4"/>',
  smile: '<circle cx="8" cy="8" r="6.25"/><path d="M5.25 9.5a3.2 3.2 0 0 0 5.5 0M5.9 6v.6M10.1 6v.6"/>',
} as const;

export type IconName = keyof typeof drawings;

/** An icon of a name; `className` colours it. */
export function icon(name: IconName, className = ''): Html {
  return html`<svg class="icon ${className}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">${trustedHtml(drawings[name])}</svg>`;
}
