/** Clears data under a missing mount on the workers of one TPU VM, then initialises the VM again (policy AG-18 and AG-19). */

import { workersInEvidence } from '../care/disk/disk-proposals.ts';
import { type Inspection, judgeWorkerHealth, type WorkerHealth } from '../care/disk/scan-record.ts';
import { readCleanAnswer } from '../care/disk/worker-answers.ts';
import type { ActionEvidence, ChangeStep, VmIdentity } from '../domain/actions/action.ts';
import type { Permit } from '../domain/actions/capability.ts';
import { isTpuName, isZone, type MountPoint, type TpuWorker, type VmListing } from '../domain/care/machines.ts';
import { limits } from '../domain/limits.ts';
import type { Observed } from '../domain/values.ts';
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
  /** Whether Ray lists the worker; null if the config has no command for that. */
  readonly workerSeen: (tpu: string) => Promise<Observed<boolean> | null>;
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
  const unread = health.find((one) => one.kind === 'unknown');
  if (unread?.kind === 'unknown') return { kind: 'unknown', why: unread.why };
  if (health.some((one) => one.kind === 'misplaced')) return machine;
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

/** Polls for a bounded time until every worker has free space and its mount, and Ray lists the machine. */
async function verifyDisk(input: DiskClearing, codeIfShort: string): Promise<ChangeEnd> {
  const { vm, evidence } = input;
  const workers = workersInEvidence(evidence);
  const period = { waitMs: limits.diskVerifyWaitMs, periodMs: limits.diskVerifyPeriodMs };
  const observeDisk = async () => ({
    health: await healthNow(input),
    ray: describeRayMembership(await (await input.port()).workerSeen(vm.name)),
  });
  const isFine = ({ health, ray }: Awaited<ReturnType<typeof observeDisk>>): boolean =>
    health.every(({ kind }) => kind === 'fine') && (ray === 'not asked' || ray === 'has it');
  const seen = await pollUntil(input, period, observeDisk, isFine);
  const { health, ray } = seen;
  const rows = health.map((one, index) => [`after worker ${workers[index] ?? index}`, describeHealth(one)]);
  const detail = { ...Object.fromEntries(rows), ray };
  if (isFine(seen)) return { outcome: 'done', code: 'cleaned', detail };
  return ray === 'unknown' || health.some(({ kind }) => kind === 'unknown')
    ? { outcome: 'unclear', code: 'not-verified', detail }
    : { outcome: 'failed', code: codeIfShort, detail };
}

function describeRayMembership(seen: Observed<boolean> | null): 'not asked' | 'unknown' | 'has it' | 'has it not' {
  if (seen === null) return 'not asked';
  if (seen.kind === 'unknown') return 'unknown';
  return seen.value ? 'has it' : 'has it not';
}

async function healthNow({ vm, evidence, policy, scan }: DiskClearing): Promise<readonly WorkerHealth[]> {
  const { name: tpu, zone } = vm;
  if (!isTpuName(tpu) || !isZone(zone)) return [{ kind: 'unknown', why: 'the VM has an invalid name' }];
  const workers = workersInEvidence(evidence).map((worker) => ({ tpu, zone, worker }));
  return (await scan(workers)).map((looks) => judgeWorkerHealth(looks, policy));
}

function describeHealth(one: WorkerHealth): string {
  if (one.kind === 'unknown') return `unknown: ${one.why}`;
  const mount = one.isMounted ? 'mounted' : 'not mounted';
  return `${one.percentFree}% free, ${mount}, ${one.misplacedBytes} bytes beside`;
}
