/**
 * The earlier comments of a long thread as plain text: a browser renders thousands quickly, and can search them and
 * jump to them.
 */

import type { ApiComment } from '../api/thread-shapes.ts';
import { type Html, html, laterHtml } from '../html.ts';
import { loginText } from '../parts/avatar.ts';
import type { Earlier } from './read-thread.ts';

/**
 * Not a live part: old comments rarely change, and updates omit them. The comment `around` is rendered by `draw` with
 * its Markdown; each other one has a link that does the same for it.
 */
export function earlierComments(
  { count, hundreds }: Earlier,
  around: number | null,
  draw: (comment: ApiComment) => Html,
): Html {
  if (hundreds === null) return html``;
  const drawn = laterHtml(async function* () {
    for await (const answer of hundreds())
      yield answer.kind === 'refused'
        ? html`<p class="flash">A hundred comments cannot be read: ${answer.message}</p>`
        : html`<div class="hundred">${answer.data.map((comment) => (comment.id === around ? draw(comment) : plain(comment)))}</div>`;
  });
  return html`<section class="earlier" data-earlier="${count}" aria-label="${count} earlier comments">
  <p class="muted small">${count} earlier comments, as plain text; the newest ones follow below.</p>
  ${drawn}</section>`;
}

function plain({ id, user, created_at: at, body }: ApiComment): Html {
  return html`<article class="plain-comment" id="issuecomment-${id}"><p class="plain-head small">${loginText(user?.login)} <a class="quiet" href="#issuecomment-${id}">${at.slice(0, 10)} ${at.slice(11, 16)}</a> <a href="?around=${id}#issuecomment-${id}">show as written</a></p><div class="plain-text">${body}</div></article>`;
}
