/** Gate: the change begins at a commit that the target branch pointed to, not long ago (docs/decisions/0012-gates-and-their-time.md). */

import type { ChangeFacts } from '../domain/facts.ts';
import type { Verdicts } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { Facts } from '../domain/payload.ts';
import { toRfc3339 } from '../domain/time.ts';
import { type Gate, given, judging } from './gate.ts';

const { block, pass, warn } = judging('freshness');

const MS_PER_HOUR = 3_600_000;

/** A merge base that is the branch's tip is as fresh as it gets, whatever its age: a rebase would change nothing. */
export const freshness: Gate = {
  id: 'freshness',
  evaluate: ({ change, lane, now }) =>
    given(change, (value) => {
      const found = foundIn(value, lane.freshnessHours);
      const branch = lane.targetBranch;
      if (value.mergeBase === value.baseSha) return pass('at-tip', found);
      if (now - value.mergeBaseAt > lane.freshnessHours * MS_PER_HOUR)
        return block('stale', 'author', { ...found, branch });
      return given(value.isPastTip, (isPastTip) => {
        if (!isPastTip)
          return block('no-past-tip', 'author', { base: found.base, branch, moves: limits.branchMovesRead });
        return value.laterCommits.length === 0 ? pass('fresh', found) : warn('fresh-behind', 'author', found);
      });
    }),
  readsSettings: true,
};

/** The age itself is left out: it changes with every look, and an answer that did not change is recorded once. */
function foundIn(change: ChangeFacts, hoursMax: number): Facts<Verdicts['freshness']['at-tip']> {
  return {
    base: change.mergeBase.slice(0, 12),
    baseAt: toRfc3339(change.mergeBaseAt),
    hoursMax,
    later: change.laterCommits.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`),
  };
}
