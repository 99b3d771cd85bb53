/** What disk care asks of a cluster: its machines, its workers, and the lab's own scripts in a checkout of the default branch. */

import { type LookEnd, readLook } from '../../care/disk/cleanup-check.ts';
import type { Looks } from '../../care/disk/scan-record.ts';
import type { ScanEnd } from '../../care/disk/scan-report.ts';
import { changeWithScript } from '../../clouds/gcp/change-with-script.ts';
import { changeWithGcloud, type GcloudOptions } from '../../clouds/gcp/gcloud.ts';
import { listVms } from '../../clouds/gcp/list-vms.ts';
import { runScriptCommand, scriptCommand } from '../../clouds/gcp/script-command.ts';
import { inspectWorker, REMOTE_OUTPUT_BYTES_MAX, SSH_TIMEOUT_MS } from '../../clouds/gcp/ssh.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import type { Permit } from '../../domain/actions/capability.ts';
import type { MutationStep } from '../../domain/care/mutation.ts';
import type { VmListing } from '../../domain/care/tpu-vm.ts';
import { isMountPoint, type MountPoint, type TpuWorker } from '../../domain/care/worker-disk.ts';
import type { Observed } from '../../domain/observed.ts';
import type { ProgramResult } from '../../host/process.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import type { DiskConfig } from '../../settings/disk-schema.ts';
import { readLooks } from './read-looks.ts';

/** Clearing 100 GB of large files takes seconds, of small ones minutes; `init-worker` pulls an image of some GB. */
const DISK_CHANGE_TIMEOUT_MS = 30 * 60 * 1_000;
/** A scan asks every worker of a cluster over ssh, 32 at one time. */
const DISK_SCAN_TIMEOUT_MS = 30 * 60 * 1_000;

/** A cluster whose disks are looked after, by its config. */
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
  /** Whether the cleanup job of the head node is alive; null: the config does not say how to see that. */
  readonly cleanupAlive: () => Promise<Observed<boolean> | null>;
  /** Whether Ray has the worker; null: the config does not say how to see that. */
  readonly workerSeen: (tpu: string) => Promise<Observed<boolean> | null>;
  /** Spends the next step of the capability and makes that very call; throws `CapabilityError` where it is not for that. */
  readonly change: (step: MutationStep, permit: Permit) => Promise<ProgramResult>;
};

/** How the programs are run. `tree`: a checkout of the default branch, where the scripts are started. */
export type DiskMeans = {
  readonly gcloud: GcloudOptions;
  readonly tree: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** The place of a cluster; null where its config has no disk care. */
export function diskPlaceOf(config: LabConfig, cluster: string): DiskPlace | null {
  const { disk = null, gcp = null } = traitsOf(config, cluster)?.machines ?? {};
  if (disk === null || gcp === null) return null;
  return isMountPoint(disk.mountPoint) ? { cluster, disk, mountPoint: disk.mountPoint, gcp } : null;
}

/** Disk care of one cluster through the lab's scripts and gcloud; `change` alone changes anything. */
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

/** Runs a script of the lab in the checkout. */
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

/** No token of GitHub's, and of our environment what gcloud needs and the config names. */
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
