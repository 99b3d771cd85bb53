/** Which failure signatures a log has shown, how often, in which line first, and on which workers of a Ray job. */

import { SIGNATURES } from '../diagnosis/rows.ts';
import { canonicalAddress } from '../domain/ip-address.ts';
import { limits } from '../domain/limits.ts';

/** Workers that one signature was seen on: the hosts of a large slice, which is one machine; with more it is uncertain. */
export const FAILURE_WORKERS_MAX = 64;

/** One signature seen. `line` is the first line that showed it, up to `limits.logLineCharsMax`: scrub it, then cut it. */
export type SignatureMatch = {
  readonly id: string;
  readonly line: string;
  /** Of the newest line that showed it. */
  readonly lastLineNumber: number;
  /** Addresses of the workers whose lines showed it; `several` where Ray folded more workers into one line. */
  readonly workers: readonly string[];
};

/** The head of the latest traceback of a Ray task, and the line that it stood in. */
export type TaskOrigin = { readonly worker: WorkerAddress; readonly lineNumber: number };

type SignatureMatches = {
  readonly lines: number;
  readonly origin: TaskOrigin | null;
  readonly failures: readonly SignatureMatch[];
};

/** Adds what one line says; `lines` is the number of this line. */
export function readFailure<Facts extends SignatureMatches>(facts: Facts, line: string): Facts {
  const task = taskAddress(line);
  const known = task === null ? facts : { ...facts, origin: { worker: task, lineNumber: facts.lines } };
  const found = SIGNATURES.filter(({ pattern }) => pattern.test(line));
  return found.reduce((all, { signature }) => withFailure(all, signature, line), known);
}

/** Adds a failure that the line shows, alone or beside what was read before it. */
export function withFailure<Facts extends SignatureMatches>(facts: Facts, id: string, line: string): Facts {
  const worker = workerAddress(line) ?? originOf(facts);
  const workers = worker === null ? [] : [nameOf(worker)];
  const seen = facts.failures.find((known) => known.id === id) ?? { id, line, workers: [] };
  const match = { ...seen, lastLineNumber: facts.lines, workers: joined(seen.workers, workers) };
  const isKnown = facts.failures.some((known) => known.id === id);
  const failures = isKnown
    ? facts.failures.map((known) => (known.id === id ? match : known))
    : [...facts.failures, match];
  return { ...facts, failures };
}

/** What is raised within a traceback belongs to the task that its head names. */
function originOf({ origin, lines }: SignatureMatches): WorkerAddress | null {
  return origin !== null && lines - origin.lineNumber <= limits.tracebackLinesMax ? origin.worker : null;
}

/** Beyond the bound nobody is named any more, and it is said that there are others. */
function joined(known: readonly string[], more: readonly string[]): readonly string[] {
  const fresh = more.filter((one) => !known.includes(one));
  if (fresh.length === 0 || known.includes(SEVERAL)) return known;
  return known.length + fresh.length <= FAILURE_WORKERS_MAX
    ? [...known, ...fresh]
    : [...known.slice(0, FAILURE_WORKERS_MAX - 1), SEVERAL];
}

const SEVERAL = nameOf({ kind: 'several' });

/** `several`: Ray folded the same line of more workers into this one and names the first alone. */
export type WorkerAddress = { readonly kind: 'one'; readonly address: string } | { readonly kind: 'several' };

// `(Train pid=42, ip=10.130.1.45) …` before a line; `ray::train() (pid=42, ip=10.130.1.45, actor_id=…)` at the head of a traceback.
const PLACE = /\((?:[^()]{0,200} )?pid=\d{1,10}, ip=([0-9A-Fa-f:.]{2,45})(?=[,)])/;
// `[repeated 3x across cluster]` (Ray's log deduplication, python/ray/_private/ray_logging).
const REPEATED = /\[repeated \d+x across (?:the )?cluster\]/;

/** The worker that a line names, or null. An address that is none is not one. */
export function workerAddress(line: string): WorkerAddress | null {
  const written = PLACE.exec(line)?.[1];
  const address = written === undefined ? null : canonicalAddress(written);
  if (address === null) return null;
  return REPEATED.test(line) ? { kind: 'several' } : { kind: 'one', address };
}

/** The worker in which a task failed, as the head of its traceback names it: what is raised below it names nobody. */
export function taskAddress(line: string): WorkerAddress | null {
  return line.includes('RayTaskError(') ? workerAddress(line) : null;
}

/** A worker as one word, its address or `several`. */
export function nameOf(worker: WorkerAddress): string {
  return worker.kind === 'one' ? worker.address : worker.kind;
}

/** The worker of such a word. */
export function workerOf(name: string): WorkerAddress {
  return name === 'several' ? { kind: 'several' } : { kind: 'one', address: name };
}
