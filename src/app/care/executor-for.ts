/** Selects the code that executes an approved cluster change. */

import pLimit from 'p-limit';
import type { Executor } from '../../actions/change-cluster.ts';
import { createDiskClearing } from '../../actions/clear-disk.ts';
import { createCheckpointDeletion } from '../../actions/delete-checkpoints.ts';
import { replaceNode } from '../../actions/replace-node.ts';
import { createCronStart } from '../../actions/start-cron.ts';
import { decideCleanup, rootsOfRun, stepsToKeep } from '../../checkpoints/cleanup.ts';
import { traitsFor } from '../../config/lane-of-file.ts';
import type { ActionRecord, CheckpointDeletion } from '../../domain/actions/action.ts';
import type { CheckpointStore, StorePath } from '../../domain/checkpoint/stored.ts';
import { listHoldsOnRun } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Observed, unknown } from '../../domain/values.ts';
import { configForRun } from '../../run/lane.ts';
import { searchRoots } from '../control/attempt-facts.ts';
import { factsFromRecord } from '../control/gather.ts';
import {
  createDiskSteps,
  type DiskPlace,
  type DiskPort,
  type DiskPortOpener,
  findDiskPlace,
} from '../disk-scan/disk-port.ts';
import type { CloudLookup } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';

const MS_PER_MINUTE = 60_000;

export type ExecutorTools = {
  readonly cloudOf: CloudLookup;
  readonly disks: DiskPortOpener;
  readonly storeOf: (path: StorePath) => Observed<CheckpointStore>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** The executor for a proposal; null if the config does not describe how to reach its cluster. */
export function createExecutor(open: OpenLab, action: ActionRecord, tools: ExecutorTools): Executor | null {
  const { proposal, evidence } = action;
  const { cluster, change: what, steps } = proposal;
  if (what.kind === 'delete-checkpoint') return createCheckpointExecutor(open, action, what, tools.storeOf);
  const clock = { now: open.lab.now, sleep: tools.sleep };
  const machines = traitsFor(open.config, cluster)?.machines ?? null;
  if (what.kind === 'delete-tpu-vm') {
    const cloud = tools.cloudOf(open.config, cluster);
    if (cloud === null || machines === null || machines.gcp === null) return null;
    const { project } = machines.gcp;
    const replacementWaitMs = machines.badNodes.replacementWaitMinutes * MS_PER_MINUTE;
    return replaceNode({ ...clock, cloud, project, vm: what.vm, steps, evidence, replacementWaitMs });
  }
  const place = findDiskPlace(open.config, cluster);
  if (place === null) return null;
  const port = openPortOnce(open, place, tools.disks);
  const { cleanDisk, initialise, startCleanup } = createDiskSteps(place);
  if (what.kind === 'start-cleanup-cron') return createCronStart({ ...clock, port, steps, stepNow: startCleanup() });
  const { vm } = what;
  return createDiskClearing({
    ...clock,
    policy: { mountPoint: place.mountPoint, thresholdPercent: place.disk.thresholdPercent },
    port,
    scan: async (workers) => {
      const { inspect } = await port();
      return pLimit(limits.sshParallelMax).map(workers, inspect);
    },
    vm,
    evidence,
    steps,
    stepsNow: (workers) => [...workers.map((worker) => cleanDisk({ tpu: vm.name, worker, vm })), initialise(vm.name)],
  });
}

/** Creates the checkout of the scripts once, when the first step needs it. */
function openPortOnce(open: OpenLab, place: DiskPlace, disks: DiskPortOpener): () => Promise<DiskPort> {
  let port: Promise<DiskPort> | null = null;
  return () => {
    port ??= disks(open, place);
    return port;
  };
}

/** Reloads the record before each judgement, so that rejections, holds and runs that start from a checkpoint meanwhile count. */
function createCheckpointExecutor(
  open: OpenLab,
  action: ActionRecord,
  deletion: CheckpointDeletion,
  storeOf: ExecutorTools['storeOf'],
): Executor | null {
  const { store, config } = open;
  const stateNow = (): RunState | undefined => store.current().runs.find(({ run }) => run === deletion.run);
  const state = stateNow();
  if (state === undefined) return null;
  const roots = rootsOfRun(state, configForRun(config, state).lane);
  return createCheckpointDeletion({
    deletion,
    steps: action.proposal.steps,
    roots,
    storeOf,
    judge: async () => {
      const searched = await searchRoots(roots, storeOf);
      // Load after the listing, so that the record contains everything that protects a listed checkpoint.
      await store.load();
      const { runs, broken } = store.current();
      const now = stateNow();
      if (now === undefined || broken.length > 0)
        return { retention: unknown('the record could not be read'), blockedBy: null };
      const { journalHolds } = factsFromRecord(store.current());
      const holds = listHoldsOnRun(now, journalHolds);
      const [hold] = holds.kind === 'known' ? holds.value : [];
      const keep = stepsToKeep(now, deletion.keep) ?? deletion.keep;
      return {
        retention: decideCleanup(now, runs, searched, keep),
        blockedBy: hold === undefined ? null : `${hold.scope}: ${hold.reason}`,
      };
    },
  });
}
