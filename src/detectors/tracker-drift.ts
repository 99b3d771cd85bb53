/** Metrics under another identity than the one that was approved: they look plausible and belong to another run. */

import { compareIdentity } from '../domain/tracker.ts';
import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

export const trackerDrift: Detector = {
  id: 'tracker-drift',
  witness: ['tracker', 'manifest'],
  limits: {},
  judge: ({ tracker }) => {
    if (tracker === null || tracker.intended === '') return cannotTell('manifest');
    const { intended, logged, said } = tracker;
    const newest = logged.at(-1) ?? said?.identity;
    if (newest === undefined) return cannotTell('tracker');
    switch (compareIdentity(intended, newest)) {
      case 'same':
        return QUIET;
      case 'other':
        // rule HR-38
        return alarm(newest, { seen: newest, bound: intended });
      case 'made-up':
        // The tracker itself knows the name that people gave a run whose id it made up.
        return said !== null && compareIdentity(intended, said.name) === 'same'
          ? QUIET
          : cannotTell('tracker');
    }
  },
};
