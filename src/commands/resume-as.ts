/** Continues an ended run as a new one with its own identity, from an old checkpoint (policy HR-52). */

import { permits } from '../domain/actor.ts';
import { isHolding } from '../domain/logbook/liveness.ts';
import { answering, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { contractText, reasonText, runWord } from './values.ts';

const answerResumeAs = answering({
  'resumed-as': { old: 'text', run: 'text', from: 'text', root: 'text?', reason: 'text' },
  'resume-as-unclear': { name: 'text', said: 'text', wanted: 'text' },
  'resume-as-refused': { path: 'text', why: 'text' },
});

export const resumeAs = {
  name: 'resume-as',
  answers: answerResumeAs.vocabulary,
  keys: {
    id: { required: true, value: runWord },
    from: { required: true, value: contractText },
    root: { required: false, value: contractText },
    reason: { required: true, value: reasonText },
  },
  who: (policy) => policy.permissions.ack,
  summary:
    'After an attempt that ended: closes the run and has it go on as another one, with this name and tracker id, from a checkpoint of the old one (its path, or a root whose newest one is meant) and into another output root. The new run has a card of its own, and is approved by its own digest.',
  example:
    '/resume-as id=grug-moe-1e23-b from=gs://lab/grug/checkpoints/step-1200 root=gs://lab/grug-b reason="the router was mended"',
  confusedWith: ['resume', 'fork', 'continue-as'],
  decide: decideResumeAs,
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;

/**
 * Needs the permission of `/ack` or `/ack reject`, because it closes the run. Another person approves the new run. Refused during a hold,
 * which would not apply to the new run.
 */
function decideResumeAs({ state, policy: { permissions }, permission }: CommandContext): CommandDecision {
  const needs = permissions[(state.end?.status ?? 'FAILED') === 'FAILED' ? 'ack' : 'seal'];
  if (!permits(permission, needs)) return answerResumeAs('not-permitted', { needs, held: permission });
  if (isHolding(state)) return answerResumeAs('not-now', { status: 'the job has not ended' });
  if (state.holds.length > 0) return answerResumeAs('not-now', { status: 'it is on hold' });
  return { kind: 'hand-over' };
}
