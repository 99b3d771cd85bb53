/** Starts the cleanup job of the head node where it was not seen, and looks whether it is alive (policy AG-21). */

import type { ChangeEnd, Executor, TargetLook } from '../../actions/change-cluster.ts';
import type { Capability } from '../../domain/actions/capability.ts';
import { areSameSteps } from '../../domain/actions/step.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import { limits } from '../../domain/limits.ts';
import { after } from '../../domain/time.ts';
import type { DiskPlace, DiskPort } from '../disk-scan/disk-port.ts';
import { diskStepsOf } from '../disk-scan/disk-port.ts';
import type { Lab } from '../lab.ts';

export type CleanupStart = {
  readonly lab: Pick<Lab, 'now' | 'boundary'>;
  readonly place: DiskPlace;
  readonly port: () => Promise<DiskPort>;
  readonly mutation: MutationRecord;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What carries out one proposed start. */
export function cleanupStart(input: CleanupStart): Executor {
  return {
    look: () => targetLook(input),
    act: (capability) => act(input, capability),
    lookBack: () => verified(input, {}, 'interrupted'),
  };
}

/** A second cleanup job beside one that lives would delete machines twice as eagerly: it is started only where none is seen. */
async function targetLook({ place, mutation, port }: CleanupStart): Promise<TargetLook> {
  const step = diskStepsOf(place).startCleanup();
  if (!areSameSteps(mutation.proposal.steps, [step]))
    return { kind: 'changed', code: 'steps-changed', why: 'the config has another command by now' };
  const alive = await (await port()).cleanupAlive();
  if (alive === null) return { kind: 'unknown', why: 'the config does not say how to see it' };
  if (alive.kind === 'unknown') return alive;
  return alive.value
    ? { kind: 'changed', code: 'target-changed', why: 'it is alive by now' }
    : { kind: 'same' };
}

async function act(input: CleanupStart, capability: Capability): Promise<ChangeEnd> {
  const [step] = input.mutation.proposal.steps;
  if (step === undefined) throw new Error('a proposal without a step');
  input.lab.boundary(step.does, 'before');
  const result = await (await input.port()).change(step, { capability, now: input.lab.now() });
  input.lab.boundary(step.does, 'after');
  const said = result.ok
    ? 'done'
    : `${result.kind} ${result.exitCode ?? result.code ?? ''}: ${result.stderr.trim().split('\n').at(-1) ?? ''}`;
  if (result.kind === 'not-started')
    return { outcome: 'failed', code: 'call-failed', detail: { 'step 1': said } };
  return verified(input, { 'step 1': said }, 'not-seen');
}

/** Whatever the call said, the job is looked for. */
async function verified(
  input: CleanupStart,
  before: ChangeEnd['detail'],
  otherwise: string,
): Promise<ChangeEnd> {
  const until = after(input.lab.now(), limits.diskVerifyWaitMs);
  for (;;) {
    const alive = await (await input.port()).cleanupAlive();
    if (alive?.kind === 'known' && alive.value) return { outcome: 'done', code: 'alive', detail: before };
    if (input.lab.now() >= until)
      return alive?.kind === 'known'
        ? { outcome: 'failed', code: otherwise, detail: before }
        : { outcome: 'unclear', code: 'not-verified', detail: before };
    await input.sleep(limits.diskVerifyPeriodMs);
  }
}
