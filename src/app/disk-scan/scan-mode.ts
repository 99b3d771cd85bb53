/** `mode: disk-scan`: scans and records the workers of the named clusters; control notifies people. */

import pLimit from 'p-limit';
import { type Looks, scanRecord } from '../../care/disk/scan-record.ts';
import { type LowWorker, readScanReport } from '../../care/disk/scan-report.ts';
import { type VmListing, vmNamed } from '../../domain/care/tpu-vm.ts';
import { type CleanupState, type DiskScan, isZone, type TpuWorker } from '../../domain/care/worker-disk.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { after, type Observed, unknown } from '../../domain/values.ts';
import { transactJournal } from '../../logbook/append.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble, throwIfAny } from '../trouble.ts';
import { type DiskPlace, type DiskPort, type DisksOf, diskPlaceOf } from './disk-port.ts';

/** Workers that one scan inspects; one logbook entry has to hold them. */
const INSPECTED_WORKERS_MAX = 400;
/** No new inspection starts after this time (480 inspections at 15 s each), so that the job ends within 60 minutes. */
const DISK_LOOKS_TIME_MS = 15 * 60 * 1_000;

/**
 * Scans and records without changing any worker (policy AG-16, AG-17). `redact` removes secrets from program output. Throws `GitError` if
 * the record is refused.
 */
export async function scanDisks(
  open: OpenLab,
  place: DiskPlace,
  port: DiskPort,
  redact: (text: string) => string,
  troubles: Trouble[],
): Promise<DiskScan> {
  const { thresholdPercent, warnPercent } = place.disk;
  const end = await port.scan();
  const clean = { ...end, stdout: redact(end.stdout), stderr: redact(end.stderr) };
  const report = readScanReport(clean, warnPercent);
  const low = report.kind === 'read' ? report.low : [];
  const listing: VmListing = low.length === 0 ? { kind: 'listed', vms: [] } : await port.list();
  if (listing.kind === 'unknown') open.lab.log(`TPU VMs: ${redact(listing.message)}`);
  const looks = await lookAtEach(port, listing, low, place.cluster, { lab: open.lab, redact, troubles });
  const cleanup = cleanupState(await port.cleanupAlive());
  const policy = { mountPoint: place.mountPoint, thresholdPercent, warnPercent };
  const scan = scanRecord({ cluster: place.cluster, report, listing, looks, cleanup, policy });
  const drafts = [{ type: 'disk-scanned', role: 'watch', data: scan }] as const;
  const recorded = await transactJournal(open, () => drafts);
  if (recorded.kind === 'refused') throw new GitError('failed', recorded.message);
  return scan;
}

/** Inspects the fullest workers first, a few in parallel. Workers without a listed machine, or beyond the time limit, stay unknown. */
async function lookAtEach(
  port: DiskPort,
  listing: VmListing,
  low: readonly LowWorker[],
  cluster: string,
  { lab, redact, troubles }: Looking,
): Promise<ReadonlyMap<LowWorker, Looks>> {
  const looks = new Map<LowWorker, Looks>();
  const until = after(lab.now(), DISK_LOOKS_TIME_MS);
  const waiting = low
    .toSorted((a, b) => a.percentFree - b.percentFree)
    .flatMap((worker) => {
      const place = placed(listing, worker);
      return place === null ? [] : [{ worker, place }];
    })
    .slice(0, INSPECTED_WORKERS_MAX);
  await pLimit(limits.sshParallelMax).map(waiting, async ({ worker, place }) => {
    if (lab.now() >= until) return;
    const look = await contained({ lab }, troubles, inCluster(cluster), () => port.look(place));
    looks.set(worker, look === null ? unreadLooks() : redacted(look, redact));
  });
  return looks;
}

type Looking = {
  readonly lab: Pick<OpenLab['lab'], 'now' | 'log'>;
  readonly redact: (text: string) => string;
  readonly troubles: Trouble[];
};

/** An internal error leaves a worker unknown. */
function unreadLooks(): Looks {
  const nothing = unknown('ferrybot met an error of its own');
  return { disk: nothing, mounts: nothing, folders: nothing };
}

function placed(listing: VmListing, { tpu, worker }: LowWorker): TpuWorker | null {
  const vm = vmNamed(listing, tpu);
  return vm !== null && isZone(vm.zone) ? { tpu, zone: vm.zone, worker } : null;
}

function redacted({ disk, mounts, folders }: Looks, redact: (text: string) => string): Looks {
  const clean = <Value>(answer: Observed<Value>): Observed<Value> =>
    answer.kind === 'unknown' ? { ...answer, why: redact(answer.why) } : answer;
  return { disk: clean(disk), mounts: clean(mounts), folders: clean(folders) };
}

function cleanupState(alive: Observed<boolean> | null): CleanupState {
  if (alive === null) return 'not-asked';
  if (alive.kind === 'unknown') return 'unknown';
  return alive.value ? 'alive' : 'not-seen';
}

type ScanModeInput = {
  readonly cluster: string;
  readonly disks: DisksOf;
  readonly redact: (text: string) => string;
};

/** `result` is a code. Not `ok`: the workers' state is unknown. */
type ScanModeResult = { readonly ok: boolean; readonly result: string; readonly detail: string };

/** Scans each cluster; `cluster` holds names separated by blanks or commas, or `all`. Errors of one cluster are contained. Throws `GitError`. */
export async function scanMode(open: OpenLab, input: ScanModeInput): Promise<ScanModeResult> {
  const clusters = clustersIn(open, input.cluster);
  const troubles: Trouble[] = [];
  const results: (ScanModeResult & { readonly cluster: string })[] = [];
  for (const cluster of clusters) {
    const result = await contained(open, troubles, inCluster(cluster), () =>
      scanOne(open, { ...input, cluster }, troubles),
    );
    if (result !== null) results.push({ ...result, cluster });
  }
  // The clusters' issues list the unknown workers.
  throwIfAny(troubles);
  const [first, second] = results;
  if (first === undefined) return noDiskCare(input.cluster);
  if (second === undefined) return first;
  const main = results.find(({ ok }) => !ok) ?? first;
  const detail = results.map((one) => `${one.cluster}: ${one.result}\n${one.detail}`).join('\n');
  return { ok: main.ok, result: main.result, detail };
}

function clustersIn({ config }: OpenLab, named: string): readonly string[] {
  const names = named.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 1 && names[0] === 'all' && !Object.hasOwn(config.clusters, 'all')
    ? // rule AG-31
      Object.keys(config.clusters).filter((cluster) => diskPlaceOf(config, cluster) !== null)
    : names;
}

function noDiskCare(cluster: string): ScanModeResult {
  return {
    ok: false,
    result: 'no-disk-care',
    detail: `the config has no disk care for a cluster ${JSON.stringify(cluster)}: give clusters.<name>.disk and gcp`,
  };
}

async function scanOne(open: OpenLab, input: ScanModeInput, troubles: Trouble[]): Promise<ScanModeResult> {
  const place = diskPlaceOf(open.config, input.cluster);
  if (place === null) return noDiskCare(input.cluster);
  const port = await input.disks(open, place);
  const scan = await scanDisks(open, place, port, input.redact, troubles);
  const { reading, why } = scan;
  if (reading === 'unreadable') return { ok: false, result: 'scan-unreadable', detail: why };
  return { ok: true, result: 'scanned', detail: told(scan) };
}

function told({ workers, reading, why, cleanup, warnPercent }: DiskScan): string {
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
