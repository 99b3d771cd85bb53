/** `ferrybot disk-scan DIR`: what a scan of worker disks would be judged to mean, from the recorded outputs of its programs. */

import { resolve } from 'node:path';
import { scanRecord } from '../../../care/disk/scan-record.ts';
import type { DiskScan } from '../../../domain/care/disk-scan.ts';
import { isMountPoint } from '../../../domain/care/worker-disk.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { redact } from '../../../host/redactor.ts';
import { FINDING_WORDS } from '../../../render/disk-issue.ts';
import { diskSchema } from '../../../settings/disk-schema.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';
import { readRecordedScan } from './recorded-scan.ts';

/**
 * Exit 0: a whole scan found every worker above the warning; 1: a worker is short, or something is unknown. The folder
 * holds scan.txt (what the dry run printed), and where they were recorded scan.exit (its exit code, else 0), tpus.json
 * (`gcloud compute tpus tpu-vm list --format=json`) and workers/TPU/INDEX/{df,mounts,du}.txt.
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

/** What would be proposed: only where data lies beside a missing mount, on a machine that the cloud lists. */
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

/** The same rules as in a config: what is no place to clear is no place to judge. */
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
