/** The answer of `df -P -B1 /`, the only form in which a worker is asked for its boot disk. */

import type { DiskUsage, FolderSize, Mount } from '../../domain/care/machines.ts';
import { known, type Observed, unknown } from '../../domain/values.ts';

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

/**
 * The whole `/proc/self/mountinfo` of a worker. Every Linux machine has a mount on `/`: a table without it is not a whole one, and
 * unknown.
 */
export function readMounts(output: string): Observed<readonly Mount[]> {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '');
  const mounts = lines.flatMap((line): readonly Mount[] => {
    const [, at, type] = MOUNTINFO.exec(line) ?? [];
    return at === undefined || type === undefined ? [] : [{ at: unescaped(at), type }];
  });
  if (mounts.length < lines.length) return unknown('the mount table has lines of an unknown form');
  return mounts.some(({ at }) => at === '/')
    ? known(mounts)
    : unknown('the mount table has no root, so it is not whole');
}

/** The mount that covers a path: of the longest mount points above or at it the last, which hides the others. */
export function mountOver(mounts: readonly Mount[], path: string): Mount | null {
  return mounts.reduce<Mount | null>((best, mount) => {
    const covers = mount.at === '/' || path === mount.at || path.startsWith(`${mount.at}/`);
    return covers && (best === null || mount.at.length >= best.at.length) ? mount : best;
  }, null);
}

/** What is mounted at the path itself, or null. */
export function mountAt(mounts: readonly Mount[], path: string): Mount | null {
  const over = mountOver(mounts, path);
  return over?.at === path ? over : null;
}

/** Mounts somewhere below the path, not at it. */
export function mountsBelow(mounts: readonly Mount[], path: string): readonly Mount[] {
  return mounts.filter(({ at }) => at.startsWith(`${path}/`));
}

/** proc(5): `36 35 98:0 /root /point options optional… - type source superoptions`. */
const MOUNTINFO = /^\d+ \d+ \d+:\d+ \S+ (\/\S*) \S+ (?:\S+ )*?- (\S+) /;

/** The kernel writes space, tab, newline and backslash of a path as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

const LINE = /^(\d{1,15})\t(\/.*)$/;

/**
 * Sizes, largest first, in bytes. `du` prints a folder after what is in it, so an answer that does not end with `root` was
 * cut off, and what is missing in it would count as nothing.
 */
export function readFolderSizes(output: string, root: string): Observed<readonly FolderSize[]> {
  const lines = output.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return unknown('du said nothing');
  const sizes = lines.flatMap((line) => {
    const match = LINE.exec(line);
    return match === null ? [] : [{ path: match[2] ?? '', bytes: Number(match[1]) }];
  });
  if (sizes.at(-1)?.path !== root || !LINE.test(lines.at(-1) ?? ''))
    return unknown('du did not come to its end');
  return known(sizes.toSorted((a, b) => b.bytes - a.bytes || a.path.localeCompare(b.path, 'en')));
}

/** Bytes of one folder; 0 where it is too small to be listed. */
export function sizeOf(sizes: readonly FolderSize[], path: string): number {
  return sizes.find((folder) => folder.path === path)?.bytes ?? 0;
}

/** How the looking program ended; `exitCode` null: it did not run to its end. */
export type LookEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** `expect` is a regular expression of the config. A failure, and an answer without a word, say nothing. */
export function readLook({ exitCode, stdout, stderr }: LookEnd, expect: string): Observed<boolean> {
  if (exitCode !== 0)
    return unknown(`exit code ${exitCode ?? 'none'}: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  if (stdout.trim() === '') return unknown('an empty answer');
  return known(new RegExp(expect, 'u').test(stdout));
}

/**
 * `deleted`: nothing is left; `nothing`: there was nothing to delete; `refused`: nothing was deleted, and why;
 * `incomplete`: it was moved aside, and `leftFiles` of it could not be deleted. `code` is a word of the remote command
 * (src/clouds/gcp/clean-script.ts). `freedBytes` is of the boot disk.
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

/** Reads the output and the exit code that belongs to it; both have to say the same. */
export function readCleanAnswer(stdout: string, exitCode: number): Observed<CleanAnswer> {
  const last = stdout.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const match = LAST_LINE.exec(last);
  if (match === null) return unknown(`the command ended with ${exitCode} and without its last line`);
  const [, word, code = '', freed = '', left = ''] = match;
  // The pattern has no other words.
  const outcome = word as CleanAnswer['outcome'];
  if (EXITS[outcome] !== exitCode) return unknown(`the command said ${outcome} and ended with ${exitCode}`);
  return known({ outcome, code, freedBytes: Number(freed), leftFiles: Number(left) });
}
