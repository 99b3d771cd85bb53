/** A measure that has left its trend for as long as its law says. */

import type { DetectorId } from '../domain/detector-ids.ts';
import { alarm, cannotTell, type Detector, QUIET, told, type Witness } from './detector.ts';
import { type Followed, SERIES_LAWS } from './measures.ts';

/** One of these measures; it cannot be told before the warm-up is over. */
export function seriesDetector(id: DetectorId, witness: Witness, names: readonly Followed[]): Detector {
  return {
    id,
    witness: [witness],
    limits: Object.assign({}, ...names.map((name) => SERIES_LAWS[name])),
    judge: ({ series }) => {
      const known = names.flatMap((name) => {
        const one = series[name];
        return one === undefined ? [] : [{ name, ...one, law: SERIES_LAWS[name] }];
      });
      for (const { name, met } of known)
        if (met !== null)
          return alarm(`${name}-${met.from ?? ''}`, {
            seen: told(met.peak),
            bound: told(met.trend),
            step: met.from === null ? `${met.values} values` : `${met.from}-${met.to ?? met.from}`,
          });
      return known.some(({ values, law }) => values > law.warmUpValues) ? QUIET : cannotTell(witness);
    },
  };
}
