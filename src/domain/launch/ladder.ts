/**
 * What the next attempt changes within the approval: the smallest step that can help, then the next (policy VA, Autonomous Recovery
 * Policy). Depends only on the record, so control and runner agree.
 */

import { type Failure, isOutOfMemory, isTransient, type Rung } from '../failure-class.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { isWithheld } from '../written-secrets.ts';
import { failureOf, highestStep, lastEnded } from './next-attempt.ts';

/** The common signature or class of both failures; null if they differ or cannot be compared. */
export function findSameFailure(one: PastAttempt, other: PastAttempt): string | null {
  const signature = one.end.signatures.find((id) => other.end.signatures.includes(id));
  if (signature !== undefined) return signature;
  const print = failureFingerprint(one);
  return print !== null && print === failureFingerprint(other) ? failureOf(one) : null;
}

/**
 * The class plus the location in the lab's code, or the log's error text without parts that vary between jobs. Null if the text was
 * withheld, and for manifests that do not record responses.
 */
function failureFingerprint(attempt: PastAttempt): string | null {
  const failure = failureOf(attempt);
  if (attempt.order.manifest?.envelope.restartAfter === undefined) return null;
  if (failure === 'unknown' || failure === 'benign') return null;
  if (failure === 'stopped') return failure;
  const { place = null, error = null, evidence = [] } = attempt.end.diagnosis ?? {};
  const text = place?.file ?? error ?? evidence[0] ?? '';
  if (isWithheld(text)) return null;
  return `${failure} ${place === null ? normalizeMessage(text) : `${fileNameOf(text)}:${place.line}`}`;
}

/** The file with its parent folder. The folders above depend on where the job was unpacked. */
function fileNameOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** Drops words that contain a digit. */
function normalizeMessage(text: string): string {
  const words = text.toLowerCase().split(/[^a-z0-9]/);
  return words.filter((word) => word !== '' && !/[0-9]/.test(word)).join(' ');
}

export type Reduction = { readonly name: string; readonly value: string };

export type LaunchCommand = {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** Parses `--batch-size 16`, `--batch-size=16` or `BATCH=16`; null otherwise. */
export function readReduction(text: string): Reduction | null {
  const [, name, value] = /^(--?[A-Za-z][\w.-]{0,60}|[A-Z][A-Z0-9_]{0,60})(?:=|\s+)(\S{1,60})$/.exec(text.trim()) ?? [];
  return name === undefined || value === undefined ? null : { name, value };
}

/** The command's current value; null if unset. */
export function valueNow({ command, environment }: LaunchCommand, { name }: Reduction): string | null {
  if (!name.startsWith('-')) return environment[name] ?? null;
  for (const [index, part] of command.entries()) {
    if (part === name) return command[index + 1] ?? null;
    if (part.startsWith(`${name}=`)) return part.slice(name.length + 1);
  }
  return null;
}

/** Sets the value in the command's own form; unchanged if unset. */
export function applyReduction<Given extends LaunchCommand>(started: Given, { name, value }: Reduction): Given {
  const { command, environment } = started;
  if (!name.startsWith('-'))
    return environment[name] === undefined ? started : { ...started, environment: { ...environment, [name]: value } };
  return {
    ...started,
    command: command.map((part, index) => {
      if (command[index - 1] === name) return value;
      return part.startsWith(`${name}=`) ? `${name}=${value}` : part;
    }),
  };
}

function applyReductions<Given extends LaunchCommand>(started: Given, reductions: readonly string[]): Given {
  return reductions.reduce((before, text) => {
    const reduction = readReduction(text);
    return reduction === null ? before : applyReduction(before, reduction);
  }, started);
}

export type Repair =
  | { readonly kind: 'package'; readonly requirement: string }
  | { readonly kind: 'variable'; readonly name: string; readonly value: string };

/** Parses `numpy==1.26.4` or `NCCL_P2P_DISABLE=1`; null otherwise. An unpinned package would change over time. */
export function readRepair(text: string): Repair | null {
  const said = text.trim();
  if (/^[A-Za-z0-9][\w.-]{0,80}(?:\[[a-z0-9,-]{1,80}\])?==[A-Za-z0-9][\w.+!]{0,40}$/.test(said))
    return { kind: 'package', requirement: said };
  const [, name, value] = /^([A-Z][A-Z0-9_]{0,60})=([\w.:,/-]{1,60})$/.exec(said) ?? [];
  return name === undefined || value === undefined ? null : { kind: 'variable', name, value };
}

/** Applies all repairs. The interpreter's pip installs packages, then the original command replaces the shell. */
function applyRepairs<Given extends LaunchCommand>(started: Given, repairs: readonly string[]): Given {
  const read = repairs.flatMap((text) => readRepair(text) ?? []);
  const variables = read.flatMap((one) => (one.kind === 'variable' ? [[one.name, one.value] as const] : []));
  const packages = read.flatMap((one) => (one.kind === 'package' ? [`'${one.requirement}'`] : []));
  const environment = { ...started.environment, ...Object.fromEntries(variables) };
  if (packages.length === 0) return { ...started, environment };
  const install = `python3 -m pip install --quiet ${packages.join(' ')} && exec "$@"`;
  return { ...started, environment, command: ['sh', '-c', install, 'sh', ...started.command] };
}

/** All ended attempts of the currently ordered manifest. */
function listAttemptsOfManifest(state: RunState): readonly PastAttempt[] {
  const last = lastEnded(state);
  const all = last === null ? state.attempts : [...state.attempts, last];
  return all.filter(({ order }) => order.order.digest === state.order?.order.digest);
}

/** The approved reductions for the next attempt, in order: one per attempt that ran out of memory. */
export function listReductionsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.reductions ?? [];
  // rule VA-21
  return approved.slice(0, countFailures(state, isOutOfMemory));
}

/** Ended attempts with the manifest and size of the running attempt. */
export function listComparableAttempts(state: RunState): readonly PastAttempt[] {
  const { attempts } = state;
  const countReductions = (before: number): number =>
    listReductionsTaken({ ...state, attempts: attempts.slice(0, before) }).length;
  return attempts.filter(
    ({ order }, index) =>
      order.order.digest === state.order?.order.digest && countReductions(index) === countReductions(attempts.length),
  );
}

/** The approved repairs for the next attempt: one per attempt that failed on a dependency. */
export function listRepairsTaken(state: RunState): readonly string[] {
  const approved = state.order?.manifest?.envelope.repairs ?? [];
  return approved.slice(0, countFailures(state, isMachineFailure));
}

/** The approved job with the reductions and repairs that earlier failures require. */
export function applyLadder<Given extends LaunchCommand>(state: RunState, approved: Given): Given {
  return applyRepairs(applyReductions(approved, listReductionsTaken(state)), listRepairsTaken(state));
}

function countFailures(state: RunState, isSuch: (failure: Failure) => boolean): number {
  return listAttemptsOfManifest(state).filter((past) => isSuch(failureOf(past))).length;
}

function isMachineFailure(failure: Failure): boolean {
  return failure === 'dependency';
}

/** Faults of the machine: the same job may succeed on another one. */
const MACHINE_FAILURES: readonly Failure[] = ['bad-node', 'stopped', 'stalled', 'infra-cluster'];

/** A preempted machine now serves another customer, so the job would wait for it. */
const LEFT_MACHINE_CLASSES: readonly Failure[] = [...MACHINE_FAILURES, 'preempted'];

/** Earlier attempts with the newest attempt's failure that got at least as far, so the ladder steps since then did not help. */
function listFutileAttempts(state: RunState): readonly PastAttempt[] {
  const ended = listAttemptsOfManifest(state);
  const last = ended.at(-1);
  if (last === undefined) return [];
  const reached = highestStep(last) ?? 0;
  return ended
    .slice(0, -1)
    .filter((past) => failureOf(past) === failureOf(last) && (highestStep(past) ?? 0) >= reached);
}

/** Machines that may have caused the failure of an attempt, by the engine's names. */
export function listMachinesToAvoid(state: RunState): readonly string[] {
  const left = listAttemptsOfManifest(state).filter((past) => LEFT_MACHINE_CLASSES.includes(failureOf(past)));
  const again = listFutileAttempts(state);
  const last = again.length === 0 ? [] : listAttemptsOfManifest(state).slice(-1);
  const machines = [...left, ...again, ...last].map(({ end }) => end.engineDetails?.['machine']);
  return [...new Set(machines.flatMap((machine) => (machine === undefined ? [] : [String(machine)])))];
}

/**
 * The ladder's step for the newest failure, or null if every remaining step would repeat it. With one machine per attempt, a rerun that did
 * not help is followed by one rerun on another machine.
 */
export function rungFor(state: RunState, failure: Failure): Rung | null {
  const { envelope } = state.order?.manifest ?? {};
  const isUntried = (approved: readonly string[], isSuch: (one: Failure) => boolean): boolean =>
    approved.length >= countFailures(state, isSuch);
  // rule VA-24
  if (isOutOfMemory(failure)) return isUntried(envelope?.reductions ?? [], isOutOfMemory) ? 'reduce' : null;
  if (isMachineFailure(failure)) return isUntried(envelope?.repairs ?? [], isMachineFailure) ? 'repair' : null;
  if (envelope?.rental === undefined) return null;
  if (MACHINE_FAILURES.includes(failure)) return 'other-machine';
  if (!isTransient(failure)) return null;
  const times = listFutileAttempts(state).length;
  // rule VA-23
  return times === 0 ? 'rerun' : times === 1 ? 'other-machine' : null;
}

/** What the next attempt changes after the newest failure. */
export function nextRung(state: RunState): { readonly rung: Rung; readonly with?: string } | null {
  const last = lastEnded(state);
  const rung = last === null ? null : rungFor(state, failureOf(last));
  if (rung === null) return null;
  const change = rung === 'reduce' ? listReductionsTaken(state) : rung === 'repair' ? listRepairsTaken(state) : null;
  return change === null ? { rung } : { rung, with: change.at(-1) ?? '' };
}
