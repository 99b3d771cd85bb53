/** Deletes one bad TPU VM, verifies that it is gone, and waits for its replacement (policy ML-02 and ML-30). */

import type { ActionEvidence, ChangeStep, VmIdentity } from '../domain/actions/action.ts';
import { deleteStep, isSameVm, type TpuCloud, type TpuVm, type VmListing } from '../domain/care/machines.ts';
import { REPLACED_CODE } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { fromRfc3339, type Instant } from '../domain/values.ts';
import { type Clock, type Executor, findStepChange, pollUntil, type TargetCheck } from './change-cluster.ts';

/** From the deletion until the machine is out of the list; gcloud has already waited for most of this time. */
const CLOUD_GONE_WAIT_MS = 10 * 60 * 1_000;
/** Between two polls of the machine list. */
const CLOUD_LOOK_PERIOD_MS = 30_000;

export type NodeReplacement = Clock & {
  readonly cloud: TpuCloud;
  readonly project: string;
  readonly vm: VmIdentity;
  readonly steps: readonly ChangeStep[];
  readonly evidence: ActionEvidence;
  readonly replacementWaitMs: number;
};

/** Deletes a bad node and waits for its replacement. */
export function replaceNode(input: NodeReplacement): Executor {
  const { cloud, project, vm, steps } = input;
  // An empty list proves that the machine is gone only after the cloud confirmed the deletion.
  let isAnswered = false;
  return {
    check: async () => findStepChange(steps, [deleteStep(project, vm)]) ?? checkMachine(await cloud.list(), vm),
    perform: async (_step, permit) => {
      const outcome = await cloud.deleteVm(vm, permit);
      isAnswered = outcome.kind === 'deleted';
      return outcome.kind === 'failed'
        ? { report: outcome.message, stop: { outcome: 'failed', code: 'call-failed' } }
        : { report: outcome.kind === 'unknown' ? outcome.message : 'done', stop: null };
    },
    verify: async (claimedAt, wasInterrupted) => {
      const gone = await pollListing(input, CLOUD_GONE_WAIT_MS, (vms) => isVmGone(vms, vm, isAnswered));
      if (gone.kind === 'unknown') return { outcome: 'unclear', code: 'not-verified', detail: { why: gone.message } };
      if (!isVmGone(gone.vms, vm, isAnswered))
        return { outcome: 'failed', code: wasInterrupted ? 'interrupted' : 'still-there', detail: {} };
      const isReplacement = (one: TpuVm): boolean => isReplacementVm(input, one, claimedAt);
      const last = await pollListing(input, input.replacementWaitMs, (vms) => vms.some(isReplacement));
      const found = last.kind === 'listed' ? last.vms.find(isReplacement) : undefined;
      if (found === undefined) return { outcome: 'done', code: 'not-replaced', detail: {} };
      const { name, zone, createdAt } = found;
      return { outcome: 'done', code: REPLACED_CODE, detail: { replacement: name, zone, made: createdAt } };
    },
  };
}

/** Whether name, zone, creation time and address match the proposal. */
export function checkMachine(listing: VmListing, vm: VmIdentity): TargetCheck {
  if (listing.kind === 'unknown') return { kind: 'unknown', why: listing.message };
  const there = listing.vms.find((one) => one.name === vm.name && one.zone === vm.zone);
  if (there !== undefined && isSameVm(there, vm)) return { kind: 'same' };
  const why = there === undefined ? 'no such machine' : `made ${there.createdAt}, state ${there.state}`;
  return { kind: 'changed', code: 'target-changed', why };
}

/** A machine that is being deleted loses its addresses first. It exists as long as its name and creation time are listed. */
function isVmGone(vms: readonly TpuVm[], vm: VmIdentity, isAnswered: boolean): boolean {
  const isThere = vms.some(
    ({ name, zone, createdAt }) => name === vm.name && zone === vm.zone && createdAt === vm.createdAt,
  );
  return (isAnswered || vms.length > 0) && !isThere;
}

/** Whether this machine is ready, of the same cluster and accelerator type, and created since the claim. */
function isReplacementVm({ evidence: { facts } }: NodeReplacement, one: TpuVm, claimedAt: Instant): boolean {
  return (
    one.state === 'READY' &&
    one.rayCluster === facts['rayCluster'] &&
    one.acceleratorType === facts['acceleratorType'] &&
    (fromRfc3339(one.createdAt) ?? 0) >= claimedAt - limits.clockSlackMs
  );
}

function pollListing(
  { cloud, ...clock }: NodeReplacement,
  waitMs: number,
  isFound: (vms: readonly TpuVm[]) => boolean,
): Promise<VmListing> {
  const period = { waitMs, periodMs: CLOUD_LOOK_PERIOD_MS };
  return pollUntil(clock, period, cloud.list, (seen) => seen.kind === 'listed' && isFound(seen.vms));
}
