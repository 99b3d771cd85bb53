/** Whether two attempts failed in the same way, by what was recorded of their ends (policy DF-27, ML-33). */

import type { Failure } from '../failure-class.ts';
import type { PastAttempt } from '../logbook/run-state.ts';
import { isWithheld } from '../withheld.ts';

/** What the attempt ended with. A job that failed without a diagnosis is unknown. */
export function failureOf({ end }: Pick<PastAttempt, 'end'>): Failure {
  return end.status === 'STOPPED' ? 'stopped' : (end.diagnosis?.class ?? 'unknown');
}

/** What both ended with, as a signature or a class; null where they differ, or nobody can tell. */
export function sameFailure(one: PastAttempt, other: PastAttempt): string | null {
  const signature = one.end.signatures.find((id) => other.end.signatures.includes(id));
  if (signature !== undefined) return signature;
  const print = fingerprintOf(one);
  return print !== null && print === fingerprintOf(other) ? failureOf(one) : null;
}

/**
 * The class, and where in the lab's own code it happened, or what the log says where it happened in none: without what
 * differs between two jobs, such as times, addresses and ids. Null where the text was withheld, and for manifests of before
 * there were responses.
 */
function fingerprintOf(attempt: PastAttempt): string | null {
  const failure = failureOf(attempt);
  if (attempt.order.manifest?.envelope.restartAfter === undefined) return null;
  if (failure === 'unknown' || failure === 'benign') return null;
  if (failure === 'stopped') return failure;
  const { place = null, error = null, evidence = [] } = attempt.end.diagnosis ?? {};
  const text = place?.file ?? error ?? evidence[0] ?? '';
  if (isWithheld(text)) return null;
  return `${failure} ${place === null ? plain(text) : `${fileOf(text)}:${place.line}`}`;
}

/** The name in its folder: what stands before it is where this job was unpacked. */
function fileOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** Its words without those that have a digit. */
function plain(text: string): string {
  const words = text.toLowerCase().split(/[^a-z0-9]/);
  return words.filter((word) => word !== '' && !/[0-9]/.test(word)).join(' ');
}
