/** A run that was resumed and makes other steps than the run that it goes on from. */

import { alarm, cannotTell, type Detector, QUIET, told } from './detector.ts';
import { medianOf } from './series.ts';

const limits = {
  /** In catch-up, where the same steps are made again: TPUs make them bit by bit. */
  catchUp: 0.002,
  /** Where a loss is printed too coarsely for that. */
  relative: 0.01,
  /** One step alone may be a line of another rank. */
  steps: 3,
} as const;

/** The middle of the differences counts. Three digits of a bar cannot show 0.002, and nothing shows less than its own last digit. */
export const resumeMismatch: Detector = {
  id: 'resume-mismatch',
  witness: ['loss'],
  limits,
  judge: ({ replayed }) => {
    if (replayed === null) return QUIET;
    const fine = replayed.filter(({ resolution }) => resolution < limits.catchUp);
    const coarse = replayed.filter(
      ({ before, resolution }) => resolution < limits.relative * Math.abs(before),
    );
    const isFine = fine.length >= limits.steps;
    const used = isFine ? fine : coarse;
    if (used.length < limits.steps) return cannotTell('loss');
    const difference = medianOf(used.map(({ before, after }) => Math.abs(after - before))) ?? 0;
    const level = medianOf(used.map(({ before }) => Math.abs(before))) ?? 0;
    const bound = isFine ? limits.catchUp : limits.relative * level;
    if (difference <= bound) return QUIET;
    const [first] = used;
    return alarm(first?.step ?? 0, {
      seen: told(difference),
      bound: told(bound),
      step: `${first?.step}-${used.at(-1)?.step}`,
    });
  },
};
