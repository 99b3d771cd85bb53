/** Lists the parts of a page that could not be read, so that missing data is not mistaken for absent data. */
import type { Unread } from '../api/api.ts';
import { type Html, html } from '../html.ts';
import { icon } from './icons.ts';

/** A live part that disappears as soon as everything can be read again. */
export function unreadNote(unread: readonly Unread[]): Html {
  return html`<div data-live="unread">${
    unread.length === 0
      ? null
      : html`<div class="flash unread" data-key="unread" role="status"><p>${icon('attention')} <strong>Not all of this page could be read.</strong> What is missing here may be there all the same.</p><ul>${unread.map(
          ({ path, status, message }) => html`<li><code>GET ${path}</code>: ${status} ${message}</li>`,
        )}</ul></div>`
  }</div>`;
}
