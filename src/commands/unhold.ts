/** `/unhold`: lifts the hold on this run, and the skip of its day. Approvals that fell stay fallen. */

import type { Hold } from '../domain/launch/hold.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { missedLift } from '../domain/logbook/run-state.ts';
import { dateOf } from '../domain/time.ts';
import { type AnswerDecision, answering, type CommandContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { laneUnclear, meantLane } from './meant-lane.ts';
import { laneWord } from './values.ts';

const answer = answering({ unheld: { count: 'integer' }, 'unhold-nothing': { missed: 'integer?' } });

export const unhold = {
  name: 'unhold',
  answers: answer.vocabulary,
  keys: { lane: { required: false, value: laneWord } },
  who: (policy) => policy.permissions.hold,
  summary: 'Lifts the hold on this run, and the skip of its day.',
  example: '/unhold',
  confusedWith: ['release', 'resume', 'continue', 'unskip'],
  decide: (context) =>
    decide(context, context.state.holds, context.state.proposal.date, missedLift(context.state)),
  decideWithoutRun: (context) => decide(context, [], dateOf(context.now), {}),
} as const satisfies CommandDefinition;

function decide(
  context: PlaceContext | CommandContext,
  own: readonly Hold[],
  date: string,
  missed: { readonly missed?: 1 },
): AnswerDecision {
  const { journalHolds, actor, args } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  const skipped = journalHolds.value.filter((hold) => hold.kind === 'skip' && hold.date === date);
  const meant = meantLane(args['lane'], context);
  if (meant.kind === 'no-such' || (meant.kind === 'unclear' && skipped.length > 1)) return laneUnclear(meant);
  const skips = skipped.filter(({ lane }) => lane === null || meant.kind !== 'lane' || lane === meant.lane);
  if (own.length === 0 && skips.length === 0) return answer('unhold-nothing', missed);
  const lifted = ({ kind, scope, lane, date: day }: Hold): EventDraft => ({
    type: 'released',
    role: 'control',
    actor,
    data: { kind, scope, ...(lane === null ? {} : { lane }), date: day },
  });
  return answer('unheld', { count: own.length + skips.length }, own.map(lifted), skips.map(lifted));
}
