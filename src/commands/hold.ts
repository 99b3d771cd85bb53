/** `/hold [run=|lane=|date=|scope=repository] [reason=]`: blocks launches until `/unhold`. */

import {
  type HoldTarget,
  holdsOn,
  recordedTarget,
  TARGET_FIELDS,
  targetFacts,
} from '../domain/launch/hold.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type AnswerDecision, answering, type NamedContext, type PlaceContext } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { dropByBrake } from './drop-of.ts';
import { HOLD_KEYS, meantHold, namesWiderHold } from './meant-hold.ts';
import { laneUnclear } from './meant-lane.ts';
import { brakeReason } from './values.ts';

const answerHold = answering({
  held: { ...TARGET_FIELDS, reason: 'text', dropped: 'integer', jobId: 'text?', run: 'text?' },
});

export const hold = {
  name: 'hold',
  answers: answerHold.vocabulary,
  keys: { ...HOLD_KEYS, reason: { required: false, value: brakeReason } },
  who: (policy) => policy.permissions.hold,
  summary:
    'Blocks launches until `/unhold`, and drops the approvals: of this run, or of its lane where the thread has no run. `run=` and `lane=` name another one, `date=` a day on which the lane proposes and launches nothing, `scope=repository` blocks everything.',
  example: '/hold reason="the tokenizer changes today"',
  holdsBack: true,
  confusedWith: ['freeze', 'skip', 'pause', 'wait', 'block', 'lock', 'lockdown', 'halt'],
  decide: (context) => (namesWiderHold(context.args) ? holdPlace(context, context.state) : holdRun(context)),
  decideNamed: holdRun,
  decideWithoutRun: (context) => holdPlace(context, null),
} as const satisfies CommandDefinition;

function holdRun({ state, actor, args }: NamedContext): AnswerDecision {
  const named = args['run'] === undefined ? {} : { run: state.run };
  // A hold also blocks proposed cluster changes and further attempts.
  const isOpen = state.actions.some(({ claim: begun, ended }) => begun === null && ended === null);
  const isLaunched = !isBeforeLaunch(state) || state.order?.status === 'claimed';
  if (isLaunched && !isOpen && !mayGoOn(state))
    return answerHold('too-late', { jobId: state.submission?.jobId ?? '', ...named });
  const reason = args['reason'] ?? '';
  const drop = dropByBrake(state);
  const held = heldDraft(actor, { scope: 'run', lane: null, date: null }, reason);
  const running = state.submission !== null && state.end === null ? { jobId: state.submission.jobId } : {};
  const facts = {
    scope: 'run' as const,
    reason,
    dropped: drop?.data.users.length ?? 0,
    ...running,
    ...named,
  };
  return answerHold('held', facts, [...(drop === null ? [] : [drop]), held]);
}

/** A launched job may still fail and be relaunched. */
function mayGoOn({ submission, end, stop }: RunState): boolean {
  return submission !== null && end?.status !== 'SUCCEEDED' && stop === null;
}

/** Other affected runs drop their approvals at their next reconciliation. */
function holdPlace(context: PlaceContext, state: RunState | null): AnswerDecision {
  const { actor, args, journalHolds } = context;
  if (journalHolds.kind === 'unknown') return answerHold('logbook-broken');
  const meant = meantHold(args, context);
  if (meant.kind !== 'hold') return laneUnclear(meant);
  const { target } = meant;
  const reason = args['reason'] ?? '';
  const drop = state !== null && holdsOn([target], state.proposal).length > 0 ? dropByBrake(state) : null;
  const facts = { ...targetFacts(target), reason, dropped: drop?.data.users.length ?? 0 };
  return answerHold('held', facts, drop === null ? [] : [drop], [heldDraft(actor, target, reason)]);
}

function heldDraft(actor: PlaceContext['actor'], target: HoldTarget, reason: string): EventDraft {
  return { type: 'held', role: 'control', actor, data: { ...recordedTarget(target), reason } };
}
