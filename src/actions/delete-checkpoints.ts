/** Deletes an approved list of checkpoints one by one (policy HR-63), each after a new listing; the first difference ends the clean-up. */

import { type Retention, recheckCandidate } from '../checkpoints/cleanup.ts';
import type { ChangeStep, CheckpointDeletion } from '../domain/actions/action.ts';
import { type Permit, spendCapability } from '../domain/actions/capability.ts';
import type { CheckpointStore, StorePath } from '../domain/checkpoint/stored.ts';
import { assertNever, type Observed } from '../domain/values.ts';
import type { ChangeEnd, Executor, StepEnd, TargetCheck } from './change-cluster.ts';

export type CheckpointCleanup = {
  readonly deletion: CheckpointDeletion;
  readonly steps: readonly ChangeStep[];
  /** The run's checkpoint roots, from its record and the current config. */
  readonly roots: readonly StorePath[];
  /** Reads a new listing and the record, and judges the listing by it. `held`: why deletions must stop, or null. */
  readonly judge: () => Promise<{ readonly retention: Observed<Retention>; readonly blockedBy: string | null }>;
  readonly storeOf: (path: StorePath) => Observed<CheckpointStore>;
};

/** Deletes the checkpoints of an approved list, one per step. */
export function createCheckpointDeletion(input: CheckpointCleanup): Executor {
  return {
    check: () => checkTarget(input),
    perform: async (step, permit, index) => {
      const { report, stop } = await deleteCheckpoint(input, step, permit);
      const code = stop !== null && index > 0 && stop.outcome !== 'unclear' ? 'deletion-stopped' : stop?.code;
      return {
        report: `${parseDeletionStep(step)[0]}: ${report}`,
        stop: stop === null || code === undefined ? null : { ...stop, code },
      };
    },
    // `remove` already verified each deletion.
    verify: async (_claimedAt, wasInterrupted) =>
      wasInterrupted ? verifyDeletion(input) : { outcome: 'done', code: 'deleted', detail: {} },
  };
}

/** Each checkpoint is unchanged or gone. Otherwise the approved list no longer matches the store. */
async function checkTarget({ deletion, roots, steps, judge }: CheckpointCleanup): Promise<TargetCheck> {
  if (JSON.stringify(roots) !== JSON.stringify(deletion.roots))
    return { kind: 'changed', code: 'steps-changed', why: `the checkpoints lie in ${roots.join(', ')} by now` };
  const { retention } = await judge();
  if (retention.kind === 'unknown') return { kind: 'unknown', why: retention.why };
  for (const step of steps) {
    const [path, identity] = parseDeletionStep(step);
    const seen = recheckCandidate(retention.value, path, identity);
    if (seen === 'changed' || seen === 'protected')
      return { kind: 'changed', code: 'list-changed', why: `${path}: ${seen}` };
  }
  return { kind: 'same' };
}

function parseDeletionStep({ command }: ChangeStep): readonly [StorePath, string] {
  const [, path, identity] = command;
  if (path === undefined || identity === undefined) throw new Error('a step that names no checkpoint');
  return [path, identity];
}

async function deleteCheckpoint(input: CheckpointCleanup, step: ChangeStep, permit: Permit): Promise<StepEnd> {
  const [path, identity] = parseDeletionStep(step);
  const { retention, blockedBy } = await input.judge();
  if (blockedBy !== null) return refuseStep(blockedBy, 'held');
  if (retention.kind === 'unknown') return refuseStep(retention.why, 'unreadable');
  const seen = recheckCandidate(retention.value, path, identity);
  if (seen === 'gone') {
    // Use up the step without a call, so that the next call is for the next checkpoint of the list.
    spendCapability(permit, step);
    return { report: 'it was gone already', stop: null };
  }
  if (seen !== 'same') return refuseStep(seen === 'changed' ? 'written anew' : 'protected by now', 'list-changed');
  const store = input.storeOf(path);
  if (store.kind === 'unknown') return refuseStep(store.why, 'unreadable');
  const outcome = await store.value.remove(path, step, permit);
  switch (outcome.kind) {
    case 'gone': {
      const { objects, bytes } = outcome.removed;
      return { report: `deleted and looked for: ${objects} objects, ${bytes} bytes`, stop: null };
    }
    case 'failed':
      return refuseStep(outcome.why, 'deletion-failed');
    case 'left':
      return { report: outcome.why, stop: { outcome: 'failed', code: 'deletion-left' } };
    case 'unknown':
      return { report: outcome.why, stop: { outcome: 'unclear', code: 'deletion-unclear' } };
    default:
      return assertNever(outcome);
  }
}

function refuseStep(report: string, code: string): StepEnd {
  return { report, stop: { outcome: 'refused', code } };
}

/** Checks what an earlier runner left of the list; makes no call that deletes. */
async function verifyDeletion({ steps, storeOf }: CheckpointCleanup): Promise<ChangeEnd> {
  const detail: Record<string, string> = {};
  let outcome: 'done' | 'failed' | 'unclear' = 'done';
  for (const [index, step] of steps.entries()) {
    const [path] = parseDeletionStep(step);
    const store = storeOf(path);
    const size = store.kind === 'unknown' ? store : await store.value.measure(path);
    if (size.kind === 'unknown') outcome = 'unclear';
    else if (size.value.objects > 0 && outcome === 'done') outcome = 'failed';
    const left =
      size.kind === 'unknown'
        ? size.why
        : size.value.objects === 0
          ? 'gone'
          : `${size.value.objects} objects are there`;
    detail[`step ${index + 1}`] = `${path}: ${left}`;
  }
  const codes = { done: 'deleted', failed: 'deletion-interrupted', unclear: 'deletion-unclear' } as const;
  return { outcome, code: codes[outcome], detail };
}
