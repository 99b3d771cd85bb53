/** A loss that climbs too slowly for its trend to be left, until all that was learned is lost. */

import { alarm, cannotTell, type Detector, QUIET, told } from './detector.ts';

export const LOSS_DIVERGENCE_LIMITS = {
  /** Half above, as a spike has to be: what data of another kind costs is less. */
  factor: 1.5,
  /** Nearer to nothing than this a loss of preferences or of a policy begins, and grows by design. */
  least: 0.5,
} as const;

/** The trend is half above the least that it has been since the warm-up. */
export const lossDivergence: Detector = {
  id: 'loss-divergence',
  witness: ['loss'],
  limits: LOSS_DIVERGENCE_LIMITS,
  judge: ({ series: { loss } }) => {
    if (loss?.trend == null || loss.lowest === null) return cannotTell('loss');
    const { factor, least } = LOSS_DIVERGENCE_LIMITS;
    if (loss.lowest < least || loss.trend < factor * loss.lowest) return QUIET;
    return alarm('loss', { seen: told(loss.trend), bound: told(loss.lowest) });
  },
};
