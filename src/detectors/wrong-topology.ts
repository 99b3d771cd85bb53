/** A job on another kind of accelerator, or on another number of slices, than was asked for. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

const PAIRS = [
  ['acceleratorAsked', 'accelerator'],
  ['slicesAsked', 'slices'],
] as const;

export const wrongTopology: Detector = {
  id: 'wrong-topology',
  witness: ['engine'],
  limits: {},
  judge: ({ engine }) => {
    const known = PAIRS.flatMap(([asked, got]) => {
      const [wanted, seen] = [engine[asked], engine[got]];
      return wanted === undefined || seen === undefined ? [] : [{ wanted, seen }];
    });
    if (known.length === 0) return cannotTell('engine');
    const wrong = known.find(({ wanted, seen }) => wanted.toLowerCase() !== seen.toLowerCase());
    return wrong === undefined ? QUIET : alarm(wrong.seen, { seen: wrong.seen, bound: wrong.wanted });
  },
};
