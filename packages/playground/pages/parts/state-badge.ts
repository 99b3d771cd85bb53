/** Open, closed, merged, draft: the badge next to a title and the icon in a list. */
import type { ApiIssue } from '../api/thread-shapes.ts';
import { type Html, html } from '../html.ts';
import { type IconName, icon } from './icons.ts';

type ThreadState = 'open' | 'closed' | 'not-planned' | 'merged' | 'draft' | 'pull-open' | 'pull-closed';

/** An issue's or pull request's state in one word. */
export function threadState(issue: ApiIssue): ThreadState {
  const pull = issue.pull_request;
  if (pull === null || pull === undefined) {
    if (issue.state === 'open') return 'open';
    return issue.state_reason === 'not_planned' ? 'not-planned' : 'closed';
  }
  if (pull.merged_at !== null && pull.merged_at !== undefined) return 'merged';
  if (issue.state !== 'open') return 'pull-closed';
  return issue.draft === true ? 'draft' : 'pull-open';
}

const styles: Readonly<Record<ThreadState, { readonly icon: IconName; readonly tone: string; readonly word: string }>> =
  {
    open: { icon: 'issue', tone: 'open', word: 'Open' },
    closed: { icon: 'closed', tone: 'done', word: 'Closed' },
    'not-planned': { icon: 'closed', tone: 'muted', word: 'Closed as not planned' },
    merged: { icon: 'merged', tone: 'done', word: 'Merged' },
    draft: { icon: 'pull', tone: 'muted', word: 'Draft' },
    'pull-open': { icon: 'pull', tone: 'open', word: 'Open' },
    'pull-closed': { icon: 'pull', tone: 'closed', word: 'Closed' },
  };

export function stateBadge(state: ThreadState): Html {
  const style = styles[state];
  return html`<span class="state state-${style.tone}">${icon(style.icon)}${style.word}</span>`;
}

export function stateIcon(state: ThreadState): Html {
  const style = styles[state];
  return html`<span class="tone-${style.tone}" title="${style.word}">${icon(style.icon)}<span class="sr-only">${style.word}: </span></span>`;
}
