/** Selects the code that executes an approved cluster change. */

import pLimit from 'p-limit';
import type { Executor } from '../../actions/change-cluster.ts';
import { clearDisk } from '../../actions/clear-disk.ts';
import { deleteCheckpoints } from '../../actions/delete-checkpoints.ts';
import { replaceNode } from '../../actions/replace-node.ts';
import { startCron } from '../../actions/start-cron.ts';
import { cleanupOf, depthOf, rootsOf } from '../../checkpoints/cleanup.ts';
import { traitsOf } from '../../config/lane-of-file.ts';
import type { ActionRecord, CheckpointDeletion } from '../../domain/actions/action.ts';
import type { CheckpointStore, StorePath } from '../../domain/checkpoint/stored.ts';
import { holdsOver } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Observed, unknown } from '../../domain/values.ts';
import { configFor } from '../../run/lane.ts';
import { searchRoots } from '../control/attempt-facts.ts';
import { recordFactsOf } from '../control/gather.ts';
import { type DiskPlace, type DiskPort, type DisksOf, diskPlaceOf, diskStepsOf } from '../disk-scan/disk-port.ts';
import type { CloudOf } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';

const MS_PER_MINUTE = 60_000;

export type ExecutorTools = {
  readonly cloudOf: CloudOf;
  readonly disks: DisksOf;
  readonly storeOf: (path: StorePath) => Observed<CheckpointStore>;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** The executor for a proposal; null if the config does not describe how to reach its cluster. */
export function executorFor(open: OpenLab, action: ActionRecord, tools: ExecutorTools): Executor | null {
  const { proposal, evidence } = action;
  const { cluster, change: what, steps } = proposal;
  if (what.kind === 'delete-checkpoint') return checkpointsOf(open, action, what, tools.storeOf);
  const clock = { now: open.lab.now, sleep: tools.sleep };
  const machines = traitsOf(open.config, cluster)?.machines ?? null;
  if (what.kind === 'delete-tpu-vm') {
    const cloud = tools.cloudOf(open.config, cluster);
    if (cloud === null || machines === null || machines.gcp === null) return null;
    const { project } = machines.gcp;
    const replacementWaitMs = machines.badNodes.replacementWaitMinutes * MS_PER_MINUTE;
    return replaceNode({ ...clock, cloud, project, vm: what.vm, steps, evidence, replacementWaitMs });
  }
  const place = diskPlaceOf(open.config, cluster);
  if (place === null) return null;
  const port = portOnce(open, place, tools.disks);
  const { clean, initialise, startCleanup } = diskStepsOf(place);
  if (what.kind === 'start-cleanup-cron') return startCron({ ...clock, port, steps, stepNow: startCleanup() });
  const { vm } = what;
  return clearDisk({
    ...clock,
    policy: { mountPoint: place.mountPoint, thresholdPercent: place.disk.thresholdPercent },
    port,
    lookAt: async (workers) => {
      const { look } = await port();
      return pLimit(limits.sshParallelMax).map(workers, look);
    },
    vm,
    evidence,
    steps,
    stepsNow: (workers) => [...workers.map((worker) => clean({ tpu: vm.name, worker, vm })), initialise(vm.name)],
  });
}

/** Creates the checkout of the scripts once, when the first step needs it. */
function portOnce(open: OpenLab, place: DiskPlace, disks: DisksOf): () => Promise<DiskPort> {
  let port: Promise<DiskPort> | null = null;
  return () => {
    port ??= disks(open, place);
    return port;
  };
}

/** Reloads the record before each judgement, so that rejections, holds and runs that start from a checkpoint meanwhile count. */
function checkpointsOf(
  open: OpenLab,
  action: ActionRecord,
  deletion: CheckpointDeletion,
  storeOf: ExecutorTools['storeOf'],
): Executor | null {
  const { store, config } = open;
  const stateNow = (): RunState | undefined => store.current().runs.find(({ run }) => run === deletion.run);
  const state = stateNow();
  if (state === undefined) return null;
  const roots = rootsOf(state, configFor(config, state).lane);
  return deleteCheckpoints({
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
