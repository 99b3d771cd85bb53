/** One comment, in a box like on GitHub. */
import { type Html, html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { taskMarks } from '../markdown/task-marks.ts';
import type { RepoLocation } from '../place.ts';
import type { Edit } from '../thread/edits.ts';
import { avatar, loginText } from './avatar.ts';
import { icon } from './icons.ts';
import { renderMoment } from './moment.ts';

type Card = {
  readonly key: string;
  readonly anchor: string;
  readonly login: string | null;
  readonly association: string;
  readonly app: string | null;
  readonly at: string | null;
  readonly verb: string;
  readonly body: string;
  readonly edit: Edit | null;
  readonly reactions: Html | null;
  /**
   * The comment's own address, to which edits and ticks are posted, for the author and people with write access; null =
   * the speaker may not edit.
   */
  readonly changeAt: string | null;
  readonly after: Html | null;
};

export function commentCard(place: RepoLocation, card: Card): Html {
  const hidden = card.edit?.minimizedReason ?? null;
  const body = html`<div class="card-body" ${card.changeAt === null ? null : html`data-tick="${card.changeAt}/tick" data-tasks="${taskMarks(card.body).length}"`}>${
    card.body.trim() === ''
      ? html`<p class="nothing">No description provided.</p>`
      : renderMarkdown(card.body, { repoPath: place.path })
  }</div>`;
  return html`<article class="said" data-key="${card.key}" id="${card.anchor}" aria-label="${card.login ?? 'ghost'} ${card.verb}">
  <div class="said-avatar">${avatar(card.login, 'large')}</div>
  <div class="card">
    <header class="card-head">${loginText(card.login)} <span class="muted">${card.verb} <a class="quiet" href="#${card.anchor}">${renderMoment(card.at)}</a></span>${editMark(card.edit)}
      <span class="card-marks">${card.app === null ? null : html`<span class="badge">via ${card.app}</span>`}${associationBadge(card.association)}</span>
    </header>
    ${hidden === null ? body : html`<details class="minimised"><summary>This comment was marked as ${hidden.toLowerCase()}.</summary>${body}</details>`}
    <div class="card-foot">${card.reactions}${card.changeAt === null ? null : editBox(`${card.changeAt}/edit`, card.body)}</div>
    ${card.after}
  </div>
</article>`;
}

function associationBadge(association: string): Html | null {
  return association === 'NONE' ? null : html`<span class="badge">${association.toLowerCase()}</span>`;
}

/** GitHub's "edited" menu: the editor and time of each change. A bot that trusts a comment must check it too. */
function editMark(edit: Edit | null): Html | null {
  if (edit === null || edit.lastEditedAt === null) return null;
  return html` <details class="menu edits"><summary class="edited">${icon('chevron')}edited</summary>
    <div class="menu-items"><p class="menu-title">Edit history</p>
      ${edit.history.length === 0 ? html`<p>${loginText(edit.editor)} edited ${renderMoment(edit.lastEditedAt)}</p>` : edit.history.map((entry) => html`<p>${loginText(entry.editor)} edited ${renderMoment(entry.at)}</p>`)}
    </div></details>`;
}

function editBox(action: string, body: string): Html {
  return html`<details class="edit-box"><summary>Edit</summary>
    <form method="post" action="${action}" data-act>
      <label><span class="sr-only">New text</span><textarea name="body" rows="6">${body}</textarea></label>
      <div class="row end"><button class="button primary">Update comment</button></div>
    </form></details>`;
}
