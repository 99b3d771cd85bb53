/** What `cleanup_disk.py --dry-run`, or `cleanup_workers.py --dry-run`, says of a cluster's workers, read without taking silence for health. */

import { isTpuName, type TpuName } from '../../domain/care/machines.ts';

/** A worker that the scan found under its threshold. `available` is what the disk had left, as printed (`9.8G`). */
export type LowWorker = {
  readonly tpu: TpuName;
  readonly worker: number;
  readonly percentFree: number;
  readonly available: string;
};

/**
 * `read`: what the scan found. `problems`: lines that should describe a worker and do not, each with the reason (`bad-name`,
 * `unknown-worker`, `not-under`); then the scan is incomplete, and an unnamed worker is not known to be fine. `unreadable`: it describes no
 * worker.
 */
export type ScanReport =
  | { readonly kind: 'read'; readonly low: readonly LowWorker[]; readonly problems: readonly string[] }
  | { readonly kind: 'unreadable'; readonly code: ScanFault; readonly line: string };

/** Why a scan tells nothing: it did not end well, said nothing, contradicts itself, or was not the dry run that was asked for. */
export type ScanFault =
  | 'not-run'
  | 'failed'
  | 'nothing-said'
  | 'contradiction'
  | 'not-a-dry-run'
  | 'other-threshold';

/** How the scan program ended; `exitCode` null: it did not run to its end. */
export type ScanEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

const LOW =
  /(?:⚠\uFE0F?|WARNING -)\s+(\S+) worker (\d{1,4}): (\d{1,3}(?:\.\d{1,6})?)% free \(([\d.]{1,12}\s?[KMGTPi]{0,2}B?)(?: available)?\)\s*$/u;
const FINE = /(?:✓|INFO -) All workers have >(\d{1,3}(?:\.\d{1,6})?)% free disk space/u;
/** A sign that something about some worker could not be told. */
const TROUBLE =
  /[⚠✗❌]|\b(?:ERROR|CRITICAL|Traceback|Exception|Failed|[Cc]ould not|[Uu]nable|[Tt]imed out)\b/u;
/** The scan's own words after a restart: it acted, and was asked not to. Its summary counts dry restarts too. */
const ACTED = /worker \d+: (?:Container )?restarted\b|Verified running:|Deleting preempted TPU:/;
/** Logged before a restart, also before one that a dry run leaves out. */
const RESTART = /(Restarting|\[DRY RUN\] Would restart) (\S+ worker \d{1,4})\s*$/;

/**
 * Reads both outputs of the scan (the script logs to stderr) that was asked for `thresholdPercent`. The format is that of
 * Marin's `scripts/ray/cleanup_disk.py`, and of `cleanup_workers.py`, which replaced it on 17 December 2025.
 */
export function readScanReport(end: ScanEnd, thresholdPercent: number): ScanReport {
  const lines = `${end.stdout}\n${end.stderr}`.split(/\r?\n/).filter((line) => line.trim() !== '');
  const last = lines.at(-1) ?? '';
  if (end.exitCode === null) return { kind: 'unreadable', code: 'not-run', line: last };
  const acted = lines.find((line) => ACTED.test(line)) ?? restartIn(lines);
  if (acted !== undefined) return { kind: 'unreadable', code: 'not-a-dry-run', line: acted };
  if (end.exitCode !== 0) return { kind: 'unreadable', code: 'failed', line: last };
  const fine = lines.flatMap((line) => FINE.exec(line) ?? []);
  const read = lines.flatMap((line) => lowIn(line, thresholdPercent));
  const low = lowestOfEach(read.filter((item) => typeof item !== 'string'));
  const problems = read.filter((item) => typeof item === 'string');
  if (fine.length === 0) {
    return low.length === 0 && problems.length === 0
      ? { kind: 'unreadable', code: 'nothing-said', line: last }
      : { kind: 'read', low, problems };
  }
  const sentence = fine[0] ?? '';
  if (Number(fine[1]) !== thresholdPercent)
    return { kind: 'unreadable', code: 'other-threshold', line: sentence };
  if (low.length > 0) return { kind: 'unreadable', code: 'contradiction', line: sentence };
  return { kind: 'read', low, problems };
}

/** The first restart that the script does not say it left out. */
function restartIn(lines: readonly string[]): string | undefined {
  const named = lines.flatMap((line) => {
    const [, word, worker = ''] = RESTART.exec(line) ?? [];
    return word === undefined ? [] : [{ line, word, worker }];
  });
  const leftOut = new Set(named.flatMap(({ word, worker }) => (word === 'Restarting' ? [] : worker)));
  return named.find(({ worker }) => !leftOut.has(worker))?.line;
}

/** The worker that a line describes, or the problem that it is; none for any other line. */
function lowIn(line: string, thresholdPercent: number): readonly (LowWorker | string)[] {
  const match = LOW.exec(line);
  if (match === null) return TROUBLE.test(line) ? [`unknown-worker: ${line.trim()}`] : [];
  const [, tpu = '', worker = '', percent = '', available = ''] = match;
  if (!isTpuName(tpu)) return [`bad-name: ${line.trim()}`];
  const percentFree = Number(percent);
  // The script warns below its threshold only; another number was printed by something else.
  if (percentFree > thresholdPercent) return [`not-under: ${line.trim()}`];
  return [{ tpu, worker: Number(worker), percentFree, available }];
}

/** One entry a worker, ordered by name and index; the script may tell of one twice. */
function lowestOfEach(workers: readonly LowWorker[]): readonly LowWorker[] {
  const byKey = new Map<string, LowWorker>();
  for (const worker of workers) {
    const key = `${worker.tpu}/${worker.worker}`;
    const known = byKey.get(key);
    if (known === undefined || worker.percentFree < known.percentFree) byKey.set(key, worker);
  }
  return [...byKey.values()].toSorted((a, b) => a.tpu.localeCompare(b.tpu, 'en') || a.worker - b.worker);
}
