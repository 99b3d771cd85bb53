/** What carries out which change of a cluster. */

import type { ChangeEnd, Executor, TargetLook } from '../../actions/change-cluster.ts';
import { cleanupOf, depthOf, rootsOf } from '../../checkpoints/cleanup.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import type { Capability } from '../../domain/actions/capability.ts';
import { areSameSteps } from '../../domain/actions/step.ts';
import { assertNever } from '../../domain/assert.ts';
import type { CheckpointDeletion } from '../../domain/care/mutation.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import type { CheckpointStore, StorePath } from '../../domain/checkpoint/stored.ts';
import { holdsOver } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Observed, unknown } from '../../domain/observed.ts';
import { after } from '../../domain/time.ts';
import { configFor } from '../../run/run-config.ts';
import { searchRoots } from '../control/checkpoint-facts.ts';
import { recordFactsOf } from '../control/gather.ts';
import {
  type DiskPlace,
  type DiskPort,
  type DisksOf,
  diskPlaceOf,
  diskStepsOf,
} from '../disk-scan/disk-port.ts';
import type { CloudOf, Lab } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { diskCleaning } from './clean-disk.ts';
import { checkpointCleanup } from './delete-checkpoints.ts';
import { nodeDeletion } from './delete-node.ts';

const MS_PER_MINUTE = 60_000;

export type ExecutorTools = {
  readonly cloudOf: CloudOf;
  readonly disks: DisksOf;
  readonly storeOf: (path: StorePath) => Observed<CheckpointStore>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What carries out a proposal; null where the config does not say how its cluster is reached. */
export function executorFor(open: OpenLab, mutation: MutationRecord, tools: ExecutorTools): Executor | null {
  const { cluster, mutation: what } = mutation.proposal;
  if (what.kind === 'delete-checkpoint') return checkpointsOf(open, mutation, what, tools.storeOf);
  const machines = traitsOf(open.config, cluster)?.machines ?? null;
  if (machines === null) return null;
  switch (what.kind) {
    case 'delete-tpu-vm': {
      const cloud = tools.cloudOf(open.config, cluster);
      if (cloud === null || machines.gcp === null) return null;
      return nodeDeletion({
        lab: open.lab,
        cloud,
        project: machines.gcp.project,
        vm: what.vm,
        mutation,
        replacementWaitMs: machines.badNodes.replacementWaitMinutes * MS_PER_MINUTE,
        sleep: tools.sleep,
      });
    }
    case 'clean-disk': {
      const disk = diskToolsOf(open, cluster, tools);
      return disk === null ? null : diskCleaning({ ...disk, lab: open.lab, vm: what.vm, mutation });
    }
    case 'start-cleanup-cron': {
      const disk = diskToolsOf(open, cluster, tools);
      return disk === null ? null : cleanupStart({ ...disk, lab: open.lab, mutation });
    }
    default:
      return assertNever(what);
  }
}

/** The record is read anew for each look: what people reject, hold or begin from meanwhile counts. */
function checkpointsOf(
  open: OpenLab,
  mutation: MutationRecord,
  deletion: CheckpointDeletion,
  storeOf: ExecutorTools['storeOf'],
): Executor | null {
  const { lab, store, config } = open;
  const stateNow = (): RunState | undefined => store.current().runs.find(({ run }) => run === deletion.run);
  const state = stateNow();
  if (state === undefined) return null;
  const roots = rootsOf(state, configFor(config, state).lane);
  return checkpointCleanup({
    lab,
    mutation,
    deletion,
    roots,
    storeOf,
    judge: async () => {
      const searched = await searchRoots(roots, storeOf);
      // After the listing: what protects one of them since then is in the record.
      await store.load();
      const { runs, broken } = store.current();
      const now = stateNow();
      if (now === undefined || broken.length > 0)
        return { retention: unknown('the record could not be read'), held: null };
      const { journalHolds } = recordFactsOf(store.current());
      const holds = holdsOver(now, journalHolds);
      const [hold] = holds.kind === 'known' ? holds.value : [];
      const keep = depthOf(now, deletion.keep) ?? deletion.keep;
      return {
        retention: cleanupOf(now, runs, searched, keep),
        held: hold === undefined ? null : `${hold.scope}: ${hold.reason}`,
      };
    },
  });
}

type DiskTools = {
  readonly place: DiskPlace;
  readonly port: () => Promise<DiskPort>;
  readonly sleep: ExecutorTools['sleep'];
};

/** The checkout of the scripts is made when the first of them is needed, and once. */
function diskToolsOf(open: OpenLab, cluster: string, { disks, sleep }: ExecutorTools): DiskTools | null {
  const place = diskPlaceOf(open.config, cluster);
  if (place === null) return null;
  let port: Promise<DiskPort> | null = null;
  return {
    place,
    port: () => {
      port ??= disks(open, place);
      return port;
    },
    sleep,
  };
}

// Starts the cleanup job of the head node where it was not seen, and looks whether it is alive (policy AG-21).

type CleanupStart = {
  readonly lab: Pick<Lab, 'now' | 'boundary'>;
  readonly place: DiskPlace;
  readonly port: () => Promise<DiskPort>;
  readonly mutation: MutationRecord;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** What carries out one proposed start. */
function cleanupStart(input: CleanupStart): Executor {
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
