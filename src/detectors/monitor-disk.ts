/** The disk of the machine that watches: when it is full, nobody hears of the run any more. */

import { alarm, cannotTell, type Detector, QUIET } from './detector.ts';

const limits = {
  /** Enough for the logbook and a day of the watch's own files. */
  freeBytes: 512 * 1024 * 1024,
  freePercent: 2,
} as const;

/** Told of every run that it watches, once an attempt, and apart from how the run is. */
export const monitorDisk: Detector = {
  id: 'monitor-disk',
  witness: ['monitor'],
  limits,
  judge: ({ disk }) => {
    if (disk === null || disk.totalBytes <= 0) return cannotTell('monitor');
    const percent = (100 * disk.freeBytes) / disk.totalBytes;
    const isShort = disk.freeBytes < limits.freeBytes || percent < limits.freePercent;
    if (!isShort) return QUIET;
    return alarm('short', {
      seen: String(Math.floor(disk.freeBytes / 1_048_576)),
      bound: String(Math.round(percent)),
    });
  },
};
