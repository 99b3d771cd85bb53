/**
 * Determines a command's lane: the named one, the thread's, or the only one with proposals. Adoption lanes must be named or be the
 * thread's.
 */

import { type AnswerDecision, answerCommon, type PlaceContext } from './decision.ts';

/** `unclear`: several lanes are possible; `no-such`: the named lane does not exist. */
export type MeantLane =
  | { readonly kind: 'lane'; readonly lane: string }
  | { readonly kind: 'unclear' | 'no-such'; readonly lanes: readonly string[]; readonly named: string };

/** `laneHere`: the lane of the thread's run, or null. */
type LanesOfPlace = Pick<PlaceContext, 'lanes' | 'proposing' | 'laneHere'>;

/** `named`: the argument `lane=`. */
export function meantLane(
  named: string | undefined,
  { lanes, proposing, laneHere }: LanesOfPlace,
): MeantLane {
  if (named !== undefined)
    return lanes.includes(named) || named === laneHere
      ? { kind: 'lane', lane: named }
      : { kind: 'no-such', lanes, named };
  if (laneHere !== null) return { kind: 'lane', lane: laneHere };
  const [only, second] = proposing.length === 0 ? lanes : proposing;
  return only !== undefined && second === undefined
    ? { kind: 'lane', lane: only }
    : { kind: 'unclear', lanes, named: '' };
}

/** The answer that asks for a lane. */
export function laneUnclear({ kind, lanes, named }: Exclude<MeantLane, { kind: 'lane' }>): AnswerDecision {
  return answerCommon('lane-unclear', { kind, lanes: lanes.join(' '), named });
}
