/** `ferrybot disk-scan DIR`: judges the recorded outputs of a scan of worker disks. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Looks, type ScanFacts, scanRecord } from '../../../care/disk/scan-record.ts';
import { type LowWorker, readScanReport } from '../../../care/disk/scan-report.ts';
import { readListing } from '../../../clouds/gcp/list-vms.ts';
import type { DiskScan } from '../../../domain/care/disk-scan.ts';
import { isMountPoint } from '../../../domain/care/worker-disk.ts';
import { known, type Observed, unknown } from '../../../domain/observed.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { codeOf } from '../../../host/publish-once.ts';
import { redact } from '../../../host/redactor.ts';
import { FINDING_WORDS } from '../../../render/disk-issue.ts';
import { diskSchema } from '../../../settings/disk-schema.ts';
import { readLooks } from '../../disk-scan/disk-port.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

type Recorded = Pick<ScanFacts, 'report' | 'listing' | 'looks'>;

/** Reads the folder; the error is for people. `redact` removes secrets from program output. */
async function readRecordedScan(
  folder: string,
  policy: ScanFacts['policy'],
  redact: (text: string) => string,
): Promise<Result<Recorded, string>> {
  const read = async (...path: readonly string[]): Promise<Observed<string>> => {
    const text = await textAt(join(folder, ...path));
    return text === null ? unknown(`${path.at(-1)} was not recorded`) : known(redact(text));
  };
  const scan = await read('scan.txt');
  if (scan.kind === 'unknown') return fail(`${folder}: ${scan.why}`);
  const exit = await read('scan.exit');
  const exitCode = exit.kind === 'unknown' ? 0 : exitCodeIn(exit.value);
  const report = readScanReport({ stdout: scan.value, stderr: '', exitCode }, policy.warnPercent);
  const machines = await read('tpus.json');
  const listing =
    machines.kind === 'known'
      ? readListing(machines.value)
      : ({ kind: 'unknown', message: machines.why } as const);
  const looks = new Map<LowWorker, Looks>();
  for (const worker of report.kind === 'read' ? report.low : []) {
    const place = ['workers', worker.tpu, String(worker.worker)];
    const [disk, mounts, folders] = [
      await read(...place, 'df.txt'),
      await read(...place, 'mounts.txt'),
      await read(...place, 'du.txt'),
    ];
    if ([disk, mounts, folders].every(({ kind }) => kind === 'unknown')) continue;
    looks.set(worker, readLooks({ disk, mounts, folders }, policy.mountPoint));
  }
  return ok({ report, listing, looks });
}

/** Anything but a number means that the program did not finish. */
function exitCodeIn(text: string): number | null {
  return /^\d{1,3}$/.test(text.trim()) ? Number(text) : null;
}

async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Exit 0: the scan is complete and every worker is above the warning; 1 otherwise. The folder holds scan.txt (output of the dry run) and
 * optionally scan.exit (exit code, default 0), tpus.json (`gcloud compute tpus tpu-vm list --format=json`) and
 * workers/TPU/INDEX/{df,mounts,du}.txt.
 */
export async function diskScanVerb(
  io: VerbIo,
  folder: string,
  options: Options & { readonly cluster: string },
): Promise<number> {
  const policy = policyOf(options);
  if (!policy.ok) return misused(io, policy.error);
  const recorded = await readRecordedScan(resolve(io.cwd, folder), policy.value, (text) => redact(text, []));
  if (!recorded.ok) return misused(io, recorded.error);
  const scan = scanRecord({
    cluster: options.cluster,
    cleanup: 'not-asked',
    policy: policy.value,
    ...recorded.value,
  });
  const isFine = scan.reading === 'whole' && scan.workers.length === 0;
  const proposed = proposals(scan);
  answer(io, { ok: isFine, scan, proposed }, `${told(scan, proposed).join('\n')}\n`);
  return isFine ? EXIT.yes : EXIT.no;
}

type Proposed = { readonly tpu: string; readonly workers: readonly number[]; readonly steps: string };

/** Proposes cleanup only for listed machines with data next to a missing mount. */
function proposals({ workers }: DiskScan): readonly Proposed[] {
  const unmounted = workers.filter(({ finding, vm }) => finding === 'mount-missing' && vm !== null);
  return [...Map.groupBy(unmounted, ({ tpu }) => tpu)].map(([tpu, hosts]) => ({
    tpu,
    workers: hosts.map(({ worker }) => worker),
    steps: 'clean-disk, init-worker',
  }));
}

function told(scan: DiskScan, proposed: readonly Proposed[]): readonly string[] {
  const { reading, why, workers, warnPercent } = scan;
  const isWhole = reading === 'whole';
  return [
    ...(isWhole ? [] : [`${reading}: ${why}`]),
    ...workers.map(
      (worker) =>
        `${worker.level}: ${worker.tpu} worker ${worker.worker}: ${worker.percentFree}% free: ${FINDING_WORDS[worker.finding](worker, scan)}`,
    ),
    ...(isWhole && workers.length === 0 ? [`every worker has more than ${warnPercent}% free`] : []),
    ...proposed.map(
      ({ tpu, workers: hosts, steps }) =>
        `would be proposed: ${steps} of ${tpu} (worker ${hosts.join(', ')}); a person approves it with /approve and its digest`,
    ),
  ];
}

type Policy = Parameters<typeof scanRecord>[0]['policy'];
type Options = { readonly mountPoint: string; readonly threshold: string; readonly warn: string };

/** Applies the config's rules. */
function policyOf({ mountPoint: given, threshold, warn }: Options): Result<Policy, string> {
  const read = diskSchema.safeParse({
    mountPoint: given,
    clusterFile: 'infra/cluster.yaml',
    thresholdPercent: Number(threshold),
    warnPercent: Number(warn),
  });
  if (!read.success)
    return fail(read.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '));
  const { mountPoint, thresholdPercent, warnPercent } = read.data;
  return isMountPoint(mountPoint)
    ? ok({ mountPoint, thresholdPercent, warnPercent })
    : fail(`--mount-point: ${mountPoint} is none`);
}
