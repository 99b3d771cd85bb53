/** The side column of a thread: labels (editable with permission), participants, branches. */
import type { ApiLabel } from '../api/repo-shapes.ts';
import { type Html, html } from '../html.ts';
import type { PullPart, Thread } from '../thread/read-thread.ts';
import { avatar, loginText } from './avatar.ts';
import { icon } from './icons.ts';
import { label } from './label.ts';
import { showHiddenCharacters } from './written.ts';

export function threadSidebar(thread: Thread): Html {
  const { issue, pullPart } = thread;
  const people = new Set(
    [
      issue.user,
      ...thread.comments.map(({ user }) => user),
      ...(pullPart?.reviews ?? []).map(({ user }) => user),
    ].flatMap((user) => (user === null || user === undefined ? [] : [user.login])),
  );
  return html`<aside class="side" aria-label="About this thread" data-live="side">
  <section data-key="labels"><h2>Labels</h2>
    ${issue.labels.length === 0 ? html`<p class="muted">None yet</p>` : html`<p class="labels">${issue.labels.map(label)}</p>`}
    ${thread.place.mayTriage && thread.allLabels.length > 0 ? labelToggle(thread) : null}
  </section>
  ${pullPart === null ? null : reviewers(pullPart)}
  ${pullPart === null ? null : html`<section data-key="branches"><h2>Branches</h2><p><code>${showHiddenCharacters(pullPart.pull.base.ref)}</code> ← <code>${showHiddenCharacters(pullPart.pull.head.ref)}</code></p><p class="muted">at <code class="sha">${pullPart.pull.head.sha.slice(0, 7)}</code></p></section>`}
  <section data-key="people"><h2>Participants</h2><ul class="people">${[...people].map((login) => html`<li>${avatar(login)} ${loginText(login)}</li>`)}</ul></section>
</aside>`;
}

/** The reviewers with their latest verdict; a review without a verdict does not change it, as on GitHub. */
function reviewers({ reviews }: PullPart): Html {
  const verdicts = new Map<string, string>();
  for (const { user, state } of reviews) {
    const login = user?.login ?? 'ghost';
    if (state !== 'COMMENTED' || !verdicts.has(login)) verdicts.set(login, state);
  }
  const verdictMark = (state: string): Html => {
    if (state === 'APPROVED')
      return html`<span class="tone-good">${icon('check')}<span class="sr-only">approved</span></span>`;
    if (state === 'CHANGES_REQUESTED')
      return html`<span class="tone-bad">${icon('cross')}<span class="sr-only">requested changes</span></span>`;
    return html`<span class="tone-muted">${icon('comment')}<span class="sr-only">${state.toLowerCase()}</span></span>`;
  };
  return html`<section data-key="reviewers"><h2>Reviewers</h2>${verdicts.size === 0 ? html`<p class="muted">No reviews yet</p>` : html`<ul class="people">${[...verdicts].map(([login, state]) => html`<li>${avatar(login)} ${loginText(login)} ${verdictMark(state)}</li>`)}</ul>`}</section>`;
}

function labelToggle({ issue, place, allLabels }: Thread): Html {
  const on = new Set(issue.labels.map(({ name }) => name));
  const option = (one: ApiLabel): Html =>
    html`<button class="menu-item" name="label" value="${one.name}" aria-pressed="${on.has(one.name) ? 'true' : 'false'}"><span class="tick">${on.has(one.name) ? '✓' : ''}</span>${label(one)}</button>`;
  return html`<details class="menu"><summary class="quiet-button">Change labels</summary>
    <form class="menu-items" method="post" action="${place.path}/issues/${issue.number}/labels" data-act>${allLabels.map(option)}</form></details>`;
}
