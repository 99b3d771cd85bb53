/** Metrics under another identity than the one that was approved: they look plausible and belong to another run. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

/** Executors add a hash of the content to the name: `daily-5bbb39` is `daily`. */
const HASH = /^-[\da-f]{6}$/;

/** Ids that a tracker makes up where nobody chose one (W&B's eight characters, MLflow's 32, UUIDs): no name to compare. */
const MADE_UP = /^(?:[a-z\d]{8}|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

export const trackerDrift: Detector = {
  id: 'tracker-drift',
  witness: ['tracker', 'manifest'],
  limits: {},
  judge: ({ tracker }) => {
    if (tracker === null || tracker.intended === '') return cannotTell('manifest');
    const { intended, seen } = tracker;
    const newest = seen.at(-1);
    if (newest === undefined || MADE_UP.test(newest)) return cannotTell('tracker');
    const isIntended =
      newest === intended || (newest.startsWith(intended) && HASH.test(newest.slice(intended.length)));
    return isIntended ? QUIET : alarm(newest, { seen: newest, bound: intended });
  },
};
