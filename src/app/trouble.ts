/** Trouble that is met while one run, thread or file is looked at: it stays there, is told there, and everything else goes on. */

import { cutText } from '../domain/cut-text.ts';
import { GitError } from '../domain/git.ts';
import { limits } from '../domain/limits.ts';
import { redact } from '../host/redactor.ts';
import { JOURNAL } from '../logbook/rules.ts';
import type { BrokenRun } from './broken-run.ts';
import type { OpenLab } from './open-lab.ts';

/** What was looked at: a run's id or `journal`, and the thread to tell where no run has one. */
export type Where = { readonly run: string; readonly thread: number | null };

/** What was met there; `error` is a bug, or an answer that nobody foresaw. */
export type Trouble = Where & { readonly error: Error };

/**
 * Does the work on one run, thread or file. What is thrown there becomes a trouble, logged with its cause; only what
 * concerns everything, a git that cannot be reached, ends the look.
 */
export async function contained<T>(
  open: OpenLab,
  troubles: Trouble[],
  where: Where,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof GitError) throw cause;
    const error = cause instanceof Error ? cause : new Error(String(cause), { cause });
    open.lab.log(`a look failed and the others go on: ${error.stack ?? error.message}`, {
      run: where.run,
      ...(where.thread === null ? {} : { thread: where.thread }),
    });
    troubles.push({ ...where, error });
    return null;
  }
}

/** The trouble as what a thread is told about: once for each place and message, by whoever records it. */
export function asBroken(open: OpenLab, { run, thread, error }: Trouble): BrokenRun {
  const message = cutText(redact(error.message, []), limits.shownTextCharsMax);
  const key = open.lab.hash(`${run} ${thread} ${message}`).slice(0, KEY_DIGITS);
  const state = open.keeper.current().runs.find((one) => one.run === run) ?? null;
  return { run, fault: { kind: 'look-failed', key, message }, state, thread };
}

/** Enough to tell the messages of one thread apart. */
const KEY_DIGITS = 12;

/** Of the repository as a whole: told in the newest run's thread. */
export const EVERYWHERE: Where = { run: JOURNAL, thread: null };

/** Ends a process or wake that met trouble as failed, after everything else was done. */
export function throwIfAny(troubles: readonly Trouble[]): void {
  if (troubles.length === 0) return;
  const places = troubles.map(
    ({ run, thread, error }) => `${run}${thread === null ? '' : ` #${thread}`}: ${error.message}`,
  );
  throw new AggregateError(
    troubles.map(({ error }) => error),
    `trouble in ${troubles.length} of what was looked at; everything else was done: ${places.join('; ')}`,
  );
}
