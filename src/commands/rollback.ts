/** `/rollback step=… reason="…"`: restarts from an earlier checkpoint, with a new manifest and approval. */

import { askedCheckpoint } from '../checkpoints/choose.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { personInCharge } from '../domain/launch/contract.ts';
import { rollbackOf, unfollowedAttempt } from '../domain/launch/next-attempt.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { approverNeeds, unlessApprover } from './approving.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { withoutJob } from './direct-watch.ts';
import { reasonText, stepBack } from './values.ts';

const answerRollback = answering({
  'rolled-back': { step: 'integer', path: 'text?', reason: 'text' },
  'rollback-not-now': { status: 'text' },
  'rollback-unseen': {},
  'rollback-refused': { step: 'integer', why: 'text' },
});

export const rollback = {
  name: 'rollback',
  answers: answerRollback.vocabulary,
  keys: {
    step: { required: true, value: stepBack },
    reason: { required: true, value: reasonText },
  },
  who: approverNeeds,
  summary:
    'After an attempt that failed, has the next one begin at an earlier checkpoint of the run, or from nothing with `step=0`. What was made after it is used for nothing; the card shows the new manifest, which is approved as the first one was.',
  example: '/rollback step=1200 reason="the loss had diverged after it"',
  confusedWith: ['revert', 'goback', 'reset'],
  decide: decideRollback,
} as const satisfies CommandDefinition;

function decideRollback(context: CommandContext): CommandDecision {
  const { state, actor, comment, args } = context;
  const refused = unlessApprover(context);
  if (refused !== null) return refused;
  const status = notNow(state);
  if (status !== null) return answerRollback('rollback-not-now', { status });
  const before = rollbackOf(state);
  const step = Number(args['step']);
  if (before !== null && (before.checkpoint?.step ?? 0) === step)
    return answerRollback('reject-already', { step, by: before.actor.login });
  const search = context.search();
  if (search === null) return answerRollback('rollback-unseen');
  if ('kind' in search) return search;
  const { reason = '' } = args;
  const asked = step === 0 ? null : askedCheckpoint(search, { step });
  if (asked?.kind === 'refused') {
    const dri = personInCharge(state.contract) ?? '';
    return answerRollback('rollback-refused', { step, why: asked.code }, [
      incidentDraft('control', 'start-refused', {
        why: asked.code,
        path: `step ${step}`,
        dri,
        asked: 'rollback',
      }),
    ]);
  }
  const path = asked?.checkpoint.stored.path;
  const data = { step: step + 1, reason, comment: comment.id, surface: comment.surface };
  return answerRollback('rolled-back', { step, reason, ...(path === undefined ? {} : { path }) }, [
    { type: 'checkpoint-rejected', role: 'control', actor, data },
  ]);
}

/** Null if the newest attempt failed and no job followed yet. */
function notNow(state: RunState): string | null {
  if (isOver(state)) return 'it is over';
  if (state.stop !== null) return 'stopped for good';
  const last = unfollowedAttempt(state);
  if (last === null) return withoutJob(state) ?? 'the job has not ended';
  return last.end.status === 'FAILED' ? null : last.end.status;
}
