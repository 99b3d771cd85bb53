/**
 * Deletes the checkpoints of one list that somebody consented to (policy HR-63): one by one, each looked at again on a new
 * listing and the record of that moment, each looked for afterwards. The first that is not as it was listed ends it.
 */

import type { ChangeEnd, Executor, TargetLook } from '../../actions/change-cluster.ts';
import { type Retention, secondLook } from '../../checkpoints/retention.ts';
import { type Capability, spendCapability } from '../../domain/actions/capability.ts';
import { assertNever } from '../../domain/assert.ts';
import type { CheckpointDeletion, MutationStep } from '../../domain/care/mutation.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import type { CheckpointStore, StorePath } from '../../domain/checkpoint/stored.ts';
import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { Observed } from '../../domain/observed.ts';
import type { Lab } from '../lab.ts';

export type CheckpointCleanup = {
  readonly lab: Pick<Lab, 'now' | 'boundary'>;
  readonly mutation: MutationRecord;
  readonly deletion: CheckpointDeletion;
  /** Where the run's checkpoints lie by its record and the config of this moment. */
  readonly roots: readonly StorePath[];
  /** A new listing, judged by the record as it is read anew for it; `held`: why nothing more may be done, where somebody has said so. */
  readonly judge: () => Promise<{ readonly retention: Observed<Retention>; readonly held: string | null }>;
  readonly storeOf: (path: StorePath) => Observed<CheckpointStore>;
};

/** What carries out one list. */
export function checkpointCleanup(input: CheckpointCleanup): Executor {
  return {
    look: () => targetLook(input),
    act: (capability, begunAt) => act(input, capability, begunAt),
    lookBack: () => lookBack(input),
  };
}

/** All of them as they were listed, or gone by themselves: otherwise people have seen another list than what lies there. */
async function targetLook(input: CheckpointCleanup): Promise<TargetLook> {
  const { deletion, roots, mutation } = input;
  if (JSON.stringify(roots) !== JSON.stringify(deletion.roots))
    return {
      kind: 'changed',
      code: 'steps-changed',
      why: `the checkpoints lie in ${roots.join(', ')} by now`,
    };
  const { retention } = await input.judge();
  if (retention.kind === 'unknown') return { kind: 'unknown', why: retention.why };
  for (const step of mutation.proposal.steps) {
    const [path, identity] = targetOf(step);
    const seen = secondLook(retention.value, path, identity);
    if (seen === 'changed' || seen === 'protected')
      return { kind: 'changed', code: 'list-changed', why: `${path}: ${seen}` };
  }
  return { kind: 'same' };
}

function targetOf({ command }: MutationStep): readonly [StorePath, string] {
  const [, path, identity] = command;
  if (path === undefined || identity === undefined) throw new Error('a step that names no checkpoint');
  return [path, identity];
}

type Done = {
  readonly said: string;
  readonly stop: Pick<ChangeEnd, 'outcome' | 'code'> | null;
};

async function act(input: CheckpointCleanup, capability: Capability, begunAt: Instant): Promise<ChangeEnd> {
  const { lab, mutation } = input;
  const detail: Record<string, string> = {};
  for (const [index, step] of mutation.proposal.steps.entries()) {
    lab.boundary(step.does, 'before');
    const done: Done =
      lab.now() >= begunAt + limits.actionLifetimeMs
        ? { said: 'the hour was over', stop: { outcome: 'refused', code: 'out-of-time' } }
        : await deleteOne(input, capability, step);
    lab.boundary(step.does, 'after');
    detail[`checkpoint ${index + 1}`] = `${targetOf(step)[0]}: ${done.said}`;
    if (done.stop !== null) {
      const outcome = done.stop.outcome === 'refused' && index > 0 ? 'failed' : done.stop.outcome;
      return {
        outcome,
        code: index > 0 && outcome === 'failed' ? 'deletion-stopped' : done.stop.code,
        detail,
      };
    }
  }
  return { outcome: 'done', code: 'deleted', detail };
}

async function deleteOne(
  input: CheckpointCleanup,
  capability: Capability,
  step: MutationStep,
): Promise<Done> {
  const [path, identity] = targetOf(step);
  const { retention, held } = await input.judge();
  if (held !== null) return refused(held, 'held');
  if (retention.kind === 'unknown') return refused(retention.why, 'unreadable');
  const seen = secondLook(retention.value, path, identity);
  const permit = { capability, now: input.lab.now() };
  if (seen === 'gone') {
    // Its step is used up without a call: the next one is the next of the list.
    spendCapability(permit, step);
    return { said: 'it was gone already', stop: null };
  }
  if (seen !== 'same')
    return refused(seen === 'changed' ? 'written anew' : 'protected by now', 'list-changed');
  const store = input.storeOf(path);
  if (store.kind === 'unknown') return refused(store.why, 'unreadable');
  const outcome = await store.value.remove(path, step, permit);
  switch (outcome.kind) {
    case 'gone': {
      const { objects, bytes } = outcome.removed;
      return { said: `deleted and looked for: ${objects} objects, ${bytes} bytes`, stop: null };
    }
    case 'failed':
      return refused(outcome.why, 'deletion-failed');
    case 'left':
      return { said: outcome.why, stop: { outcome: 'failed', code: 'deletion-left' } };
    case 'unknown':
      return { said: outcome.why, stop: { outcome: 'unclear', code: 'deletion-unclear' } };
    default:
      return assertNever(outcome);
  }
}

function refused(said: string, code: string): Done {
  return { said, stop: { outcome: 'refused', code } };
}

/** What an earlier runner left of the list: nothing is called again, and each is told of. */
async function lookBack(input: CheckpointCleanup): Promise<ChangeEnd> {
  const detail: Record<string, string> = {};
  let outcome: 'done' | 'failed' | 'unclear' = 'done';
  for (const [index, step] of input.mutation.proposal.steps.entries()) {
    const [path] = targetOf(step);
    const store = input.storeOf(path);
    const size = store.kind === 'unknown' ? store : await store.value.measure(path);
    if (size.kind === 'unknown') outcome = 'unclear';
    else if (size.value.objects > 0 && outcome === 'done') outcome = 'failed';
    detail[`checkpoint ${index + 1}`] =
      size.kind === 'unknown'
        ? `${path}: ${size.why}`
        : `${path}: ${size.value.objects === 0 ? 'gone' : `${size.value.objects} objects are there`}`;
  }
  const codes = { done: 'deleted', failed: 'deletion-interrupted', unclear: 'deletion-unclear' } as const;
  return { outcome, code: codes[outcome], detail };
}
