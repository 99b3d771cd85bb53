/** The answer of `df -P -B1 /`, the only form in which a worker is asked for its boot disk. */

import type { DiskUsage } from '../../domain/care/worker-disk.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';

const HEAD = /^Filesystem\s+1B?-blocks\s+Used\s+Available\s+(?:Use%|Capacity)\s+Mounted on$/;
const BYTES = /^\d{1,15}$/;

/** Usage of the file system that is mounted on `/`. Anything else, and nothing at all, is unknown. */
export function readDiskUsage(output: string): Observed<DiskUsage> {
  const lines = output.split(/\r?\n/).map((line) => line.trim());
  const at = lines.findIndex((line) => HEAD.test(line));
  if (at === -1) return unknown('df did not answer in its own form');
  // Columns from the right: used, available, capacity, mounted on. The name of the device may contain spaces.
  const rows = lines.slice(at + 1).flatMap((line) => {
    const [used = '', available = '', , on] = line.split(/\s+/).slice(-4);
    return on === '/' ? [[used, available]] : [];
  });
  const [cells] = rows;
  if (cells === undefined || rows.length > 1) return unknown('df told of no file system on /');
  if (!cells.every((cell) => BYTES.test(cell))) return unknown('df told numbers that no disk has');
  const [usedBytes = 0, availableBytes = 0] = cells.map(Number);
  if (usedBytes + availableBytes <= 0) return unknown('df told of a disk without space');
  return known({ usedBytes, availableBytes });
}

/** Free share of what is used and available together, 0 to 100, as df reckons its own column. */
export function percentFree({ usedBytes, availableBytes }: DiskUsage): number {
  return (100 * availableBytes) / (usedBytes + availableBytes);
}
