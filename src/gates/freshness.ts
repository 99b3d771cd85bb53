/** Gate: what was reviewed is not far behind the branch that it will be compared with (docs/decisions/0012-gates-and-their-time.md). */

import type { ChangeFacts } from '../domain/facts.ts';
import type { Verdicts } from '../domain/launch/verdict.ts';
import { changed, unknown } from '../domain/observed.ts';
import { type Facts, readFacts } from '../domain/payload.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { type Gate, given, judging } from './gate.ts';

const { block, pass, warn } = judging('freshness');

const MS_PER_HOUR = 3_600_000;

/** A merge base that is the branch's tip is as fresh as it gets, whatever its age: a rebase would change nothing. */
export const freshness: Gate = {
  id: 'freshness',
  evaluate: ({ change, lane, now }) =>
    given(change, (value) => {
      const found = foundIn(value, lane.freshnessHours);
      if (value.mergeBase === value.baseSha) return pass('at-tip', found);
      if (now - value.mergeBaseAt > lane.freshnessHours * MS_PER_HOUR) return block('stale', 'author', found);
      return value.laterCommits.length === 0 ? pass('fresh', found) : warn('fresh-behind', 'author', found);
    }),
  replay: {
    settings: ({ policy }) => policy['lane.freshnessHours'],
    worlds: ({ verdict: { code, found }, facts }) => {
      const read = readFacts({ baseAt: 'text', later: 'list' }, found);
      const mergeBaseAt = fromRfc3339(read?.baseAt ?? '');
      if (code === 'at-tip') return [facts];
      if (read === null || mergeBaseAt === null) return [{ ...facts, change: unknown('not recorded') }];
      const change = changed(facts.change, (value) => ({
        ...value,
        mergeBaseAt,
        mergeBase: value.headSha,
        laterCommits: read.later.map((subject) => ({ sha: value.baseSha, subject })),
      }));
      return [{ ...facts, change }];
    },
  },
};

/** The age itself is left out: it changes with every look, and an answer that did not change is recorded once. */
function foundIn(change: ChangeFacts, hoursMax: number): Facts<Verdicts['freshness']['stale']> {
  return {
    base: change.mergeBase.slice(0, 12),
    baseAt: toRfc3339(change.mergeBaseAt),
    hoursMax,
    later: change.laterCommits.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`),
  };
}
