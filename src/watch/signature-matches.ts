/** Which failure signatures a log has shown, how often, in which line first, and on which workers of a Ray job. */

import { SIGNATURES } from '../diagnosis/rows.ts';
import { canonicalAddress } from '../domain/care/tpu-vm.ts';
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
export type TaskOrigin = { readonly worker: string; readonly lineNumber: number };

type SignatureMatches = {
  readonly lines: number;
  readonly origin: TaskOrigin | null;
  readonly failures: readonly SignatureMatch[];
};

/** Adds what one line says; `lines` is the number of this line. */
export function readFailure<Facts extends SignatureMatches>(facts: Facts, line: string): Facts {
  const task = line.includes('RayTaskError(') ? workerAddress(line) : null;
  const known = task === null ? facts : { ...facts, origin: { worker: task, lineNumber: facts.lines } };
  const found = SIGNATURES.filter(({ pattern }) => pattern.test(line));
  return found.reduce((all, { signature }) => withFailure(all, signature, line), known);
}

/** Adds a failure that the line shows, alone or beside what was read before it. */
export function withFailure<Facts extends SignatureMatches>(facts: Facts, id: string, line: string): Facts {
  const worker = workerAddress(line) ?? originOf(facts);
  const seen = facts.failures.find((known) => known.id === id) ?? { id, line, workers: [] };
  const match = { ...seen, lastLineNumber: facts.lines, workers: joined(seen.workers, worker) };
  const isKnown = facts.failures.some((known) => known.id === id);
  const failures = isKnown
    ? facts.failures.map((known) => (known.id === id ? match : known))
    : [...facts.failures, match];
  return { ...facts, failures };
}

/** What is raised within a traceback belongs to the task that its head names. */
function originOf({ origin, lines }: SignatureMatches): string | null {
  return origin !== null && lines - origin.lineNumber <= limits.tracebackLinesMax ? origin.worker : null;
}

/** Beyond the limit, `several` stands for the other workers. */
function joined(known: readonly string[], worker: string | null): readonly string[] {
  if (worker === null || known.includes(worker) || known.includes(SEVERAL)) return known;
  return known.length < FAILURE_WORKERS_MAX
    ? [...known, worker]
    : [...known.slice(0, FAILURE_WORKERS_MAX - 1), SEVERAL];
}

const SEVERAL = 'several';

// `(Train pid=42, ip=10.130.1.45) …` before a line; `ray::train() (pid=42, ip=10.130.1.45, actor_id=…)` at the head of a traceback.
const PLACE = /\((?:[^()]{0,200} )?pid=\d{1,10}, ip=([0-9A-Fa-f:.]{2,45})(?=[,)])/;
// `[repeated 3x across cluster]` (Ray's log deduplication, python/ray/_private/ray_logging).
const REPEATED = /\[repeated \d+x across (?:the )?cluster\]/;

/** The address of the worker that a line names, or null. `several` if Ray folded the same line of more workers into this one. */
export function workerAddress(line: string): string | null {
  const written = PLACE.exec(line)?.[1];
  const address = written === undefined ? null : canonicalAddress(written);
  return address !== null && REPEATED.test(line) ? SEVERAL : address;
}
