/**
 * Which lane a command means: the one that it names, that of its thread, or the only one there is in which runs are proposed;
 * nobody guesses. A lane for jobs that people have launched themselves is meant where it is named, or in a thread of its own.
 */

import { type AnswerDecision, answerCommon, type PlaceContext } from './decision.ts';

/** `unclear`: the lab has several lanes, and neither the command nor its thread says which; `no-such`: it names none of them. */
export type MeantLane =
  | { readonly kind: 'lane'; readonly lane: string }
  | { readonly kind: 'unclear' | 'no-such'; readonly lanes: readonly string[]; readonly named: string };

/** What there is to choose from; `laneHere`: the lane of the thread's run, null where it has none. */
type LanesOfPlace = Pick<PlaceContext, 'lanes' | 'proposing' | 'laneHere'>;

/** `named`: the argument `lane=` of the command, if it has one. */
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

/** The answer to a command that does not say which lane it means. */
export function laneUnclear({ kind, lanes, named }: Exclude<MeantLane, { kind: 'lane' }>): AnswerDecision {
  return answerCommon('lane-unclear', { kind, lanes: lanes.join(' '), named });
}
