/** A folder with the recorded outputs of a disk scan; what was not recorded is unknown, never fine. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Looks, ScanFacts } from '../../../care/disk/scan-record.ts';
import { type LowWorker, readScanReport } from '../../../care/disk/scan-report.ts';
import { readListing } from '../../../clouds/gcp/list-vms.ts';
import { known, type Observed, unknown } from '../../../domain/observed.ts';
import { fail, ok, type Result } from '../../../domain/result.ts';
import { codeOf } from '../../../host/publish-once.ts';
import { readLooks } from '../../disk-scan/read-looks.ts';

type Recorded = Pick<ScanFacts, 'report' | 'listing' | 'looks'>;

/** Reads the folder; the error is for people. `redact` takes secrets out of what programs printed. */
export async function readRecordedScan(
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

/** Anything but a number is a program that did not run to its end. */
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
