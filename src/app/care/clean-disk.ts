/** Clears what lies beside a missing mount on the workers of one TPU VM, initialises it again, and looks whether that helped (policy AG-18 and AG-19). */

import pLimit from 'p-limit';
import type { ChangeEnd, Executor, TargetLook } from '../../actions/change-cluster.ts';
import { readCleanAnswer } from '../../care/disk/clean-answer.ts';
import { evidenceWorkers } from '../../care/disk/disk-proposals.ts';
import { healthOf, type WorkerHealth } from '../../care/disk/worker-health.ts';
import type { Capability } from '../../domain/actions/capability.ts';
import { areSameSteps } from '../../domain/actions/step.ts';
import type { MutationStep, VmIdentity } from '../../domain/care/mutation.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import { isSameVm } from '../../domain/care/tpu-vm.ts';
import { isTpuName, isZone } from '../../domain/care/worker-disk.ts';
import type { Instant } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { after } from '../../domain/time.ts';
import type { DiskPlace, DiskPort } from '../disk-scan/disk-port.ts';
import { diskStepsOf } from '../disk-scan/disk-port.ts';
import type { Lab } from '../lab.ts';

export type DiskCleaning = {
  readonly lab: Pick<Lab, 'now' | 'boundary'>;
  readonly place: DiskPlace;
  readonly port: () => Promise<DiskPort>;
  readonly vm: VmIdentity;
  readonly mutation: MutationRecord;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What carries out one proposed clean-up. */
export function diskCleaning(input: DiskCleaning): Executor {
  return {
    look: () => targetLook(input),
    act: (capability, begunAt) => act(input, capability, begunAt),
    lookBack: async () => verified(input, {}, 'interrupted'),
  };
}

/** The calls are those that were shown, the machine is the one that was seen, and something lies there still. */
async function targetLook(input: DiskCleaning): Promise<TargetLook> {
  const { vm, mutation, place } = input;
  if (!areSameSteps(mutation.proposal.steps, stepsNow(input)))
    return { kind: 'changed', code: 'steps-changed', why: 'the config has other steps by now' };
  const port = await input.port();
  const listing = await port.list();
  if (listing.kind === 'unknown') return { kind: 'unknown', why: listing.message };
  const there = listing.vms.find((one) => one.name === vm.name && one.zone === vm.zone);
  if (there === undefined || !isSameVm(there, vm)) {
    const why = there === undefined ? 'no such machine' : `made ${there.createdAt}, state ${there.state}`;
    return { kind: 'changed', code: 'target-changed', why };
  }
  const health = await healthNow(input);
  const unread = health.find((one) => one.kind === 'unknown');
  if (unread?.kind === 'unknown') return { kind: 'unknown', why: unread.why };
  return health.some((one) => one.kind === 'misplaced')
    ? { kind: 'same' }
    : {
        kind: 'changed',
        code: 'target-changed',
        why: `no worker has data beside a missing mount on ${place.mountPoint} any more`,
      };
}

function stepsNow({ place, mutation, vm }: DiskCleaning): readonly MutationStep[] {
  const steps = diskStepsOf(place);
  const workers = evidenceWorkers(mutation.evidence);
  return [...workers.map((worker) => steps.clean({ tpu: vm.name, worker, vm })), steps.initialise(vm.name)];
}

/** Step by step; the first that did not do what it should stops the rest, and the end names it. */
async function act(input: DiskCleaning, capability: Capability, begunAt: Instant): Promise<ChangeEnd> {
  let detail: ChangeEnd['detail'] = told('before', input, await healthNow(input));
  const port = await input.port();
  const until = begunAt + limits.actionLifetimeMs;
  for (const [index, step] of input.mutation.proposal.steps.entries()) {
    // The first steps on a slice of many hosts may take the whole hour.
    if (input.lab.now() >= until)
      return {
        outcome: index > 0 ? 'failed' : 'refused',
        code: 'out-of-time',
        detail: { ...detail, [`step ${index + 1}`]: 'not begun: the hour since the claim was over' },
      };
    input.lab.boundary(step.does, 'before');
    const done =
      step.does === 'clean-disk'
        ? await clean(input, port, capability, step)
        : await initialise(input, port, capability, step);
    input.lab.boundary(step.does, 'after');
    detail = { ...detail, [`step ${index + 1}`]: done.said };
    if (done.stop !== null) {
      const outcome = done.stop.outcome === 'refused' && index > 0 ? 'failed' : done.stop.outcome;
      return { outcome, code: done.stop.code, detail };
    }
  }
  return verified(input, detail, 'not-helped');
}

type Done = {
  readonly said: string;
  readonly stop: { readonly outcome: ChangeEnd['outcome']; readonly code: string } | null;
};

async function clean(
  { lab }: DiskCleaning,
  port: DiskPort,
  capability: Capability,
  step: MutationStep,
): Promise<Done> {
  const result = await port.change(step, { capability, now: lab.now() });
  if (result.kind === 'not-started')
    return { said: result.code ?? '', stop: { outcome: 'refused', code: 'call-failed' } };
  const answer = readCleanAnswer(result.stdout, result.exitCode ?? -1);
  if (answer.kind === 'unknown')
    return { said: answer.why, stop: { outcome: 'unclear', code: 'clean-unclear' } };
  const { outcome, code, freedBytes, leftFiles } = answer.value;
  const said = `${outcome}: ${code}, freed ${freedBytes} bytes${leftFiles === 0 ? '' : `, ${leftFiles} left`}`;
  if (outcome === 'deleted' || outcome === 'nothing') return { said, stop: null };
  return { said, stop: { outcome: outcome === 'refused' ? 'refused' : 'failed', code: `clean-${code}` } };
}

async function initialise(
  { lab }: DiskCleaning,
  port: DiskPort,
  capability: Capability,
  step: MutationStep,
): Promise<Done> {
  const result = await port.change(step, { capability, now: lab.now() });
  if (result.ok) return { said: 'done', stop: null };
  const said = `${result.kind} ${result.exitCode ?? result.code ?? ''}: ${result.stderr.trim().split('\n').at(-1) ?? ''}`;
  const isOver = result.kind === 'exited' || result.kind === 'not-started';
  return { said, stop: { outcome: isOver ? 'failed' : 'unclear', code: 'init-failed' } };
}

/** Looks until every worker has room and its mount, and Ray has the machine, for a bounded time. */
async function verified(
  input: DiskCleaning,
  before: ChangeEnd['detail'],
  otherwise: string,
): Promise<ChangeEnd> {
  const until = after(input.lab.now(), limits.diskVerifyWaitMs);
  for (;;) {
    const health = await healthNow(input);
    const seen = await (await input.port()).workerSeen(input.vm.name);
    const ray =
      seen === null
        ? 'not asked'
        : seen.kind === 'unknown'
          ? 'unknown'
          : seen.value
            ? 'has it'
            : 'has it not';
    const detail = { ...before, ...told('after', input, health), ray };
    const isFine = health.every((one) => one.kind === 'fine') && (seen === null || ray === 'has it');
    if (isFine) return { outcome: 'done', code: 'cleaned', detail };
    if (input.lab.now() >= until) {
      const isUnknown = health.some((one) => one.kind === 'unknown') || ray === 'unknown';
      return {
        outcome: isUnknown ? 'unclear' : 'failed',
        code: isUnknown ? 'not-verified' : otherwise,
        detail,
      };
    }
    await input.sleep(limits.diskVerifyPeriodMs);
  }
}

async function healthNow(input: DiskCleaning): Promise<readonly WorkerHealth[]> {
  const { place, mutation, vm } = input;
  const { name: tpu, zone } = vm;
  if (!isTpuName(tpu) || !isZone(zone)) return [{ kind: 'unknown', why: 'a name that is none' }];
  const port = await input.port();
  const policy = { mountPoint: place.mountPoint, thresholdPercent: place.disk.thresholdPercent };
  return pLimit(limits.sshParallelMax).map(evidenceWorkers(mutation.evidence), async (worker) =>
    healthOf(await port.look({ tpu, zone, worker }), policy),
  );
}

/** `before worker 0: 4.0% free, not mounted, 62.0 GB beside`. */
function told(
  when: 'before' | 'after',
  { mutation }: DiskCleaning,
  health: readonly WorkerHealth[],
): ChangeEnd['detail'] {
  const workers = evidenceWorkers(mutation.evidence);
  return Object.fromEntries(
    health.map((one, index) => [`${when} worker ${workers[index] ?? index}`, words(one)]),
  );
}

function words(one: WorkerHealth): string {
  if (one.kind === 'unknown') return `unknown: ${one.why}`;
  const mount = one.isMounted ? 'mounted' : 'not mounted';
  return `${one.percentFree}% free, ${mount}, ${one.misplacedBytes} bytes beside`;
}
