/** A loss, or gradients, that are no numbers any more. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

/** At once, in the warm-up too: what is lost does not come back. A gradient that is skipped once by a loss scale is none. */
export const nan: Detector = {
  id: 'nan',
  witness: ['loss'],
  limits: { gradients: 3 },
  judge: ({ isLossLost, series, step }) => {
    if (isLossLost)
      return alarm('lost', { seen: 'nan', ...(step === null ? {} : { step: String(step.value) }) });
    return series.loss === undefined ? cannotTell('loss') : QUIET;
  },
};
