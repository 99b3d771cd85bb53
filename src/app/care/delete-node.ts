/** Deletes one bad TPU VM, verifies that it is gone, and waits for its replacement (policy ML-02 and ML-30). */

import type { ChangeEnd, Executor, TargetLook } from '../../actions/change-cluster.ts';
import type { Capability } from '../../domain/actions/capability.ts';
import { areSameSteps } from '../../domain/actions/step.ts';
import type { VmIdentity } from '../../domain/care/mutation.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import { deleteStep, isSameVm, type TpuCloud, type TpuVm, type VmListing } from '../../domain/care/tpu-vm.ts';
import type { Instant } from '../../domain/ids.ts';
import { REPLACED } from '../../domain/launch/relaunch.ts';
import { limits } from '../../domain/limits.ts';
import { after, fromRfc3339 } from '../../domain/time.ts';
import type { Lab } from '../lab.ts';

/** From a deletion until the machine is out of the list; gcloud has waited for most of it. */
const CLOUD_GONE_WAIT_MS = 10 * 60 * 1_000;
/** Between two looks at the machines while one is waited for. */
const CLOUD_LOOK_PERIOD_MS = 30_000;

export type NodeDeletion = {
  readonly lab: Pick<Lab, 'now' | 'boundary'>;
  readonly cloud: TpuCloud;
  readonly project: string;
  readonly vm: VmIdentity;
  readonly mutation: MutationRecord;
  readonly replacementWaitMs: number;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What carries out one proposed deletion. */
export function nodeDeletion(input: NodeDeletion): Executor {
  return {
    look: async () => targetLook(input, await input.cloud.list()),
    act: (capability, begunAt) => act(input, capability, begunAt),
    lookBack: (begunAt) => follow(input, begunAt, { isAnswered: false, ifThere: 'interrupted' }),
  };
}

/** Name, zone, time of creation and address are those that were proposed, and the call is the one that was shown. */
function targetLook({ vm, project, mutation }: NodeDeletion, listing: VmListing): TargetLook {
  if (!areSameSteps(mutation.proposal.steps, [deleteStep(project, vm)]))
    return { kind: 'changed', code: 'steps-changed', why: 'the config names another project by now' };
  if (listing.kind === 'unknown') return { kind: 'unknown', why: listing.message };
  const there = listing.vms.find((one) => one.name === vm.name && one.zone === vm.zone);
  if (there !== undefined && isSameVm(there, vm)) return { kind: 'same' };
  const why = there === undefined ? 'no such machine' : `made ${there.createdAt}, state ${there.state}`;
  return { kind: 'changed', code: 'target-changed', why };
}

async function act(input: NodeDeletion, capability: Capability, begunAt: Instant): Promise<ChangeEnd> {
  const { lab, cloud, vm } = input;
  lab.boundary('delete-tpu-vm', 'before');
  const outcome = await cloud.deleteVm(vm, { capability, now: lab.now() });
  lab.boundary('delete-tpu-vm', 'after');
  if (outcome.kind === 'failed')
    return { outcome: 'failed', code: 'call-failed', detail: { why: outcome.message } };
  const ending = await follow(input, begunAt, {
    isAnswered: outcome.kind === 'deleted',
    ifThere: 'still-there',
  });
  return outcome.kind === 'unknown' && ending.outcome !== 'done'
    ? { ...ending, detail: { ...ending.detail, said: outcome.message } }
    : ending;
}

/** Looks until the machine is gone and another one is ready, each for a bounded time. */
async function follow(
  input: NodeDeletion,
  begunAt: Instant,
  how: { readonly isAnswered: boolean; readonly ifThere: string },
): Promise<ChangeEnd> {
  const gone = await lookUntil(input, CLOUD_GONE_WAIT_MS, (vms) =>
    isGone(vms, input.vm, how.isAnswered) ? true : null,
  );
  if (gone.kind === 'unreadable')
    return { outcome: 'unclear', code: 'not-verified', detail: { why: gone.why } };
  if (gone.kind === 'not-seen') return { outcome: 'failed', code: how.ifThere, detail: {} };
  const replaced = await lookUntil(input, input.replacementWaitMs, (vms) =>
    replacementIn(input, vms, begunAt),
  );
  if (replaced.kind !== 'seen') return { outcome: 'done', code: 'not-replaced', detail: {} };
  const { name, zone, createdAt } = replaced.value;
  return { outcome: 'done', code: REPLACED, detail: { replacement: name, zone, made: createdAt } };
}

/**
 * An empty list shows that a machine is gone only where the cloud has said so itself. One that is being deleted loses its
 * addresses first: it is there as long as name and time of creation are.
 */
function isGone(vms: readonly TpuVm[], vm: VmIdentity, isAnswered: boolean): boolean {
  const isThere = vms.some(
    ({ name, zone, createdAt }) => name === vm.name && zone === vm.zone && createdAt === vm.createdAt,
  );
  return (isAnswered || vms.length > 0) && !isThere;
}

/** A machine of the same cluster and kind that was made since, and is ready. */
function replacementIn({ mutation }: NodeDeletion, vms: readonly TpuVm[], begunAt: Instant): TpuVm | null {
  const { facts } = mutation.evidence;
  const found = vms.find(
    (one) =>
      one.state === 'READY' &&
      one.rayCluster === facts['rayCluster'] &&
      one.acceleratorType === facts['acceleratorType'] &&
      (fromRfc3339(one.createdAt) ?? 0) >= begunAt - limits.clockSlackMs,
  );
  return found ?? null;
}

type Seen<Value> =
  | { readonly kind: 'seen'; readonly value: Value }
  | { readonly kind: 'not-seen' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** `unreadable` only where the last look was: what was seen in between still counts. */
async function lookUntil<Value>(
  { lab, cloud, sleep }: NodeDeletion,
  waitMs: number,
  found: (vms: readonly TpuVm[]) => Value | null,
): Promise<Seen<Value>> {
  const until = after(lab.now(), waitMs);
  for (;;) {
    const listing = await cloud.list();
    const value = listing.kind === 'listed' ? found(listing.vms) : null;
    if (value !== null) return { kind: 'seen', value };
    if (lab.now() >= until)
      return listing.kind === 'unknown' ? { kind: 'unreadable', why: listing.message } : { kind: 'not-seen' };
    await sleep(Math.min(CLOUD_LOOK_PERIOD_MS, Math.max(1, until - lab.now())));
  }
}
