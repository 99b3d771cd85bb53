/** Compares the recorded failures of two attempts (policy DF-27, ML-33). */

import type { Failure } from '../failure-class.ts';
import type { PastAttempt } from '../logbook/run-state.ts';
import { isWithheld } from '../withheld.ts';

/** A failed job without a diagnosis is `unknown`. */
export function failureOf({ end }: Pick<PastAttempt, 'end'>): Failure {
  return end.status === 'STOPPED' ? 'stopped' : (end.diagnosis?.class ?? 'unknown');
}

/** The common signature or class of both failures; null if they differ or cannot be compared. */
export function sameFailure(one: PastAttempt, other: PastAttempt): string | null {
  const signature = one.end.signatures.find((id) => other.end.signatures.includes(id));
  if (signature !== undefined) return signature;
  const print = fingerprintOf(one);
  return print !== null && print === fingerprintOf(other) ? failureOf(one) : null;
}

/**
 * The class plus the location in the lab's code, or the log's error text without parts that vary between jobs. Null if the text was
 * withheld, and for manifests that do not record responses.
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

/** The file with its parent folder: the rest is where this job was unpacked. */
function fileOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** Drops words that contain a digit. */
function plain(text: string): string {
  const words = text.toLowerCase().split(/[^a-z0-9]/);
  return words.filter((word) => word !== '' && !/[0-9]/.test(word)).join(' ');
}
