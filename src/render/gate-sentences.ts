/** What the sentences about a gate are: one for each code, of what was found and what is to be done. */

import type { GateId, Verdicts } from '../domain/launch/verdict.ts';
import type { Facts, Fields } from '../domain/payload.ts';
import type { PlaceWord } from './words.ts';

export type Words = readonly [found: string, remedy?: string];

/** One sentence for each code of a gate. */
export type GateSentences<Gate extends GateId> = {
  readonly [Code in keyof Verdicts[Gate]]: (
    facts: Verdicts[Gate][Code] extends Fields ? Facts<Verdicts[Gate][Code]> : never,
    place: PlaceWord,
  ) => Words;
};
