/** The box for a new comment: the speaker's name, a preview, and on pull requests a review. */
import { type Html, html } from '../html.ts';
import type { Thread } from '../thread/read-thread.ts';
import type { Visit } from '../visit.ts';
import { avatar } from './avatar.ts';
import { icon } from './icons.ts';

/** It has no `data-live`, so that updates never overwrite a half-written comment. */
export function composer(visit: Visit, { issue, place, pullPart }: Thread): Html {
  const { speaker } = visit;
  const mayState = place.mayTriage || issue.user?.login === speaker.login;
  if (issue.locked && !place.mayWrite) {
    return html`<section class="composer" id="new-comment"><p class="flash">${icon('lock')} This conversation is locked; ${speaker.login} cannot comment.</p></section>`;
  }
  const isOpen = issue.state === 'open';
  const merged = pullPart?.pull.merged_at ?? null;
  return html`<section class="said composer" id="new-comment" aria-label="New comment">
  <div class="said-avatar">${avatar(speaker.login, 'large')}</div>
  <form class="card" method="post" action="${place.path}/issues/${issue.number}/comments" data-act data-compose="${place.repo.full_name}">
    <header class="card-head compose-head"><strong>Comment as ${speaker.login}</strong>
      <span class="switch" role="group" aria-label="Write or preview"><button type="button" class="switch-half" data-show="write" aria-pressed="true">Write</button><button type="button" class="switch-half" data-show="preview" aria-pressed="false">Preview</button></span></header>
    <div class="card-body">
      <label><span class="sr-only">Comment text</span><textarea name="body" rows="5" placeholder="Say something, or give a command such as /status" data-body></textarea></label>
      <div class="preview" data-preview hidden></div>
      <p class="refusal" role="alert" data-refusal hidden></p>
      ${pullPart !== null && isOpen ? reviewChoice(pullPart.pull.user?.login === speaker.login) : null}
      <div class="row end">
        <span data-live="state-button">${mayState && merged === null ? stateButton(isOpen, pullPart !== null) : null}</span>
        <button class="button primary" name="state" value="">Comment</button>
      </div>
    </div>
  </form>
</section>`;
}

function stateButton(isOpen: boolean, pull: boolean): Html {
  const what = pull ? 'pull request' : 'issue';
  return html`<button class="button" data-key="state" name="state" value="${isOpen ? 'closed' : 'open'}">${isOpen ? `Close ${what}` : `Reopen ${what}`}</button>`;
}

/** GitHub does not let authors approve their own pull request. */
function reviewChoice(own: boolean): Html {
  const choice = (value: string, word: string, disabled: boolean, checked = false): Html =>
    html`<label class="choice"><input type="radio" name="verdict" value="${value}" ${checked ? html`checked` : null} ${disabled ? html`disabled` : null}> ${word}</label>`;
  return html`<fieldset class="choices"><legend class="sr-only">Kind of comment</legend>${choice('', 'Comment', false, true)}${choice('APPROVE', 'Approve the change', own)}${choice('REQUEST_CHANGES', 'Request changes', own)}</fieldset>`;
}
