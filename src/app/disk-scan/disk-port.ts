/** Access to a cluster's machines and workers for disk maintenance, through gcloud and the lab's scripts. */

import { join } from 'node:path';
import type { DiskSteps } from '../../care/disk/disk-proposals.ts';
import type { Looks } from '../../care/disk/scan-record.ts';
import type { ScanEnd } from '../../care/disk/scan-report.ts';
import {
  type LookEnd,
  readDiskUsage,
  readFolderSizes,
  readLook,
  readMounts,
} from '../../care/disk/worker-answers.ts';
import {
  changeWithGcloud,
  changeWithScript,
  type GcloudOptions,
  listVms,
  runScriptCommand,
  scriptCommand,
} from '../../clouds/gcp/gcloud.ts';
import {
  cleanStep,
  folderOf,
  inspectWorker,
  REMOTE_OUTPUT_BYTES_MAX,
  SSH_TIMEOUT_MS,
  type WorkerAnswers,
} from '../../clouds/gcp/ssh.ts';
import { traitsOf } from '../../config/clusters.ts';
import type { ChangeStep } from '../../domain/actions/action.ts';
import type { Permit } from '../../domain/actions/capability.ts';
import type { VmListing } from '../../domain/care/tpu-vm.ts';
import {
  isMountPoint,
  isTpuName,
  isZone,
  type MountPoint,
  type TpuWorker,
} from '../../domain/care/worker-disk.ts';
import { branded, type Observed, unknown } from '../../domain/values.ts';
import type { ProgramResult } from '../../host/process.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import type { DiskConfig } from '../../settings/machines.ts';
import { launcherCheckout } from '../engines.ts';
import type { OpenLab } from '../open-lab.ts';

/** The argument arrays that clean a worker and restart it. */
export function diskStepsOf({ disk, mountPoint, gcp }: DiskPlace): DiskSteps {
  const { clusterFile } = disk;
  return {
    clean: ({ tpu, worker, vm }) => {
      // The scan has checked these names.
      const place = { tpu: branded(tpu, isTpuName), zone: branded(vm?.zone ?? '', isZone), worker };
      return cleanStep(gcp.project, place, mountPoint);
    },
    initialise: (tpu) => ({
      does: 'init-worker',
      ...scriptCommand(
        disk.initWorker,
        { clusterFile, worker: branded(tpu, isTpuName) },
        disk.pythonWithoutUv,
      ),
    }),
    startCleanup: () => ({
      does: 'start-cleanup-cron',
      ...scriptCommand(disk.startCleanup, { clusterFile }, disk.pythonWithoutUv),
    }),
  };
}

/** Throws `GitError` if the checkout fails. */
export type DisksOf = (open: OpenLab, place: DiskPlace) => Promise<DiskPort>;

/** The runner empties `temporaryDirectory` after each job. */
export function disksWith(parts: {
  readonly gcloud: GcloudOptions;
  readonly defaultBranch: string;
  readonly temporaryDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): DisksOf {
  return async ({ git }, place) => {
    const folder = join(parts.temporaryDirectory, 'ferrybot-scripts');
    const tree = await launcherCheckout(git, parts.defaultBranch, [], folder);
    return createDiskPort(place, { gcloud: parts.gcloud, tree, environment: parts.environment });
  };
}

/** Parses what a worker printed; unknown for output that does not parse. */
export function readLooks({ disk, mounts, folders }: WorkerAnswers, mountPoint: MountPoint): Looks {
  return {
    disk: parsed(disk, readDiskUsage),
    mounts: parsed(mounts, readMounts),
    folders: parsed(folders, (text) => readFolderSizes(text, folderOf(mountPoint))),
  };
}

function parsed<Value>(answer: Observed<string>, read: (text: string) => Observed<Value>): Observed<Value> {
  return answer.kind === 'known' ? read(answer.value) : unknown(answer.why);
}

/** Clearing 100 GB takes seconds to minutes; `init-worker` pulls an image of some GB. */
const DISK_CHANGE_TIMEOUT_MS = 30 * 60 * 1_000;
/** A scan asks every worker over ssh, 32 in parallel. */
const DISK_SCAN_TIMEOUT_MS = 30 * 60 * 1_000;

/** A cluster with disk maintenance. */
export type DiskPlace = {
  readonly cluster: string;
  readonly disk: DiskConfig;
  readonly mountPoint: MountPoint;
  readonly gcp: { readonly project: string; readonly zones: readonly string[] };
};

export type DiskPort = {
  readonly scan: () => Promise<ScanEnd>;
  readonly list: () => Promise<VmListing>;
  readonly look: (worker: TpuWorker) => Promise<Looks>;
  /** Whether the head node's cleanup job is alive; null if the config has no command for it. */
  readonly cleanupAlive: () => Promise<Observed<boolean> | null>;
  /** Whether Ray has the worker; null if the config has no command for it. */
  readonly workerSeen: (tpu: string) => Promise<Observed<boolean> | null>;
  /** Spends the next step of the capability and runs exactly that step; throws `CapabilityError` otherwise. */
  readonly change: (step: ChangeStep, permit: Permit) => Promise<ProgramResult>;
};

/** `tree`: a checkout of the default branch with the scripts. */
type DiskMeans = {
  readonly gcloud: GcloudOptions;
  readonly tree: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Null if the cluster has no disk maintenance. */
export function diskPlaceOf(config: LabConfig, cluster: string): DiskPlace | null {
  const { disk = null, gcp = null } = traitsOf(config, cluster)?.machines ?? {};
  if (disk === null || gcp === null) return null;
  return isMountPoint(disk.mountPoint) ? { cluster, disk, mountPoint: disk.mountPoint, gcp } : null;
}

/** Only `change` changes anything. */
export function createDiskPort({ disk, mountPoint, gcp }: DiskPlace, means: DiskMeans): DiskPort {
  const look = async (
    check: DiskConfig['cleanupAlive'],
    more: Readonly<Record<string, string>>,
  ): Promise<Observed<boolean> | null> => {
    if (check === null) return null;
    const values = { clusterFile: disk.clusterFile, ...more };
    return readLook(
      endOf(await runScript(means, disk, { template: check.command, values }, SSH_TIMEOUT_MS)),
      check.expect,
    );
  };
  return {
    scan: async () => {
      const values = { clusterFile: disk.clusterFile, threshold: String(disk.warnPercent) };
      return endOf(await runScript(means, disk, { template: disk.scan, values }, DISK_SCAN_TIMEOUT_MS));
    },
    list: () => listVms(means.gcloud, gcp),
    look: async (worker) =>
      readLooks(await inspectWorker(means.gcloud, gcp.project, worker, mountPoint), mountPoint),
    cleanupAlive: () => look(disk.cleanupAlive, {}),
    workerSeen: (worker) => look(disk.workerSeen, { worker }),
    change: (step, permit) =>
      step.does === 'clean-disk'
        ? changeWithGcloud(means.gcloud, step, permit, DISK_CHANGE_TIMEOUT_MS)
        : changeWithScript(means.gcloud.run, step, permit, {
            env: scriptEnvironment(means, disk),
            cwd: means.tree,
            timeoutMs: DISK_CHANGE_TIMEOUT_MS,
            outputBytesMax: REMOTE_OUTPUT_BYTES_MAX,
          }),
  };
}

function runScript(
  means: DiskMeans,
  disk: DiskConfig,
  { template, values }: Filled,
  timeoutMs: number,
): Promise<ProgramResult> {
  const options = {
    env: scriptEnvironment(means, disk),
    cwd: means.tree,
    timeoutMs,
    outputBytesMax: REMOTE_OUTPUT_BYTES_MAX,
  };
  return runScriptCommand(scriptCommand(template, values, disk.pythonWithoutUv), (file, args) =>
    means.gcloud.run(file, args, options),
  );
}

type Filled = {
  readonly template: readonly string[];
  readonly values: Readonly<Record<string, string>>;
};

/** Only what gcloud needs and the config names; no GitHub token. */
function scriptEnvironment(
  { gcloud, environment }: DiskMeans,
  { passVariables }: DiskConfig,
): Readonly<Record<string, string>> {
  const passed = passVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...gcloud.env, ...Object.fromEntries(passed) };
}

function endOf({ kind, exitCode, code, stdout, stderr }: ProgramResult): ScanEnd & LookEnd {
  const how = kind === 'exited' ? '' : `\n${kind} ${code ?? ''}`.trimEnd();
  return { exitCode, stdout, stderr: `${stderr}${how}` };
}
