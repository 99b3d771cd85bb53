/** One scan of a cluster's worker disks: the lab's own dry run, a look at each worker that is short, and the record of it. */

import pLimit from 'p-limit';
import { type Looks, scanRecord } from '../../care/disk/scan-record.ts';
import { type LowWorker, readScanReport } from '../../care/disk/scan-report.ts';
import type { CleanupState, DiskScan } from '../../domain/care/disk-scan.ts';
import { type VmListing, vmNamed } from '../../domain/care/tpu-vm.ts';
import { isZone, type TpuWorker } from '../../domain/care/worker-disk.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { type Observed, unknown } from '../../domain/observed.ts';
import { after } from '../../domain/time.ts';
import { transactJournal } from '../../logbook/transact.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import type { DiskPlace, DiskPort } from './disk-port.ts';

/** Workers that one scan asks; what each has is recorded in one entry of the logbook, below its bound. */
const INSPECTED_WORKERS_MAX = 400;
/**
 * Looks at workers begin within this time, at three calls of some five seconds each 480 of them: with the scan before
 * and the last look behind it, the job ends within its own 60 minutes.
 */
const DISK_LOOKS_TIME_MS = 15 * 60 * 1_000;

/**
 * Scans and records (policy AG-16 and AG-17; nothing is changed on any worker). `redact`
 * takes secrets out of what programs printed. Throws `GitError` where git does not take the record.
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

/**
 * Looks at the shortest first, a few at one time, and begins no look after `DISK_LOOKS_TIME_MS`: who is not asked is
 * told as that. A worker that no listed machine has is not asked.
 */
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

/** Of a worker at which an error of our own was met: nothing is known of it, which is not *fine*. */
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
