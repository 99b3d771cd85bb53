/** What people call the thread that a proposal stands in. */

import { isIssueFirst } from '../domain/issue-first.ts';
import type { RunState } from '../domain/logbook/run-state.ts';

/** Stands behind *the* or *this*. */
export type PlaceWord = 'pull request' | 'issue';

/** The word for a run's proposal (docs/decisions/0013-issue-first.md). */
export function placeWord({ proposal }: Pick<RunState, 'proposal'>): PlaceWord {
  return isIssueFirst(proposal) ? 'issue' : 'pull request';
}
