/** Which worker a line of a Ray job's log comes from: Ray names process and address of workers on other nodes. */

import { canonicalAddress } from '../domain/ip-address.ts';

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
