/** Sizes of folders as `du -x -B1 --max-depth=2 FOLDER` told them. */

import type { FolderSize } from '../../domain/care/worker-disk.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';

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
