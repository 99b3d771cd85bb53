/** `/thaw [lane=…]`: lifts every freeze that stands on the lane. Approvals that fell stay fallen. */

import { missedLift } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { laneUnclear, type MeantLane, meantLane, severally } from './meant-lane.ts';
import { laneWord } from './values.ts';

const answer = answering({ thawed: { scopes: 'text' }, 'thaw-nothing': { missed: 'integer?' } });

export const thaw = {
  name: 'thaw',
  answers: answer.vocabulary,
  keys: { lane: { required: false, value: laneWord } },
  who: (policy) => policy.permissions.freeze,
  summary: 'Lifts the freeze of the lane and of the repository.',
  example: '/thaw',
  confusedWith: ['unfreeze', 'unlock'],
  decide: (context) => decide(context, missedLift(context.state)),
  decideWithoutRun: (context) => decide(context, {}),
} as const satisfies CommandDefinition;

function decide(context: PlaceContext, missed: { readonly missed?: 1 }): AnswerDecision {
  const { journalHolds, actor, args } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  const freezes = journalHolds.value.filter((hold) => hold.kind === 'freeze');
  const frozen = new Set(freezes.flatMap(({ lane }) => (lane === null ? [] : [lane])));
  const named = args['lane'];
  // A freeze outlives its lane in the config, and is lifted by its name all the same.
  const meant: MeantLane =
    named !== undefined && frozen.has(named) ? { kind: 'lane', lane: named } : meantLane(named, context);
  // Where one lane at most is frozen, nobody has to say which.
  if (meant.kind === 'no-such' || (meant.kind === 'unclear' && frozen.size > 1)) return laneUnclear(meant);
  const isMeant = (lane: string | null): boolean =>
    lane === null || meant.kind !== 'lane' || lane === meant.lane;
  const lifted = freezes.filter(({ lane }) => isMeant(lane));
  if (lifted.length === 0) return answer('thaw-nothing', missed);
  const released = lifted.map(({ kind, scope, lane, date }) => {
    const data = { kind, scope, ...(lane === null ? {} : { lane }), date };
    return { type: 'released', role: 'control', actor, data } as const;
  });
  const places = lifted.map(({ scope, lane }) =>
    [scope, ...Object.values(severally(context, lane ?? undefined))].join(' '),
  );
  return answer('thawed', { scopes: places.join(' and ') }, [], released);
}
