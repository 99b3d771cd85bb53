/** Wraps a screen in the page frame, and renders a refusal as a page. */
import { html, streamMarkup } from './html.ts';
import { icon } from './parts/icons.ts';
import { layout } from './parts/layout.ts';
import { unreadNote } from './parts/unread-note.ts';
import { worldBar } from './parts/world-bar.ts';
import { htmlReply, type Reply } from './reply.ts';
import type { Screen, Visit } from './visit.ts';

export function showScreen(visit: Visit, screen: Extract<Screen, { kind: 'page' }>, status: number): Reply {
  const body = html`${unreadNote(visit.api.unread())}${screen.body}`;
  return htmlReply(status, streamMarkup(layout(visit, { ...screen, body }, worldBar(visit.glance()))));
}

/** A 404, or the API's own status if the data could not be read. */
export function showMissing(visit: Visit, message: string): Reply {
  const [unread] = visit.api.unread();
  if (unread === undefined) return showFailure(visit, 404, message);
  return showFailure(visit, unread.status, 'This could not be read.');
}

/** The problem in one sentence, and a link to continue; the page's script gets only the sentence. */
export function showFailure(visit: Visit, status: number, message: string): Reply {
  if (visit.request.wantsJson) {
    const body = JSON.stringify({ kind: 'refused', status, message });
    return { status, headers: { 'content-type': 'application/json' }, body };
  }
  const body = html`<div class="page failure"><p class="failure-status">${status}</p><h1>${message}</h1><p><a class="button" href="/">${icon('ferry')} Back to the start</a></p></div>`;
  return showScreen(visit, { kind: 'page', title: `${status}`, header: null, body }, status);
}
