/** Mount tables of a worker, whole: what is mounted is looked up here, since a filter on the far side makes "none" and "unread" alike. */

import type { Mount } from '../../domain/care/worker-disk.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';

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
