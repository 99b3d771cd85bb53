/** The action's `disk-scan`: one cluster's workers are scanned and recorded; control tells people. */

import type { DiskScan } from '../../domain/care/disk-scan.ts';
import type { OpenLab } from '../open-lab.ts';
import { type Trouble, throwIfAny } from '../trouble.ts';
import { diskPlaceOf } from './disk-port.ts';
import { scanDisks } from './disk-scan.ts';
import type { DisksOf } from './disks.ts';

export type ScanModeInput = {
  readonly cluster: string;
  readonly disks: DisksOf;
  readonly redact: (text: string) => string;
};

/** `result` is a closed word. Not `ok`: nothing is known of the workers, or nothing was recorded. */
export type ScanModeResult = { readonly ok: boolean; readonly result: string; readonly detail: string };

/** Scans the named cluster. Throws `GitError` where git said no. */
export async function scanMode(open: OpenLab, input: ScanModeInput): Promise<ScanModeResult> {
  const place = diskPlaceOf(open.config, input.cluster);
  if (place === null)
    return {
      ok: false,
      result: 'no-disk-care',
      detail: `the config has no disk care for a cluster ${JSON.stringify(input.cluster)}: give clusters.<name>.disk and gcp`,
    };
  const troubles: Trouble[] = [];
  const port = await input.disks(open, place);
  const outcome = await scanDisks(open, place, port, input.redact, troubles);
  // People read in the cluster's issue of which workers nothing is known, and why.
  throwIfAny(troubles);
  if (outcome.kind === 'not-recorded') return { ok: false, result: 'not-recorded', detail: outcome.why };
  const { reading, why } = outcome.scan;
  if (reading === 'unreadable') return { ok: false, result: 'scan-unreadable', detail: why };
  return { ok: true, result: 'scanned', detail: told(outcome.scan) };
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
