/** A run that was resumed and makes other steps than the run that it goes on from. */

import { alarm, cannotTell, type Detector, type Finding, QUIET, told } from './detector.ts';
import type { Replayed } from './evidence.ts';
import { medianOf } from './series.ts';

const limits = {
  /** In catch-up, where the same steps are made again: TPUs make them bit by bit. */
  catchUp: 0.002,
  /** Where a loss is printed too coarsely for that. */
  relative: 0.01,
  /** One step alone may be a line of another rank. */
  steps: 3,
} as const;

/** So many of the steps that are made again count as catch-up; what moves apart later may do so by one per cent. */
export const CATCH_UP_PAIRS = 20;

/** The middle of the differences counts. Three digits of a bar cannot show 0.002, and nothing shows less than its own last digit. */
export const resumeMismatch: Detector = {
  id: 'resume-mismatch',
  witness: ['loss'],
  limits: { ...limits, catchUpPairs: CATCH_UP_PAIRS },
  judge: ({ replayed }) => {
    if (replayed === null) return QUIET;
    const [first, later] = [replayed.slice(0, CATCH_UP_PAIRS), replayed.slice(CATCH_UP_PAIRS)];
    const fine = first.filter(({ resolution }) => resolution < limits.catchUp);
    if (fine.length < limits.steps) return atMost(replayed.filter(isCoarse), 'relative');
    const found = atMost(fine, 'catchUp');
    const behind = later.filter(isCoarse);
    if (found.kind !== 'quiet' || behind.length < limits.steps) return found;
    // The newest of them are kept alone: their first step is another at each look.
    return atMost(behind, 'relative', 'later');
  },
};

function isCoarse({ before, resolution }: Replayed): boolean {
  return resolution < limits.relative * Math.abs(before);
}

/** Held against the one law or the other. */
function atMost(
  used: readonly Replayed[],
  law: 'catchUp' | 'relative',
  since: string | number = used[0]?.step ?? 0,
): Finding {
  if (used.length < limits.steps) return cannotTell('loss');
  const difference = medianOf(used.map(({ before, after }) => Math.abs(after - before))) ?? 0;
  const level = medianOf(used.map(({ before }) => Math.abs(before))) ?? 0;
  const bound = law === 'catchUp' ? limits.catchUp : limits.relative * level;
  // rule HR-46
  if (difference <= bound) return QUIET;
  const [first] = used;
  return alarm(since, {
    seen: told(difference),
    bound: told(bound),
    step: `${first?.step}-${used.at(-1)?.step}`,
  });
}
