/** Title, number and state of a thread; for a pull request also its branches and the links to its four pages. */

import type { ApiIssue } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import type { PullPart } from '../thread/read-thread.ts';
import { loginText } from './avatar.ts';
import { icon } from './icons.ts';
import { renderMoment } from './moment.ts';
import { stateBadge, threadState } from './state-badge.ts';
import { showHiddenCharacters } from './written.ts';

export type PullTab = 'conversation' | 'commits' | 'checks' | 'files';

export function threadHead(place: RepoLocation, issue: ApiIssue, pullPart: PullPart | null, tab: PullTab): Html {
  return html`<div class="thread-head" data-live="head"><div data-key="head">
  <h1>${showHiddenCharacters(issue.title)} <span class="number">#${issue.number}</span></h1>
  <p class="thread-line">${stateBadge(threadState(issue))} ${issue.locked ? html`<span class="badge">${icon('lock')} locked</span>` : null}
    <span class="muted">${pullPart === null ? issueLine(issue) : pullLine(pullPart)}</span></p>
  ${pullPart === null ? null : pullTabs(`${place.path}/pull/${issue.number}`, issue, pullPart, tab)}
</div></div>`;
}

function issueLine(issue: ApiIssue): Html {
  return html`${loginText(issue.user?.login)} opened this ${renderMoment(issue.created_at)} · ${issue.comments} ${issue.comments === 1 ? 'comment' : 'comments'}`;
}

function pullLine({ pull, commits }: PullPart): Html {
  const count = pull.commits ?? commits.length;
  const done = pull.merged_at !== null && pull.merged_at !== undefined;
  const who = done && pull.merged_by !== null && pull.merged_by !== undefined ? pull.merged_by : pull.user;
  return html`${loginText(who?.login)} ${done ? 'merged' : 'wants to merge'} ${count} ${count === 1 ? 'commit' : 'commits'} into <code class="branch">${showHiddenCharacters(pull.base.ref)}</code> from <code class="branch">${showHiddenCharacters(pull.head.ref)}</code>`;
}

function pullTabs(path: string, issue: ApiIssue, { pull, commits, checks }: PullPart, current: PullTab): Html {
  const tab = (id: PullTab, to: string, word: string | Html, count: number | null): Html =>
    html`<a class="tab" href="${path}${to}" ${id === current ? html`aria-current="page"` : null}><span>${word}</span>${count === null ? null : html`<span class="count">${count}</span>`}</a>`;
  return html`<nav class="tabs pull-tabs" aria-label="Pull request"><div class="tab-row">
    ${tab('conversation', '', 'Conversation', issue.comments)}${tab('commits', '/commits', 'Commits', pull.commits ?? commits.length)}${tab('checks', '/checks', 'Checks', checks.length)}${tab('files', '/files', html`Files<span class="tab-more"> changed</span>`, pull.changed_files ?? null)}
  </div><p class="size">${pull.additions === null || pull.additions === undefined ? null : html`<span class="plus">+${pull.additions}</span> <span class="minus">−${pull.deletions ?? 0}</span>`}</p></nav>`;
}
