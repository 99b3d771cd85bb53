/** Trouble that is met while one run, thread or file is looked at: it stays there, is told there, and everything else goes on. */

import { commentName } from '../domain/answer-key.ts';
import type { Surface } from '../domain/command.ts';
import { CommentError } from '../domain/comment-error.ts';
import { cutText } from '../domain/cut-text.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { GitError } from '../domain/git.ts';
import { limits } from '../domain/limits.ts';
import type { LookSubject } from '../domain/logbook/logbook-fault.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { redact } from '../host/redactor.ts';
import type { Hash } from '../logbook/ports.ts';
import { JOURNAL } from '../logbook/rules.ts';
import type { BrokenRun } from './broken-run.ts';
import type { Lab } from './lab.ts';

/** Comments that one look at a thread leaves out because of errors of our own; beyond it the whole thread waits. */
const COMMENTS_LEFT_OUT_MAX = 20;

/**
 * What was looked at: a run's id or `journal`, the thread to tell where no run has one, and `subject` where it was one
 * part of that.
 */
export type Where = {
  readonly run: string;
  readonly thread: number | null;
  readonly subject?: LookSubject;
};

/** What was met there; `error` is a bug, or an answer that nobody foresaw. */
export type Trouble = Where & { readonly error: Error };

/** Where trouble is logged. */
type Place = { readonly lab: Pick<Lab, 'log'> };

/** The record that tells whose thread it is; what reads the record contains its own trouble, so this is not its type. */
type WithRecord = {
  readonly store: {
    readonly current: () => { readonly runs: readonly RunState[]; readonly broken: readonly BrokenRun[] };
  };
};

/**
 * Does the work on one run, thread or file. What is thrown there becomes a trouble, logged with its cause; only what
 * concerns everything, a git that cannot be reached or written, ends the look.
 */
export async function contained<T>(
  place: Place,
  troubles: Trouble[],
  where: Where,
  work: () => Promise<T> | T,
): Promise<T | null> {
  try {
    return await work();
  } catch (cause) {
    note(place, troubles, where, cause);
    return null;
  }
}

/**
 * Does the work on a thread without what is said in comments that it throws for: each is a trouble of its own, and all
 * others are answered. `withoutText` is what the work applies to the comments that it read.
 */
export async function apartFromComments<T>(
  open: Place & WithRecord,
  troubles: Trouble[],
  work: (withoutText: (comments: readonly CommentFacts[]) => readonly CommentFacts[]) => Promise<T>,
): Promise<T> {
  const left = new Set<string>();
  const withoutText = (comments: readonly CommentFacts[]): readonly CommentFacts[] =>
    left.size === 0
      ? comments
      : comments.map((one) => (left.has(commentName(one)) ? { ...one, body: '' } : one));
  for (;;) {
    try {
      return await work(withoutText);
    } catch (error) {
      const isLeft = error instanceof CommentError && left.has(commentName(error.comment));
      if (!(error instanceof CommentError) || isLeft || left.size >= COMMENTS_LEFT_OUT_MAX) throw error;
      left.add(commentName(error.comment));
      note(open, troubles, inComment(open, error.comment.thread, error.comment), error.cause);
    }
  }
}

/** What the work makes of each element; one for which it throws gives nothing. */
export function containedEach<Item, Made>(
  place: Place,
  troubles: Trouble[],
  items: Iterable<Item>,
  whereOf: (item: Item) => Where,
  work: (item: Item) => readonly Made[],
): readonly Made[] {
  return [...items].flatMap((item) => {
    try {
      return work(item);
    } catch (cause) {
      note(place, troubles, whereOf(item), cause);
      return [];
    }
  });
}

function note({ lab }: Place, troubles: Trouble[], where: Where, cause: unknown): void {
  // An object that cannot be read is what one run or branch needs; the others have theirs.
  if (cause instanceof GitError && cause.code !== 'unreadable') throw cause;
  const error = cause instanceof Error ? cause : new Error(String(cause), { cause });
  lab.log(`a look failed and the others go on: ${error.stack ?? error.message}`, {
    run: where.run,
    ...(where.thread === null ? {} : { thread: where.thread }),
    ...(where.subject === undefined ? {} : { subject: `${where.subject.kind} ${where.subject.name}` }),
  });
  // One place that fails at each of its looks within a turn is told once.
  const isKnown = troubles.some(
    (one) => one.run === where.run && one.thread === where.thread && one.error.message === error.message,
  );
  if (!isKnown) troubles.push({ ...where, error });
}

/** The trouble as what a thread is told about: once for each place and message, by whoever records it. */
export function asBroken(
  open: WithRecord & { readonly lab: Pick<Lab, 'hash'> },
  { run, thread, subject, error }: Trouble,
): BrokenRun {
  const message = wordsOf(error);
  const key = troubleKey(open.lab.hash, `${run} ${thread} ${subject?.name ?? ''}`, message);
  const { runs, broken } = open.store.current();
  const state = runs.find((one) => one.run === run) ?? broken.find((one) => one.run === run)?.state ?? null;
  return { run, fault: { kind: 'look-failed', key, message, subject: subject ?? null }, state, thread };
}

/** What an error says, as it may be shown. */
export function wordsOf(error: Error): string {
  return cutText(redact(error.message, []), limits.shownTextCharsMax);
}

/** Names a message at a place, but for its numbers: *timed out after 30012 ms* and *after 30087 ms* are one trouble. */
export function troubleKey(hash: Hash, place: string, message: string): string {
  const kind = message.replaceAll(/[0-9a-f]+/gi, (word) => (/\d/.test(word) ? '#' : word));
  return hash(`${place} ${kind}`).slice(0, KEY_DIGITS);
}

/** Enough to tell the messages of one thread apart. */
const KEY_DIGITS = 12;

/** Of the repository as a whole: told in the newest run's thread. */
export const EVERYWHERE: Where = { run: JOURNAL, thread: null };

/** Of one comment in a thread, as the run's whose thread it is. */
export function inComment(
  { store }: WithRecord,
  thread: number,
  comment: { readonly surface: Surface; readonly id: number },
): Where {
  const owner = store
    .current()
    .runs.find((run) => !isOver(run) && [run.proposal.pull, run.proposal.issue].includes(thread));
  return { run: owner?.run ?? JOURNAL, thread, subject: { kind: 'comment', name: commentName(comment) } };
}

/** Of one cluster, whatever its runs. */
export function inCluster(name: string): Where {
  return { ...EVERYWHERE, subject: { kind: 'cluster', name } };
}

/** Of one branch that was pushed to; `ref` is its full name. */
export function onBranch(ref: string): Where {
  return { ...EVERYWHERE, subject: { kind: 'branch', name: ref.replace('refs/heads/', '') } };
}

/** Of one lane, whatever its runs. */
export function inLane(name: string): Where {
  return { ...EVERYWHERE, subject: { kind: 'lane', name } };
}

/** Files that a bug keeps from being read: they are told as what is broken, and end a process as failed all the same. */
export function unreadFiles({ store }: WithRecord): readonly Trouble[] {
  return store
    .current()
    .broken.flatMap(({ run, fault, thread }) =>
      fault.kind === 'read-failed' ? [{ run, thread, error: new Error(fault.message) }] : [],
    );
}

/** Ends a process or trigger that met trouble as failed, after everything else was done. */
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
