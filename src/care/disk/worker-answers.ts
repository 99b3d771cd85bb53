/** Parses the answers of workers. `df -P -B1 /` is the only command that asks for a boot disk. */

import type { DiskUsage, FolderSize, Mount } from '../../domain/care/machines.ts';
import { known, type Observed, unknown } from '../../domain/values.ts';
import type { ScanEnd } from './scan-report.ts';

const HEAD = /^Filesystem\s+1B?-blocks\s+Used\s+Available\s+(?:Use%|Capacity)\s+Mounted on$/;
const BYTES = /^\d{1,15}$/;

/** Usage of the file system that is mounted on `/`. Any other output, or no output, is unknown. */
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

/** Free share of used plus available space, 0 to 100. `df` computes its own column in the same way. */
export function percentFree({ usedBytes, availableBytes }: DiskUsage): number {
  return (100 * availableBytes) / (usedBytes + availableBytes);
}

/**
 * The mounts in a worker's complete `/proc/self/mountinfo`. Every Linux machine has a mount on `/`: a table without one is
 * incomplete, and unknown.
 */
export function readMounts(output: string): Observed<readonly Mount[]> {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '');
  const mounts = lines.flatMap((line): readonly Mount[] => {
    const [, at, type] = MOUNTINFO.exec(line) ?? [];
    return at === undefined || type === undefined ? [] : [{ at: unescapeMountPath(at), type }];
  });
  if (mounts.length < lines.length) return unknown('the mount table has lines of an unknown form');
  return mounts.some(({ at }) => at === '/')
    ? known(mounts)
    : unknown('the mount table has no root, so it is not whole');
}

/** The mount that covers a path: the last one with the longest mount point above or at the path, which hides the others. */
export function findMountContaining(mounts: readonly Mount[], path: string): Mount | null {
  return mounts.reduce<Mount | null>((best, mount) => {
    const covers = mount.at === '/' || path === mount.at || path.startsWith(`${mount.at}/`);
    return covers && (best === null || mount.at.length >= best.at.length) ? mount : best;
  }, null);
}

/** The mount at exactly this path, or null. */
export function findMountAt(mounts: readonly Mount[], path: string): Mount | null {
  const over = findMountContaining(mounts, path);
  return over?.at === path ? over : null;
}

/** proc(5): `36 35 98:0 /root /point options optional… - type source superoptions`. */
const MOUNTINFO = /^\d+ \d+ \d+:\d+ \S+ (\/\S*) \S+ (?:\S+ )*?- (\S+) /;

/** In paths, the kernel writes space, tab, newline and backslash as three octal digits. */
function unescapeMountPath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

const LINE = /^(\d{1,15})\t(\/.*)$/;

/**
 * Folder sizes in bytes, largest first. `du` prints a folder after its contents. An answer that does not end with `root` was
 * therefore cut off, and the missing folders would count as empty.
 */
export function readFolderSizes(output: string, root: string): Observed<readonly FolderSize[]> {
  const lines = output.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return unknown('du said nothing');
  const sizes = lines.flatMap((line) => {
    const match = LINE.exec(line);
    return match === null ? [] : [{ path: match[2] ?? '', bytes: Number(match[1]) }];
  });
  if (sizes.at(-1)?.path !== root || !LINE.test(lines.at(-1) ?? '')) return unknown('du did not come to its end');
  return known(sizes.toSorted((a, b) => b.bytes - a.bytes || a.path.localeCompare(b.path, 'en')));
}

/** `expect`: a regular expression from the config. A failed command or an empty answer is unknown. */
export function readCheckResult({ exitCode, stdout, stderr }: ScanEnd, expect: string): Observed<boolean> {
  if (exitCode !== 0) return unknown(`exit code ${exitCode ?? 'none'}: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  if (stdout.trim() === '') return unknown('an empty answer');
  return known(new RegExp(expect, 'u').test(stdout));
}

/**
 * `deleted`: nothing is left; `nothing`: there was nothing to delete; `refused`: nothing was deleted; `incomplete`: the data
 * was moved aside, and `leftFiles` files could not be deleted. `code`: a reason from the remote command
 * (src/clouds/gcp/ssh.ts). `freedBytes`: freed on the boot disk.
 */
export type CleanAnswer = {
  readonly outcome: keyof typeof EXITS;
  readonly code: string;
  readonly freedBytes: number;
  readonly leftFiles: number;
};

const LAST_LINE =
  /^ferrybot-clean 1 (deleted|nothing|refused|incomplete) ([a-z-]{1,40}) freed=(-?\d{1,15}) left=(\d{1,12})$/;
const EXITS = { deleted: 0, nothing: 0, refused: 3, incomplete: 3 } as const;

/** Parses the output and its exit code. Both must agree. */
export function readCleanAnswer(stdout: string, exitCode: number): Observed<CleanAnswer> {
  const last = stdout.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const match = LAST_LINE.exec(last);
  if (match === null) return unknown(`the command ended with ${exitCode} and without its last line`);
  const [, word, code = '', freed = '', left = ''] = match;
  // The pattern allows no other words.
  const outcome = word as CleanAnswer['outcome'];
  if (EXITS[outcome] !== exitCode) return unknown(`the command said ${outcome} and ended with ${exitCode}`);
  return known({ outcome, code, freedBytes: Number(freed), leftFiles: Number(left) });
}
