/** Parses the output of `cleanup_disk.py --dry-run` or `cleanup_workers.py --dry-run`. Missing output never counts as healthy. */

import { isTpuName, type TpuName } from '../../domain/care/machines.ts';

/** A worker that the scan found under its threshold. `available`: the free space as printed (`9.8G`). */
export type LowWorker = {
  readonly tpu: TpuName;
  readonly worker: number;
  readonly percentFree: number;
  readonly available: string;
};

/**
 * `read`: what the scan found. `problems`: lines that should describe a worker but do not, each with the reason (`bad-name`,
 * `unknown-worker`, `not-under`). With problems the scan is incomplete, and unnamed workers may not be fine. `unreadable`: the output
 * describes no worker.
 */
export type ScanReport =
  | { readonly kind: 'read'; readonly low: readonly LowWorker[]; readonly problems: readonly string[] }
  | { readonly kind: 'unreadable'; readonly code: ScanFault; readonly line: string };

/** Why a scan cannot be used: it failed, printed nothing useful, contradicts itself, or was not the requested dry run. */
export type ScanFault = 'not-run' | 'failed' | 'nothing-said' | 'contradiction' | 'not-a-dry-run' | 'other-threshold';

/** How a program of the scan ended. `exitCode` is null if it did not run to its end. */
export type ScanEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

const LOW =
  /(?:⚠\uFE0F?|WARNING -)\s+(\S+) worker (\d{1,4}): (\d{1,3}(?:\.\d{1,6})?)% free \(([\d.]{1,12}\s?[KMGTPi]{0,2}B?)(?: available)?\)\s*$/u;
const FINE = /(?:✓|INFO -) All workers have >(\d{1,3}(?:\.\d{1,6})?)% free disk space/u;
/** A sign that the scan failed for some worker. */
const TROUBLE = /[⚠✗❌]|\b(?:ERROR|CRITICAL|Traceback|Exception|Failed|[Cc]ould not|[Uu]nable|[Tt]imed out)\b/u;
/** Printed after a restart: the script acted, although a dry run was requested. Its summary also counts skipped restarts. */
const ACTED = /worker \d+: (?:Container )?restarted\b|Verified running:|Deleting preempted TPU:/;
/** Logged before a restart, including one that a dry run skips. */
const RESTART = /(Restarting|\[DRY RUN\] Would restart) (\S+ worker \d{1,4})\s*$/;

/**
 * Parses both outputs of a scan with `thresholdPercent` (the script logs to stderr). The format is that of Marin's
 * `scripts/ray/cleanup_disk.py`, and of `cleanup_workers.py`, which replaced it on 17 December 2025.
 */
export function readScanReport(end: ScanEnd, thresholdPercent: number): ScanReport {
  const lines = `${end.stdout}\n${end.stderr}`.split(/\r?\n/).filter((line) => line.trim() !== '');
  const last = lines.at(-1) ?? '';
  if (end.exitCode === null) return { kind: 'unreadable', code: 'not-run', line: last };
  const acted = lines.find((line) => ACTED.test(line)) ?? findRestartLine(lines);
  if (acted !== undefined) return { kind: 'unreadable', code: 'not-a-dry-run', line: acted };
  if (end.exitCode !== 0) return { kind: 'unreadable', code: 'failed', line: last };
  const fine = lines.flatMap((line) => FINE.exec(line) ?? []);
  const read = lines.flatMap((line) => parseLowWorker(line, thresholdPercent));
  const low = lowestPerWorker(read.filter((item) => typeof item !== 'string'));
  const problems = read.filter((item) => typeof item === 'string');
  if (fine.length === 0) {
    return low.length === 0 && problems.length === 0
      ? { kind: 'unreadable', code: 'nothing-said', line: last }
      : { kind: 'read', low, problems };
  }
  const sentence = fine[0] ?? '';
  if (Number(fine[1]) !== thresholdPercent) return { kind: 'unreadable', code: 'other-threshold', line: sentence };
  if (low.length > 0) return { kind: 'unreadable', code: 'contradiction', line: sentence };
  return { kind: 'read', low, problems };
}

/** The first restart that the script does not also report as skipped. */
function findRestartLine(lines: readonly string[]): string | undefined {
  const named = lines.flatMap((line) => {
    const [, word, worker = ''] = RESTART.exec(line) ?? [];
    return word === undefined ? [] : [{ line, word, worker }];
  });
  const leftOut = new Set(named.flatMap(({ word, worker }) => (word === 'Restarting' ? [] : worker)));
  return named.find(({ worker }) => !leftOut.has(worker))?.line;
}

/** The worker in a line, or the line's problem. Empty for any other line. */
function parseLowWorker(line: string, thresholdPercent: number): readonly (LowWorker | string)[] {
  const match = LOW.exec(line);
  if (match === null) return TROUBLE.test(line) ? [`unknown-worker: ${line.trim()}`] : [];
  const [, tpu = '', worker = '', percent = '', available = ''] = match;
  if (!isTpuName(tpu)) return [`bad-name: ${line.trim()}`];
  const percentFree = Number(percent);
  // The script warns only below its threshold: a higher number was printed by another program.
  if (percentFree > thresholdPercent) return [`not-under: ${line.trim()}`];
  return [{ tpu, worker: Number(worker), percentFree, available }];
}

/** One entry per worker, ordered by name and index; the script may print a worker twice. */
function lowestPerWorker(workers: readonly LowWorker[]): readonly LowWorker[] {
  const byKey = new Map<string, LowWorker>();
  for (const worker of workers) {
    const key = `${worker.tpu}/${worker.worker}`;
    const known = byKey.get(key);
    if (known === undefined || worker.percentFree < known.percentFree) byKey.set(key, worker);
  }
  return [...byKey.values()].toSorted((a, b) => a.tpu.localeCompare(b.tpu, 'en') || a.worker - b.worker);
}
