/** Contains errors of one run, thread or file: they are reported there, and all other work continues. */

import type { Surface } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { GitError } from '../domain/git.ts';
import { limits } from '../domain/limits.ts';
import type { LookSubject } from '../domain/logbook/logbook-fault.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { CommentError, commentId } from '../domain/marker.ts';
import { cutText } from '../domain/values.ts';
import { redact } from '../host/redactor.ts';
import { type Hash, JOURNAL } from '../logbook/chain.ts';
import type { BrokenRun } from './broken-run.ts';
import type { Lab } from './lab.ts';

/** Maximum comments to skip per thread because of internal errors. With more, the whole thread waits. */
const COMMENTS_LEFT_OUT_MAX = 20;

/** Location of an error: a run id or `journal`, the thread to notify, and optionally a more precise `subject`. */
export type Location = { readonly run: string; readonly thread: number | null; readonly subject?: LookSubject };

/** `error`: a bug or an unexpected answer. */
export type Trouble = Location & { readonly error: Error };

type TroubleContext = { readonly lab: Pick<Lab, 'log'> };

/** The part of the record that locates threads. A structural type, because reading the record uses this module. */
type WithRecord = {
  readonly store: {
    readonly current: () => { readonly runs: readonly RunState[]; readonly broken: readonly BrokenRun[] };
  };
};

/** Runs the work for one run, thread or file, and logs errors as trouble. Throws only git failures that affect everything. */
export async function guard<T>(
  place: TroubleContext,
  troubles: Trouble[],
  where: Location,
  work: () => Promise<T> | T,
): Promise<T | null> {
  try {
    return await work();
  } catch (cause) {
    recordTrouble(place, troubles, where, cause);
    return null;
  }
}

/** Runs the work on a thread, and repeats it without the comments that make it throw. `withoutText` blanks those comments. */
export async function skipBadComments<T>(
  open: TroubleContext & WithRecord,
  troubles: Trouble[],
  work: (withoutText: (comments: readonly CommentFacts[]) => readonly CommentFacts[]) => Promise<T>,
): Promise<T> {
  const left = new Set<string>();
  const withoutText = (comments: readonly CommentFacts[]): readonly CommentFacts[] =>
    left.size === 0 ? comments : comments.map((one) => (left.has(commentId(one)) ? { ...one, body: '' } : one));
  for (;;) {
    try {
      return await work(withoutText);
    } catch (error) {
      const isLeft = error instanceof CommentError && left.has(commentId(error.comment));
      if (!(error instanceof CommentError) || isLeft || left.size >= COMMENTS_LEFT_OUT_MAX) throw error;
      left.add(commentId(error.comment));
      recordTrouble(open, troubles, locateComment(open, error.comment.thread, error.comment), error.cause);
    }
  }
}

type EachWork<Item, Made> = {
  readonly locationOf: (item: Item) => Location;
  readonly work: (item: Item) => readonly Made[];
};

/** Runs the work for each element. An element that throws contributes nothing. */
export function guardEach<Item, Made>(
  place: TroubleContext,
  troubles: Trouble[],
  items: Iterable<Item>,
  { locationOf, work }: EachWork<Item, Made>,
): readonly Made[] {
  return [...items].flatMap((item) => {
    try {
      return work(item);
    } catch (cause) {
      recordTrouble(place, troubles, locationOf(item), cause);
      return [];
    }
  });
}

function recordTrouble({ lab }: TroubleContext, troubles: Trouble[], where: Location, cause: unknown): void {
  // Unlike other git errors, an unreadable object affects only one run or branch.
  if (cause instanceof GitError && cause.code !== 'unreadable') throw cause;
  const error = cause instanceof Error ? cause : new Error(String(cause), { cause });
  lab.log(`a look failed and the others go on: ${error.stack ?? error.message}`, {
    run: where.run,
    ...(where.thread === null ? {} : { thread: where.thread }),
    ...(where.subject === undefined ? {} : { subject: `${where.subject.kind} ${where.subject.name}` }),
  });
  // Report a repeated error of one location once.
  const isKnown = troubles.some(
    (one) => one.run === where.run && one.thread === where.thread && one.error.message === error.message,
  );
  if (!isKnown) troubles.push({ ...where, error });
}

/** Converts trouble into a fault to post, once per location and message. */
export function troubleToFault(
  open: WithRecord & { readonly lab: Pick<Lab, 'hash'> },
  { run, thread, subject, error }: Trouble,
): BrokenRun {
  const message = describeError(error);
  const key = troubleKey(open.lab.hash, `${run} ${thread} ${subject?.name ?? ''}`, message);
  const { runs, broken } = open.store.current();
  const state = runs.find((one) => one.run === run) ?? broken.find((one) => one.run === run)?.state ?? null;
  return { run, fault: { kind: 'look-failed', key, message, subject: subject ?? null }, state, thread };
}

/** The message, redacted and shortened. */
export function describeError(error: Error): string {
  return cutText(redact(error.message, []), limits.shownTextCharsMax);
}

/** Identifies a message at a location, ignoring its numbers, which may vary. */
export function troubleKey(hash: Hash, place: string, message: string): string {
  const kind = message.replaceAll(/[0-9a-f]+/gi, (word) => (/\d/.test(word) ? '#' : word));
  return hash(`${place} ${kind}`).slice(0, KEY_DIGITS);
}

const KEY_DIGITS = 12;

/** Location for errors without a thread; they are posted in the newest run's thread. */
export const EVERYWHERE: Location = { run: JOURNAL, thread: null };

/** Location of an error that one comment caused. */
export function locateComment(
  { store }: WithRecord,
  thread: number,
  comment: { readonly surface: Surface; readonly id: number },
): Location {
  const owner = store
    .current()
    .runs.find((run) => !isOver(run) && [run.proposal.pull, run.proposal.issue].includes(thread));
  return { run: owner?.run ?? JOURNAL, thread, subject: { kind: 'comment', name: commentId(comment) } };
}

/** Location of an error in one cluster. */
export function locateCluster(name: string): Location {
  return { ...EVERYWHERE, subject: { kind: 'cluster', name } };
}

/** `ref` is the full ref name. */
export function locateBranch(ref: string): Location {
  return { ...EVERYWHERE, subject: { kind: 'branch', name: ref.replace('refs/heads/', '') } };
}

/** Location of an error in one lane. */
export function locateLane(name: string): Location {
  return { ...EVERYWHERE, subject: { kind: 'lane', name } };
}

/** Files that a bug made unreadable; they also fail the process. */
export function listUnreadFiles({ store }: WithRecord): readonly Trouble[] {
  return store
    .current()
    .broken.flatMap(({ run, fault, thread }) =>
      fault.kind === 'read-failed' ? [{ run, thread, error: new Error(fault.message) }] : [],
    );
}

/** Fails the process or trigger. Call it after all other work is done. */
export function throwFirstTrouble(troubles: readonly Trouble[]): void {
  if (troubles.length === 0) return;
  const places = troubles.map(
    ({ run, thread, error }) => `${run}${thread === null ? '' : ` #${thread}`}: ${error.message}`,
  );
  throw new AggregateError(
    troubles.map(({ error }) => error),
    `trouble in ${troubles.length} of what was looked at; everything else was done: ${places.join('; ')}`,
  );
}
