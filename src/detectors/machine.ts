/** Detectors that ask machines: how busy the accelerators are, and whether the watch has room to write. */

import { alarm, cannotTell, type Evidence, type Finding, MINUTE_MS, QUIET } from './detector.ts';

export const LOW_USE_LIMITS = {
  /** Training keeps them at eighty or more; a fifth is a job that waits for something. */
  percent: 20,
  /** One look may be an eval or a checkpoint. */
  looks: 3,
  /** As long as three looks of the usual cadence: while something is wrong they come so often that three say nothing. */
  lowMs: 2 * 570_000,
  /** Where no step has moved either, both say the same: that needs no third look. */
  stillLooks: 2,
  stillMs: 240_000,
} as const;

/** Accelerators that idle while the job should train: how busy they are, together with whether its steps move. */
export function lowUtilisation({ use, hasTrained, moved, isBusy, at }: Evidence): Finding {
  // Where nobody measures, the steps alone are the witness, of another detector.
  if (use === null) return cannotTell('measures');
  // What is compiled or loaded first needs no accelerator.
  if (!hasTrained || use.lowSince === null) return QUIET;
  const isStill = !isBusy && moved !== null && moved.at <= use.lowSince;
  const { looks, lowMs, stillLooks, stillMs } = LOW_USE_LIMITS;
  if (use.lowLooks < (isStill ? stillLooks : looks)) return QUIET;
  if (at - use.lowSince < (isStill ? stillMs : lowMs)) return QUIET;
  return alarm('low', {
    seen: String(Math.round(use.percent)),
    bound: String(LOW_USE_LIMITS.percent),
    step: String(use.lowLooks),
    ...(isStill ? { minutes: Math.round((at - moved.at) / MINUTE_MS) } : {}),
  });
}

const DISK_LIMITS = {
  /** Enough for the logbook and a day of the watch's own files. */
  freeBytes: 512 * 1024 * 1024,
  freePercent: 2,
} as const;

/** The disk of the machine that watches: when it is full, nobody hears of the run any more. Told of every run that it watches, once an attempt, and apart from how the run is. */
export function monitorDisk({ disk }: Evidence): Finding {
  if (disk === null || disk.totalBytes <= 0) return cannotTell('monitor');
  const percent = (100 * disk.freeBytes) / disk.totalBytes;
  const isShort = disk.freeBytes < DISK_LIMITS.freeBytes || percent < DISK_LIMITS.freePercent;
  if (!isShort) return QUIET;
  return alarm('short', {
    seen: String(Math.floor(disk.freeBytes / 1_048_576)),
    bound: String(Math.round(percent)),
  });
}
