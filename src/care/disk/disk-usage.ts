/** The answer of `df` about the boot disk: `df -P -B1 /`, and the human form `df -h /` of the policy. */

import type { DiskUsage } from '../../domain/care/worker-disk.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';

const CELL = /^[\d.]+[KMGTP]?$/;
const SHARE = /^\d{1,3}%$/;
const HEAD = /^Filesystem\s+\S+\s+Used\s+Avail(?:able)?\s+(?:Use%|Capacity)\s+Mounted on$/;
const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
  P: 2 ** 50,
};

/**
 * Usage of the file system that is mounted on `/`. The unit comes from the head (`1-blocks`, `1B-blocks`, `1024-blocks`,
 * `1K-blocks`) or from each number (`95G`). Anything else, and nothing at all, is unknown.
 */
export function readDiskUsage(output: string): Observed<DiskUsage> {
  const lines = output.split(/\r?\n/).map((line) => line.trim());
  const at = lines.findIndex((line) => HEAD.test(line));
  if (at === -1) return unknown('df did not answer in its own form');
  const unit = unitOf(lines[at] ?? '');
  const rows = lines.slice(at + 1).flatMap((line) => {
    const row = rowOf(line);
    return row !== null && row.on === '/' ? [row] : [];
  });
  const row = rows[0];
  if (row === undefined || rows.length > 1) return unknown('df told of no file system on /');
  const [usedBytes, availableBytes] = [row.used, row.available].map((cell) => bytesOf(cell, unit));
  if (usedBytes == null || availableBytes == null) return unknown('df told numbers of an unknown unit');
  if (![usedBytes, availableBytes].every(Number.isSafeInteger))
    return unknown('df told numbers that no disk has');
  if (usedBytes + availableBytes <= 0) return unknown('df told of a disk without space');
  return known({ usedBytes, availableBytes });
}

/** Columns from the right: size, used, available, capacity, mounted on. The name of the device may hold spaces. */
function rowOf(
  line: string,
): { readonly used: string; readonly available: string; readonly on: string } | null {
  const cells = line.split(/\s+/);
  const [device, size = '', used = '', available = '', share = '', on = ''] = cells.slice(-6);
  const isRow = [size, used, available].every((cell) => CELL.test(cell)) && SHARE.test(share);
  return device !== undefined && device !== '' && isRow && on.startsWith('/')
    ? { used, available, on }
    : null;
}

/** Free share of what is used and available together, 0 to 100, as df reckons its own column. */
export function percentFree({ usedBytes, availableBytes }: DiskUsage): number {
  return (100 * availableBytes) / (usedBytes + availableBytes);
}

/** Bytes of a bare number under this head; null where the numbers have to carry their own unit. */
function unitOf(head: string): number | null {
  const match = /\s(\d+)([KMG]?)B?-blocks\s/.exec(head);
  return match === null ? null : Number(match[1]) * (FACTORS[match[2] ?? ''] ?? 1);
}

function bytesOf(cell: string, unit: number | null): number | null {
  const match = /^(\d+(?:\.\d+)?)([KMGTP]?)$/.exec(cell);
  if (match === null) return null;
  const number = Number(match[1]);
  const suffix = match[2] ?? '';
  if (suffix !== '') return Math.round(number * (FACTORS[suffix] ?? 1));
  if (unit !== null) return number * unit;
  return number === 0 ? 0 : null;
}
