/** A list of issues or pull requests: state, title, labels, author and time. */
import type { ApiIssue } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import type { RepoLocation } from '../place.ts';
import { loginText } from './avatar.ts';
import { icon } from './icons.ts';
import { labelList } from './label.ts';
import { renderMoment } from './moment.ts';
import { stateIcon, threadState } from './state-badge.ts';
import { showHiddenCharacters } from './written.ts';

export function threadList(place: RepoLocation, issues: readonly ApiIssue[], nothing: string): Html {
  return html`<ul class="card list" data-live="threads">${issues.length === 0 ? html`<li class="nothing" data-key="nothing">${nothing}</li>` : issues.map((issue) => row(place, issue))}</ul>`;
}

function row(place: RepoLocation, issue: ApiIssue): Html {
  const pull = issue.pull_request !== null && issue.pull_request !== undefined;
  return html`<li class="list-row" data-key="thread-${issue.number}">${stateIcon(threadState(issue))}
    <div class="list-text"><a class="list-title" href="${place.path}/${pull ? 'pull' : 'issues'}/${issue.number}">${showHiddenCharacters(issue.title)}</a> ${labelList(issue.labels)}
      <p class="muted small">#${issue.number} opened ${renderMoment(issue.created_at)} by ${loginText(issue.user?.login)}</p></div>
    ${issue.comments === 0 ? null : html`<span class="muted small comments" title="${issue.comments} comments">${icon('comment')} ${issue.comments}</span>`}</li>`;
}
