/** Detectors that use engine facts: whether the job gets its resources, starts, and produces results. */

import { cannotTell, type Evidence, type Finding, MINUTE_MS, type PastEnd, QUIET, raise } from './detector.ts';

/** A healthy ferry took 168 minutes to its first step; a cold hero run compiles for thirty and restores for five. */
const START_LIMITS = {
  graceMs: 180 * MINUTE_MS,
  /** Two polls without a new line. */
  silentMs: 19 * MINUTE_MS,
} as const;

/** A running job that never makes its first step. */
export function detectStalledStart({ status, isLogRead, hasTrained, runningSince, logGrewAt, at }: Evidence): Finding {
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (hasTrained) return QUIET;
  if (!isLogRead) return cannotTell('log');
  if (runningSince === null) return cannotTell('engine');
  const waited = at - runningSince;
  if (waited < START_LIMITS.graceMs) return QUIET;
  // The trainer may be at work and print lines that ferrybot cannot read.
  if (logGrewAt !== null && at - logGrewAt < START_LIMITS.silentMs) return cannotTell('progress');
  return raise(runningSince, { seen: 'none', minutes: Math.round(waited / MINUTE_MS) });
}

/** The hero policy's half hour. */
const PENDING_LIMITS = { waitMs: 30 * MINUTE_MS } as const;

/** A job that waits in the queue for too long. */
export function detectLongPending({ status, pendingSince, at }: Evidence): Finding {
  // rule HR-42
  if (status !== 'PENDING' || pendingSince === null) return QUIET;
  const waited = at - pendingSince;
  return waited <= PENDING_LIMITS.waitMs
    ? QUIET
    : raise(pendingSince, { seen: 'PENDING', minutes: Math.round(waited / MINUTE_MS) });
}

/** The same limit as for a job in the queue; the workers of one slice start within minutes. */
const ALLOCATION_LIMITS = { waitMs: 30 * MINUTE_MS } as const;

/** A job that got only some of its workers. */
export function partialAllocation({ status, engine, pendingSince, runningSince, at }: Evidence): Finding {
  if (status !== 'RUNNING' && status !== 'PENDING') return QUIET;
  const [asked, ready] = [parseWhole(engine['workersAsked']), parseWhole(engine['workersReady'])];
  if (asked === null || ready === null) return cannotTell('engine');
  const since = pendingSince ?? runningSince;
  if (ready >= asked || ready === 0 || since === null || at - since <= ALLOCATION_LIMITS.waitMs) return QUIET;
  return raise(since, { seen: String(ready), bound: String(asked), minutes: Math.round((at - since) / MINUTE_MS) });
}

const PAIRS = [
  ['acceleratorAsked', 'accelerator'],
  ['slicesAsked', 'slices'],
] as const;

/** A job on an accelerator type or slice count other than requested. */
export function detectWrongTopology({ engine }: Evidence): Finding {
  const known = PAIRS.flatMap(([asked, got]) => {
    const [wanted, seen] = [engine[asked], engine[got]];
    return wanted === undefined || seen === undefined ? [] : [{ wanted, seen }];
  });
  if (known.length === 0) return cannotTell('engine');
  const wrong = known.find(({ wanted, seen }) => wanted.toLowerCase() !== seen.toLowerCase());
  return wrong === undefined ? QUIET : raise(wrong.seen, { seen: wrong.seen, bound: wrong.wanted });
}

const FLAPPING_LIMITS = {
  /** One crash may be a preemption. Two at one step are no accident, and three in a row at any step are a fault. */
  atOnePlace: 2,
  inARow: 3,
  /** Two ends within this many steps count as the same place. */
  window: 10,
} as const;

/** A job that fails repeatedly after each restart. */
export function detectFlapping({ past }: Evidence): Finding {
  if (past.length === 0) return cannotTell('attempts');
  const row = past.slice(past.findLastIndex(({ status }) => status !== 'FAILED') + 1);
  const last = row.at(-1);
  if (last === undefined) return QUIET;
  const alike = row.filter((one) => endedAtSamePoint(one, last));
  if (alike.length < FLAPPING_LIMITS.atOnePlace && row.length < FLAPPING_LIMITS.inARow) return QUIET;
  return raise(past.length, { seen: String(row.length), step: String(last.lastStep ?? 'unknown') });
}

function endedAtSamePoint(one: PastEnd, other: PastEnd): boolean {
  if (one.lastStep === null || other.lastStep === null) return false;
  return Math.abs(one.lastStep - other.lastStep) <= FLAPPING_LIMITS.window;
}

/** A job that succeeded without doing anything, for example because its launcher found existing output. */
export function detectGreenNoOp({ status, isLogRead, hasTrained, artefacts }: Evidence): Finding {
  if (status !== 'SUCCEEDED') return QUIET;
  if (!isLogRead) return cannotTell('log');
  const missing = [
    ...(hasTrained || artefacts.work ? [] : ['steps']),
    ...(artefacts.checkpoint === false ? ['checkpoint'] : []),
    ...(artefacts.metrics === false ? ['metrics'] : []),
  ];
  return missing.length === 0 ? QUIET : raise('success', { seen: missing.join(' ') });
}

/** Parses an engine's whole number; null for other text. */
function parseWhole(said: string | undefined): number | null {
  return said !== undefined && /^\d{1,9}$/.test(said) ? Number(said) : null;
}

export const LOW_USE_LIMITS = {
  /** Training keeps accelerators at 80 % or more; at 20 % the job waits for something. */
  percent: 20,
  /** A single observation may fall into an eval or a checkpoint. */
  looks: 3,
  /** The span of three observations at the usual interval: during a problem, three come too quickly to mean anything. */
  lowMs: 2 * 570_000,
  /** If the steps do not move either, two observations are enough. */
  stillLooks: 2,
  stillMs: 240_000,
} as const;

/** Accelerators that idle while the job should train. Combines their use with whether steps move. */
export function detectLowUtilisation({ use, hasTrained, moved, isBusy, at }: Evidence): Finding {
  // Without a measurement, only the steps are evidence; another detector checks them.
  if (use === null) return cannotTell('measures');
  // Compiling and loading before the first step need no accelerator.
  if (!hasTrained || use.idleSince === null) return QUIET;
  const isStill = !isBusy && moved !== null && moved.at <= use.idleSince;
  const { looks, lowMs, stillLooks, stillMs } = LOW_USE_LIMITS;
  if (use.idleObservations < (isStill ? stillLooks : looks)) return QUIET;
  if (at - use.idleSince < (isStill ? stillMs : lowMs)) return QUIET;
  return raise('low', {
    seen: String(Math.round(use.percent)),
    bound: String(LOW_USE_LIMITS.percent),
    step: String(use.idleObservations),
    ...(isStill ? { minutes: Math.round((at - moved.at) / MINUTE_MS) } : {}),
  });
}

const DISK_LIMITS = {
  /** Enough for the logbook and a day of the watch's own files. */
  freeBytes: 512 * 1024 * 1024,
  freePercent: 2,
} as const;

/** The watch machine's disk: a full disk silences all its runs. Reported once per attempt of each run, in any run state. */
export function detectFullMonitorDisk({ disk }: Evidence): Finding {
  if (disk === null || disk.totalBytes <= 0) return cannotTell('monitor');
  const percent = (100 * disk.freeBytes) / disk.totalBytes;
  const isShort = disk.freeBytes < DISK_LIMITS.freeBytes || percent < DISK_LIMITS.freePercent;
  if (!isShort) return QUIET;
  return raise('short', { seen: String(Math.floor(disk.freeBytes / 1_048_576)), bound: String(Math.round(percent)) });
}
