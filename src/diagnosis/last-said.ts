/** Where a log last said how things stand, whatever the job died of. */

import { FAILURE, OVERCOME, RESTART, STRAY, tellsOfSuccess, WARNED_OF } from './outcome-words.ts';
import type { Level } from './unprefixed.ts';

/** Lines, from 1; 0 where none says it. */
export type LastSaid = {
  /** That all went well, and that something did not. */
  successAt: number;
  failureAt: number;
  /** A launcher began again. */
  restartedAt: number;
  /** What was lost is there again. */
  overcomeAt: number;
  /** The name of an exception that stands in no traceback. */
  strayAt: number;
  /** What a logger calls an error. */
  errorAt: number;
};

/** Of a log of which nothing was read. */
export function newLastSaid(): LastSaid {
  return { successAt: 0, failureAt: 0, restartedAt: 0, overcomeAt: 0, strayAt: 0, errorAt: 0 };
}

/** Takes the next line. */
export function noteSaid(said: LastSaid, text: string, level: Level | null, line: number): void {
  if (OVERCOME.test(text)) said.overcomeAt = line;
  if (STRAY.test(text)) said.strayAt = line;
  if (RESTART.test(text)) said.restartedAt = line;
  if (level === 'error') said.errorAt = line;
  // What else only warns has not failed.
  if (FAILURE.test(text) && (level !== 'warning' || WARNED_OF.test(text))) said.failureAt = line;
  else if (tellsOfSuccess(text)) said.successAt = line;
}
