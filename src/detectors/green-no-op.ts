/** A job that succeeded and did nothing: a launcher that found its output there already, for example. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

export const greenNoOp: Detector = {
  id: 'green-no-op',
  witness: ['engine', 'log'],
  limits: {},
  judge: ({ status, isLogRead, hasTrained, left }) => {
    if (status !== 'SUCCEEDED') return QUIET;
    if (!isLogRead) return cannotTell('log');
    const missing = [
      ...(hasTrained ? [] : ['steps']),
      ...(left.checkpoint === false ? ['checkpoint'] : []),
      ...(left.metrics === false ? ['metrics'] : []),
    ];
    return missing.length === 0 ? QUIET : alarm('success', { seen: missing.join(' ') });
  },
};
