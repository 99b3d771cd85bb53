/** Executes the seal of a milestone. */

import type { CommandDecision } from '../commands/decision.ts';
import { answerOf } from '../commands/registry.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { renderMilestoneTag } from '../render/ended.ts';
import { sealTagOf } from './begun-seal.ts';
import { answerDraft } from './command-events.ts';
import type { StagedCommand } from './decide-commands.ts';
import { type AttemptCache, append, isDone, mayTry, perform, type Step } from './step.ts';

/** Pushes the milestone's tag, then records it with the answer; null while the tag cannot be pushed. */
export function decideMilestone(
  { state, memory }: { readonly state: RunState; readonly memory: AttemptCache },
  { name, checkpoint }: Extract<CommandDecision, { kind: 'milestone' }>,
  { item, actor }: Pick<StagedCommand, 'item' | 'actor'>,
): Step | null {
  const { submission } = state;
  if (submission === null) throw new Error('a milestone without a job was not refused');
  const tag = `${sealTagOf(state)}.${name}`;
  const { commit } = submission;
  const { surface, id: comment } = item.comment;
  const key = `tag:${tag}:${comment}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') {
    const detail = { code: outcome.code, message: outcome.message };
    return append(
      incidentDraft('control', 'seal-failed', detail),
      answerDraft(item, answerOf('seal-refused', detail)),
    );
  }
  // rule HR-70
  if (!isDone(memory, key)) {
    if (!mayTry(memory, key, limits.effectTriesMax)) return null;
    const message = renderMilestoneTag(state, name, checkpoint);
    return perform(key, { kind: 'push-tag', tag, commit, message });
  }
  const { path, step, unseen } = checkpoint;
  const metrics = state.end?.metrics ?? state.observation?.evals ?? {};
  return append(
    {
      type: 'milestone',
      role: 'control',
      actor,
      data: { name, tag, commit, checkpoint, metrics, comment, surface },
    },
    answerDraft(item, answerOf('milestone-sealed', { name, tag, path, step, unseen: unseen.join(', ') })),
  );
}
