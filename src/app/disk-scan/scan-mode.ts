/** The action's `disk-scan`: workers of the named clusters are scanned and recorded; control tells people. */

import type { DiskScan } from '../../domain/care/disk-scan.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble, throwIfAny } from '../trouble.ts';
import { diskPlaceOf } from './disk-port.ts';
import { scanDisks } from './disk-scan.ts';
import type { DisksOf } from './disks.ts';

export type ScanModeInput = {
  readonly cluster: string;
  readonly disks: DisksOf;
  readonly redact: (text: string) => string;
};

/** `result` is a closed word. Not `ok`: nothing is known of the workers. */
export type ScanModeResult = { readonly ok: boolean; readonly result: string; readonly detail: string };

/**
 * Scans each of the named clusters, one after the other: names with blanks or commas between, or `all` for every cluster
 * that has disk care. One that cannot be scanned keeps no other back. Throws `GitError` where git said no.
 */
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
  // People read in the clusters' issues of which workers nothing is known, and why.
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
