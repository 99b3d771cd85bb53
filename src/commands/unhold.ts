/** `/unhold [run=|lane=|date=|scope=repository]`: lifts a hold; dropped approvals stay dropped. */

import { type Hold, liftCommand, recordedTarget, TARGET_FIELDS, targetFacts } from '../domain/launch/hold.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { type AnswerDecision, answering, type NamedContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { HOLD_KEYS, meantHold, namesWiderHold } from './meant-hold.ts';
import { laneUnclear } from './meant-lane.ts';

const answerUnhold = answering({
  unheld: { ...TARGET_FIELDS, run: 'text?' },
  'unhold-nothing': { run: 'text?', others: 'list' },
});

export const unhold = {
  name: 'unhold',
  answers: answerUnhold.vocabulary,
  keys: HOLD_KEYS,
  who: (policy) => policy.permissions.hold,
  summary:
    'Lifts the hold that `/hold` with the same arguments puts on. What was approved before has to be approved again.',
  example: '/unhold',
  confusedWith: ['thaw', 'unfreeze', 'unskip', 'unlock', 'release', 'resume', 'continue'],
  decide: (context) =>
    namesWiderHold(context.args) ? liftPlace(context) : liftRun(context, liftCommands(context)),
  decideNamed: (context) => liftRun(context, []),
  decideWithoutRun: liftPlace,
} as const satisfies CommandDefinition;

function liftRun({ state, actor, args }: NamedContext, others: readonly string[]): AnswerDecision {
  const named = args['run'] === undefined ? {} : { run: state.run };
  const [hold] = state.holds;
  return hold === undefined
    ? answerUnhold('unhold-nothing', { ...named, others })
    : answerUnhold('unheld', { scope: 'run', ...named }, [releasedDraft(actor, hold)]);
}

function liftPlace(context: PlaceContext): AnswerDecision {
  const { journalHolds, actor, args, lanes } = context;
  if (journalHolds.kind === 'unknown') return answerUnhold('logbook-broken');
  // A hold may be on a lane that the config no longer has.
  const held = journalHolds.value.flatMap(({ lane }) => (lane === null ? [] : [lane]));
  const meant = meantHold(
    args,
    args['lane'] === undefined ? context : { ...context, lanes: [...lanes, ...held] },
  );
  if (meant.kind !== 'hold') return laneUnclear(meant);
  const { scope, lane, date } = meant.target;
  const hold = journalHolds.value.find(
    (one) => one.scope === scope && one.lane === lane && one.date === date,
  );
  if (hold === undefined) return answerUnhold('unhold-nothing', { others: liftCommands(context) });
  return answerUnhold('unheld', targetFacts(hold), [], [releasedDraft(actor, hold)]);
}

/** The commands that lift the current holds. */
function liftCommands({ journalHolds }: PlaceContext): readonly string[] {
  return journalHolds.kind === 'known' ? journalHolds.value.map((hold) => liftCommand(hold)) : [];
}

function releasedDraft(actor: PlaceContext['actor'], hold: Hold): EventDraft {
  return { type: 'released', role: 'control', actor, data: recordedTarget(hold) };
}
