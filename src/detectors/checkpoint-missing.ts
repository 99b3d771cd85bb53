/** A checkpoint that the log calls saved and the store does not have: there is less to go back to than people think. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

const limits = {
  /** The first may have been asked while the store was still settling, or while an old one made room for a new one. */
  answers: 2,
} as const;

/** The store alone can tell: a log that says nothing of checkpoints calls none saved. */
export const checkpointMissing: Detector = {
  id: 'checkpoint-missing',
  witness: ['store'],
  limits,
  judge: ({ status, isStoreRead, unstored, at }) => {
    if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
    if (isStoreRead !== true) return cannotTell('store');
    if (unstored === null || unstored.answers < limits.answers) return QUIET;
    const { since, step, newest } = unstored;
    return alarm(since, {
      seen: newest === null ? 'none' : String(newest),
      step: String(step),
      minutes: Math.round((at - since) / 60_000),
    });
  },
};
