/** `/reject-checkpoint step=… reason="…"`: removes checkpoints from the lineage (policy HR-59). */

import { furthestStep } from '../domain/launch/next-attempt.ts';
import { approverNeeds, unlessApprover } from './approving.ts';
import { answering, type CommandContext, type CommandDecision, NO_JOB } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { reasonText, stepNumber } from './values.ts';

const answerRejectCheckpoint = answering({
  'checkpoint-rejected': { step: 'integer', reason: 'text' },
  'reject-not-reached': { step: 'integer', reached: 'integer' },
});

export const rejectCheckpoint = {
  name: 'reject-checkpoint',
  answers: answerRejectCheckpoint.vocabulary,
  keys: {
    step: { required: true, value: stepNumber },
    reason: { required: true, value: reasonText },
  },
  who: approverNeeds,
  summary:
    'Takes the checkpoints from a step on, as the attempts so far have written them, out of the lineage of the run: nothing goes on from them.',
  example: '/reject-checkpoint step=1200 reason="the loss had diverged by then"',
  decide: decideRejectCheckpoint,
} as const satisfies CommandDefinition;

function decideRejectCheckpoint(context: CommandContext): CommandDecision {
  const { state, actor, comment, args } = context;
  const refused = unlessApprover(context);
  if (refused !== null) return refused;
  const step = Number(args['step']);
  const { reason = '' } = args;
  if (state.submission === null && state.attempts.length === 0) return NO_JOB;
  const { attempts, observation, end } = state;
  const reached = furthestStep([...attempts, { observation, end }]);
  if (reached !== null && step > reached)
    return answerRejectCheckpoint('reject-not-reached', { step, reached });
  const begun = state.order?.claim?.at ?? '';
  // A rejection after the newest attempt's start covers all earlier checkpoints; a later attempt needs a new one.
  const earlier = state.rejections.find((one) => one.step <= step && one.at >= begun);
  if (earlier !== undefined)
    return answerRejectCheckpoint('reject-already', { step: earlier.step, by: earlier.actor.login });
  const data = { step, reason, comment: comment.id, surface: comment.surface };
  return answerRejectCheckpoint('checkpoint-rejected', { step, reason }, [
    { type: 'checkpoint-rejected', role: 'control', actor, data },
  ]);
}
