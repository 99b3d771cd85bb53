/** `/unhold`: lifts the hold on this run, and the skip of its day; of a run that it names, the hold alone. Approvals that fell stay fallen. */

import type { Actor } from '../domain/actor.ts';
import type { Hold } from '../domain/launch/hold.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { missedLift } from '../domain/logbook/run-state.ts';
import { dateOf } from '../domain/time.ts';
import {
  type AnswerDecision,
  answering,
  type CommandContext,
  type NamedContext,
  type PlaceContext,
} from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { laneUnclear, meantLane } from './meant-lane.ts';
import { laneWord, runWord } from './values.ts';

const answer = answering({
  unheld: { count: 'integer', run: 'text?' },
  'unhold-nothing': { missed: 'integer?', run: 'text?' },
});

export const unhold = {
  name: 'unhold',
  answers: answer.vocabulary,
  keys: { lane: { required: false, value: laneWord }, run: { required: false, value: runWord } },
  who: (policy) => policy.permissions.hold,
  summary:
    'Lifts the hold on this run, and the skip of its day. With `run=`, in any thread, the hold on the run of this name alone.',
  example: '/unhold',
  confusedWith: ['release', 'resume', 'continue', 'unskip'],
  decide: (context) =>
    context.args['run'] === undefined
      ? decide(context, context.state.holds, context.state.proposal.date, missedLift(context.state))
      : decideNamed(context),
  decideNamed,
  decideWithoutRun: (context) => decide(context, [], dateOf(context.now), {}),
} as const satisfies CommandDefinition;

function decideNamed({ state, actor }: NamedContext): AnswerDecision {
  const { holds, run } = state;
  if (holds.length === 0) return answer('unhold-nothing', { ...missedLift(state), run });
  return answer('unheld', { count: holds.length, run }, holds.map(liftedBy(actor)));
}

function liftedBy(actor: Actor): (hold: Hold) => EventDraft {
  return ({ kind, scope, lane, date }) => ({
    type: 'released',
    role: 'control',
    actor,
    data: { kind, scope, ...(lane === null ? {} : { lane }), date },
  });
}

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
  const lifted = liftedBy(actor);
  return answer('unheld', { count: own.length + skips.length }, own.map(lifted), skips.map(lifted));
}
