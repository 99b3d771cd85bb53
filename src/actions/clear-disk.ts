/** Clears data under a missing mount on the workers of one TPU VM, then initialises the VM again (policy AG-18 and AG-19). */

import { workersInEvidence } from '../care/disk/disk-proposals.ts';
import {
  formatPercent,
  type Inspection,
  type JudgedWorker,
  judgeWorker,
  unreadWorker,
} from '../care/disk/scan-record.ts';
import { readCleanAnswer } from '../care/disk/worker-answers.ts';
import type { ActionEvidence, ChangeStep, VmIdentity } from '../domain/actions/action.ts';
import type { Permit } from '../domain/actions/capability.ts';
import { isTpuName, isZone, type MountPoint, type TpuWorker, type VmListing } from '../domain/care/machines.ts';
import { limits } from '../domain/limits.ts';
import type { ProgramEnd } from '../run/proposing.ts';
import {
  type ChangeEnd,
  type Clock,
  type Executor,
  findStepChange,
  pollUntil,
  type StepEnd,
  type TargetCheck,
} from './change-cluster.ts';
import { checkMachine } from './replace-node.ts';

/** Access to the workers of a cluster. */
export type WorkerPort = {
  readonly list: () => Promise<VmListing>;
  /** Uses up the next step of the capability and runs exactly that step. */
  readonly change: (step: ChangeStep, permit: Permit) => Promise<ProgramEnd>;
};

export type DiskClearing = Clock & {
  readonly policy: { readonly mountPoint: MountPoint; readonly thresholdPercent: number };
  readonly port: () => Promise<WorkerPort>;
  /** Scans the workers in parallel, and returns one answer for each. */
  readonly scan: (workers: readonly TpuWorker[]) => Promise<readonly Inspection[]>;
  readonly vm: VmIdentity;
  readonly evidence: ActionEvidence;
  readonly steps: readonly ChangeStep[];
  /** The steps that the current config gives for these workers. */
  readonly stepsNow: (workers: readonly number[]) => readonly ChangeStep[];
};

/** Clears the disks of one proposal. */
export function createDiskClearing(input: DiskClearing): Executor {
  return {
    check: () => checkTarget(input),
    perform: async (step, permit) => {
      const end = await (await input.port()).change(step, permit);
      return step.kind === 'clean-disk' ? judgeCleanResult(end) : scriptEnd(end, 'init-failed');
    },
    verify: (_claimedAt, wasInterrupted) => verifyDisk(input, wasInterrupted ? 'interrupted' : 'not-helped'),
  };
}

/** The steps and the machine are those of the proposal, and there is still data to clear. */
async function checkTarget(input: DiskClearing): Promise<TargetCheck> {
  const { vm, steps, policy, evidence } = input;
  const changed = findStepChange(steps, input.stepsNow(workersInEvidence(evidence)));
  if (changed !== null) return changed;
  const machine = checkMachine(await (await input.port()).list(), vm);
  if (machine.kind !== 'same') return machine;
  const health = await healthNow(input);
  const unread = health.find(({ finding }) => finding === 'unread');
  if (unread !== undefined) return { kind: 'unknown', why: String(unread.detail['why'] ?? '') };
  if (health.some(({ finding }) => finding === 'mount-missing')) return machine;
  const why = `no worker has data beside a missing mount on ${policy.mountPoint} any more`;
  return { kind: 'changed', code: 'target-changed', why };
}

function judgeCleanResult({ kind, code, stdout, exitCode }: ProgramEnd): StepEnd {
  if (kind === 'not-started') return { report: code ?? '', stop: { outcome: 'refused', code: 'call-failed' } };
  const answer = readCleanAnswer(stdout, exitCode ?? -1);
  if (answer.kind === 'unknown') return { report: answer.why, stop: { outcome: 'unclear', code: 'clean-unclear' } };
  const { outcome, code: reason, freedBytes, leftFiles } = answer.value;
  const said = `${outcome}: ${reason}, freed ${freedBytes} bytes${leftFiles === 0 ? '' : `, ${leftFiles} left`}`;
  if (outcome === 'deleted' || outcome === 'nothing') return { report: said, stop: null };
  return { report: said, stop: { outcome: outcome === 'refused' ? 'refused' : 'failed', code: `clean-${reason}` } };
}

/** The result of one of the lab's scripts. */
export function scriptEnd({ ok, kind, exitCode, code, stderr }: ProgramEnd, failure: string): StepEnd {
  if (ok) return { report: 'done', stop: null };
  const said = `${kind} ${exitCode ?? code ?? ''}: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  const isOver = kind === 'exited' || kind === 'not-started';
  return { report: said, stop: { outcome: isOver ? 'failed' : 'unclear', code: failure } };
}

/** Polls for a bounded time until every worker has free space and its mount. */
async function verifyDisk(input: DiskClearing, codeIfShort: string): Promise<ChangeEnd> {
  const workers = workersInEvidence(input.evidence);
  const period = { waitMs: limits.diskVerifyWaitMs, periodMs: limits.diskVerifyPeriodMs };
  const isFine = (health: readonly JudgedWorker[]): boolean =>
    health.every(
      ({ finding, percentFree }) => finding === 'mount-there' && percentFree > input.policy.thresholdPercent,
    );
  const health = await pollUntil(input, period, () => healthNow(input), isFine);
  const rows = health.map((one, index) => [`after worker ${workers[index] ?? index}`, describeHealth(one)]);
  const detail = Object.fromEntries(rows);
  if (isFine(health)) return { outcome: 'done', code: 'cleaned', detail };
  return health.some(({ finding }) => finding === 'unread')
    ? { outcome: 'unclear', code: 'not-verified', detail }
    : { outcome: 'failed', code: codeIfShort, detail };
}

async function healthNow({ vm, evidence, policy, scan }: DiskClearing): Promise<readonly JudgedWorker[]> {
  const { name: tpu, zone } = vm;
  if (!isTpuName(tpu) || !isZone(zone)) return [unreadWorker(0, 'disk', 'the VM has an invalid name')];
  const workers = workersInEvidence(evidence).map((worker) => ({ tpu, zone, worker }));
  return (await scan(workers)).map((looks) => judgeWorker(looks, 0, policy.mountPoint));
}

function describeHealth({ finding, percentFree, detail }: JudgedWorker): string {
  if (finding === 'unread') return `unknown: ${detail['why'] ?? ''}`;
  return `${formatPercent(percentFree)}% free, ${finding}, ${detail['misplacedBytes'] ?? 0} bytes beside`;
}
