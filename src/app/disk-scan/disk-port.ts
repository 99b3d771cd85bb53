/** Gives disk maintenance access to a cluster's machines and workers, through gcloud and the lab's scripts. */

import { join } from 'node:path';
import pLimit from 'p-limit';
import type { DiskSteps } from '../../care/disk/disk-proposals.ts';
import { buildScanRecord, type Inspection } from '../../care/disk/scan-record.ts';
import { type LowWorker, readScanReport, type ScanEnd } from '../../care/disk/scan-report.ts';
import { readCheckResult, readDiskUsage, readFolderSizes, readMounts } from '../../care/disk/worker-answers.ts';
import {
  changeWithGcloud,
  changeWithScript,
  type GcloudOptions,
  listVms,
  runScriptCommand,
  scriptCommand,
} from '../../clouds/gcp/gcloud.ts';
import {
  buildCleanStep,
  cacheFolder,
  inspectWorker,
  REMOTE_OUTPUT_BYTES_MAX,
  SSH_TIMEOUT_MS,
  type WorkerAnswers,
} from '../../clouds/gcp/ssh.ts';
import { traitsFor } from '../../config/lane-of-file.ts';
import type { ChangeStep } from '../../domain/actions/action.ts';
import type { Permit } from '../../domain/actions/capability.ts';
import {
  type CleanupState,
  type DiskScan,
  findVm,
  isMountPoint,
  isTpuName,
  isZone,
  type MountPoint,
  type TpuWorker,
  type VmListing,
} from '../../domain/care/machines.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { addMs, brandAs, type Observed, unknown } from '../../domain/values.ts';
import type { ProgramResult } from '../../host/process.ts';
import { recordInJournal } from '../../logbook/append.ts';
import type { LabConfig } from '../../run/lane.ts';
import type { DiskConfig } from '../../settings/machines.ts';
import { guard, locateCluster, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import { launcherCheckout } from '../engines.ts';
import type { OpenLab } from '../open-lab.ts';

/** The argument arrays that clean and restart a worker. */
export function createDiskSteps({ disk, mountPoint, gcp }: DiskPlace): DiskSteps {
  const { clusterFile } = disk;
  return {
    cleanDisk: ({ tpu, worker, vm }) => {
      // The scan has already validated these names.
      const place = { tpu: brandAs(tpu, isTpuName), zone: brandAs(vm?.zone ?? '', isZone), worker };
      return buildCleanStep(gcp.project, place, mountPoint);
    },
    initialise: (tpu) => ({
      kind: 'init-worker',
      ...scriptCommand(disk.initWorker, { clusterFile, worker: brandAs(tpu, isTpuName) }, disk.pythonWithoutUv),
    }),
    startCleanup: () => ({
      kind: 'start-cleanup-cron',
      ...scriptCommand(disk.startCleanup, { clusterFile }, disk.pythonWithoutUv),
    }),
  };
}

/** Throws `GitError` if the checkout fails. */
export type DiskPortOpener = (open: OpenLab, place: DiskPlace) => Promise<DiskPort>;

/** The runner empties `temporaryDirectory` after each job. */
export function createDiskPortOpener(parts: {
  readonly gcloud: GcloudOptions;
  readonly defaultBranch: string;
  readonly temporaryDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): DiskPortOpener {
  return async ({ git }, place) => {
    const folder = join(parts.temporaryDirectory, 'ferrybot-scripts');
    const tree = await launcherCheckout(git, parts.defaultBranch, [], folder);
    return createDiskPort(place, { gcloud: parts.gcloud, tree, environment: parts.environment });
  };
}

/** Parses a worker's output; output that does not parse is unknown. */
export function readWorkerInspection({ disk, mounts, folders }: WorkerAnswers, mountPoint: MountPoint): Inspection {
  return {
    disk: parseKnown(disk, readDiskUsage),
    mounts: parseKnown(mounts, readMounts),
    folders: parseKnown(folders, (text) => readFolderSizes(text, cacheFolder(mountPoint))),
  };
}

function parseKnown<Value>(answer: Observed<string>, read: (text: string) => Observed<Value>): Observed<Value> {
  return answer.kind === 'known' ? read(answer.value) : unknown(answer.why);
}

/** Clearing 100 GB takes seconds to minutes; `init-worker` pulls an image of several GB. */
const DISK_CHANGE_TIMEOUT_MS = 30 * 60 * 1_000;
/** A scan connects to every worker over ssh, 32 in parallel. */
const DISK_SCAN_TIMEOUT_MS = 30 * 60 * 1_000;

export type DiskPlace = {
  readonly cluster: string;
  readonly disk: DiskConfig;
  readonly mountPoint: MountPoint;
  readonly gcp: { readonly project: string; readonly zones: readonly string[] };
};

export type DiskPort = {
  readonly scan: () => Promise<ScanEnd>;
  readonly list: () => Promise<VmListing>;
  readonly inspect: (worker: TpuWorker) => Promise<Inspection>;
  /** Whether the cleanup job on the head node is alive; null if the config has no command for it. */
  readonly cleanupAlive: () => Promise<Observed<boolean> | null>;
  /** Consumes the next step of the capability and runs exactly that step. Throws `CapabilityError` otherwise. */
  readonly change: (step: ChangeStep, permit: Permit) => Promise<ProgramResult>;
};

/** `tree`: a checkout of the default branch, which contains the scripts. */
type DiskPortOptions = {
  readonly gcloud: GcloudOptions;
  readonly tree: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** The disk maintenance settings of a cluster; null if it has none. */
export function findDiskPlace(config: LabConfig, cluster: string): DiskPlace | null {
  const { disk = null, gcp = null } = traitsFor(config, cluster)?.machines ?? {};
  if (disk === null || gcp === null) return null;
  return isMountPoint(disk.mountPoint) ? { cluster, disk, mountPoint: disk.mountPoint, gcp } : null;
}

/** Only `change` changes a machine. */
export function createDiskPort({ disk, mountPoint, gcp }: DiskPlace, means: DiskPortOptions): DiskPort {
  const { clusterFile, cleanupAlive, scan } = disk;
  return {
    scan: async () => {
      const values = { clusterFile, threshold: String(disk.warnPercent) };
      return toScanEnd(await runScript(means, disk, { template: scan, values }, DISK_SCAN_TIMEOUT_MS));
    },
    list: () => listVms(means.gcloud, gcp),
    inspect: async (worker) =>
      readWorkerInspection(await inspectWorker(means.gcloud, gcp.project, worker, mountPoint), mountPoint),
    cleanupAlive: async () => {
      if (cleanupAlive === null) return null;
      const { command: template, expect } = cleanupAlive;
      const end = await runScript(means, disk, { template, values: { clusterFile } }, SSH_TIMEOUT_MS);
      return readCheckResult(toScanEnd(end), expect);
    },
    change: (step, permit) =>
      step.kind === 'clean-disk'
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
  means: DiskPortOptions,
  disk: DiskConfig,
  { template, values }: FilledTemplate,
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

type FilledTemplate = { readonly template: readonly string[]; readonly values: Readonly<Record<string, string>> };

/** Contains only what gcloud needs and the variables that the config names, so no GitHub token. */
function scriptEnvironment(
  { gcloud, environment }: DiskPortOptions,
  { passVariables }: DiskConfig,
): Readonly<Record<string, string>> {
  const passed = passVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...gcloud.env, ...Object.fromEntries(passed) };
}

function toScanEnd({ kind, exitCode, code, stdout, stderr }: ProgramResult): ScanEnd {
  const how = kind === 'exited' ? '' : `\n${kind} ${code ?? ''}`.trimEnd();
  return { exitCode, stdout, stderr: `${stderr}${how}` };
}

/** Maximum workers that one scan inspects; one logbook entry has to contain them. */
const INSPECTED_WORKERS_MAX = 400;
/** No new inspection starts after this time (480 inspections at 15 s each), so that the job ends within 60 minutes. */
const DISK_INSPECTION_TIME_MS = 15 * 60 * 1_000;

/** The disks of one cluster. `redact` removes secrets from program output. */
type ClusterDisks = { readonly place: DiskPlace; readonly port: DiskPort; readonly redact: (text: string) => string };

/**
 * Scans the workers and records the result, without changing any worker (policy AG-16, AG-17). Throws `GitError` if the record is refused.
 */
async function scanDisks(open: OpenLab, disks: ClusterDisks, troubles: Trouble[]): Promise<DiskScan> {
  const { place, port, redact } = disks;
  const { thresholdPercent, warnPercent } = place.disk;
  const end = await port.scan();
  const clean = { ...end, stdout: redact(end.stdout), stderr: redact(end.stderr) };
  const report = readScanReport(clean, warnPercent);
  const low = report.kind === 'read' ? report.low : [];
  const listing: VmListing = low.length === 0 ? { kind: 'listed', vms: [] } : await port.list();
  if (listing.kind === 'unknown') open.lab.log(`TPU VMs: ${redact(listing.message)}`);
  const looks = await inspectWorkers(open, disks, selectFullestWorkers(listing, low), troubles);
  const cleanup = cleanupState(await port.cleanupAlive());
  const policy = { mountPoint: place.mountPoint, thresholdPercent, warnPercent };
  const scan = buildScanRecord({ cluster: place.cluster, report, listing, inspections: looks, cleanup, policy });
  const drafts = [{ type: 'disk-scanned', role: 'watch', data: scan }] as const;
  const recorded = await recordInJournal(open, () => drafts);
  if (recorded.kind === 'refused') throw new GitError('failed', recorded.message);
  return scan;
}

type ListedWorker = { readonly worker: LowWorker; readonly at: TpuWorker };

/** The workers with a listed machine, fullest first. Leaves out those above the maximum. */
function selectFullestWorkers(listing: VmListing, low: readonly LowWorker[]): readonly ListedWorker[] {
  return low
    .toSorted((a, b) => a.percentFree - b.percentFree)
    .flatMap((worker) => {
      const at = findListedWorker(listing, worker);
      return at === null ? [] : [{ worker, at }];
    })
    .slice(0, INSPECTED_WORKERS_MAX);
}

/** Inspects the workers in this order, several in parallel. Workers beyond the time limit stay unknown. */
async function inspectWorkers(
  { lab }: OpenLab,
  { place, port, redact }: ClusterDisks,
  workers: readonly ListedWorker[],
  troubles: Trouble[],
): Promise<ReadonlyMap<LowWorker, Inspection>> {
  const looks = new Map<LowWorker, Inspection>();
  const until = addMs(lab.now(), DISK_INSPECTION_TIME_MS);
  await pLimit(limits.sshParallelMax).map(workers, async ({ worker, at }) => {
    if (lab.now() >= until) return;
    const look = await guard({ lab }, troubles, locateCluster(place.cluster), () => port.inspect(at));
    looks.set(worker, look === null ? uninspected() : redactInspection(look, redact));
  });
  return looks;
}

/** The result for a worker after an internal error during its inspection. */
function uninspected(): Inspection {
  const nothing = unknown('ferrybot met an error of its own');
  return { disk: nothing, mounts: nothing, folders: nothing };
}

function findListedWorker(listing: VmListing, { tpu, worker }: LowWorker): TpuWorker | null {
  const vm = findVm(listing, tpu);
  return vm !== null && isZone(vm.zone) ? { tpu, zone: vm.zone, worker } : null;
}

function redactInspection({ disk, mounts, folders }: Inspection, redact: (text: string) => string): Inspection {
  const redactKnown = <Value>(answer: Observed<Value>): Observed<Value> =>
    answer.kind === 'unknown' ? { ...answer, why: redact(answer.why) } : answer;
  return { disk: redactKnown(disk), mounts: redactKnown(mounts), folders: redactKnown(folders) };
}

function cleanupState(alive: Observed<boolean> | null): CleanupState {
  if (alive === null) return 'not-asked';
  if (alive.kind === 'unknown') return 'unknown';
  return alive.value ? 'alive' : 'not-seen';
}

type ScanModeInput = {
  readonly cluster: string;
  readonly disks: DiskPortOpener;
  readonly redact: (text: string) => string;
};

/** `result` is a code. If not `ok`, the state of the workers is unknown. */
type ScanModeResult = { readonly ok: boolean; readonly result: string; readonly detail: string };

/** Scans each cluster: names separated by blanks or commas, or `all`. Contains the errors of one cluster. Throws `GitError`. */
export async function runScanMode(open: OpenLab, input: ScanModeInput): Promise<ScanModeResult> {
  const clusters = selectClusters(open, input.cluster);
  const troubles: Trouble[] = [];
  const results: (ScanModeResult & { readonly cluster: string })[] = [];
  for (const cluster of clusters) {
    const result = await guard(open, troubles, locateCluster(cluster), () =>
      scanOne(open, { ...input, cluster }, troubles),
    );
    if (result !== null) results.push({ ...result, cluster });
  }
  // The clusters' issues list the unknown workers, so errors only have to fail the job.
  throwFirstTrouble(troubles);
  const [first, second] = results;
  if (first === undefined) return noDiskCareResult(input.cluster);
  if (second === undefined) return first;
  const main = results.find(({ ok }) => !ok) ?? first;
  const detail = results.map((one) => `${one.cluster}: ${one.result}\n${one.detail}`).join('\n');
  return { ok: main.ok, result: main.result, detail };
}

function selectClusters({ config }: OpenLab, named: string): readonly string[] {
  const names = named.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 1 && names[0] === 'all' && !Object.hasOwn(config.clusters, 'all')
    ? // rule AG-31
      Object.keys(config.clusters).filter((cluster) => findDiskPlace(config, cluster) !== null)
    : names;
}

function noDiskCareResult(cluster: string): ScanModeResult {
  return {
    ok: false,
    result: 'no-disk-care',
    detail: `the config has no disk care for a cluster ${JSON.stringify(cluster)}: give clusters.<name>.disk and gcp`,
  };
}

async function scanOne(open: OpenLab, input: ScanModeInput, troubles: Trouble[]): Promise<ScanModeResult> {
  const place = findDiskPlace(open.config, input.cluster);
  if (place === null) return noDiskCareResult(input.cluster);
  const port = await input.disks(open, place);
  const scan = await scanDisks(open, { place, port, redact: input.redact }, troubles);
  const { reading, why } = scan;
  if (reading === 'unreadable') return { ok: false, result: 'scan-unreadable', detail: why };
  return { ok: true, result: 'scanned', detail: describeScan(scan) };
}

function describeScan({ workers, reading, why, cleanup, warnPercent }: DiskScan): string {
  const lines = workers.map(
    ({ tpu, worker, percentFree, level, finding }) =>
      `${level}: ${tpu} worker ${worker}: ${percentFree}% free: ${finding}`,
  );
  return [
    ...lines,
    ...(lines.length === 0 && reading === 'whole' ? [`every worker has more than ${warnPercent}% free`] : []),
    ...(reading === 'partial' ? [`some workers could not be read: ${why}`] : []),
    `cleanup job of the head: ${cleanup}`,
  ].join('\n');
}
