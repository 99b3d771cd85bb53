/** What people said that is not answered yet: commands seen in the threads minus commands answered in the logbook. */

import { type BoundedReading, readCommentOf } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import { commentName, isToUntrusted } from '../domain/answer-key.ts';
import { type MutationRecord, waitedAt } from '../domain/care/mutation-state.ts';
import { aboutComment } from '../domain/comment-error.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { after, fromRfc3339 } from '../domain/time.ts';
import { namesCommand, readingOfComment } from './comment-readings.ts';

/** Unanswered comments of one person that are parsed at a look, the newest, while GitHub has not said that they may do anything here. */
export const UNTRUSTED_COMMENTS_PER_LOOK = 20;

/**
 * One slash command, one that was not understood, one hint, or one that an edit brought or took away; `index` counts
 * them within their comment.
 */
export type PendingItem = {
  readonly comment: CommentFacts;
  readonly index: number;
  readonly said: Said;
};

export type Said =
  | { readonly kind: 'command'; readonly name: string; readonly args: Readonly<Record<string, string>> }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly word: string;
      readonly line: number;
      readonly column: number;
      readonly suggest: string;
      readonly takes?: string;
    }
  | { readonly kind: 'hint'; readonly word: string; readonly reason: string; readonly line: number }
  /** A long comment of somebody whom GitHub has not told about yet: it names a command, and is read when that is known. */
  | { readonly kind: 'unread' }
  /** Only created comments command: the answer says to post it anew. */
  | { readonly kind: 'edited'; readonly name: string; readonly args: Readonly<Record<string, string>> };

type Permissions = ReadonlyMap<number, Observed<Permission>>;

export type PendingOptions = {
  readonly since: Instant;
  readonly otherBots: readonly string[];
  /** What GitHub said of the authors just now. Whoever is not in it is read as a stranger, and what that leaves is `unread`. */
  readonly permissions: Permissions;
};

/** Unanswered items of the run's threads, oldest first. Bots never command; text from before the run is not addressed to it. */
export function pendingItems(
  commands: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  { since, otherBots, permissions }: PendingOptions,
): readonly PendingItem[] {
  const seen = byComment(commands);
  const open = comments
    .filter((comment) => !comment.authorIsBot && !comment.byUs && comment.createdAt >= since)
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
    .map((comment) => ({ comment, before: seen.get(commentName(comment)) ?? [] }))
    .filter(({ comment, before }) => !wasAnsweredAsUntrusted(comment.editedAt !== null, before));
  // Of a comment that was answered already, its author was somebody here: the rest of it is read alike.
  const isTrusted = ({ comment, before }: OpenComment): boolean =>
    isColleague(permissions.get(comment.author.id)) || (before.length > 0 && !before.some(isToUntrusted));
  const parsed = parsedOfOthers(
    open.filter((one) => !isTrusted(one)).map(({ comment }) => comment),
    permissions,
  );
  return open.flatMap((one) => {
    const { comment, before } = one;
    const held = permissions.get(comment.author.id);
    const saidBy = (): readonly Said[] => {
      if (isTrusted(one)) return saidIn(readingOfComment(comment, 'trusted', otherBots), held);
      return parsed.has(comment)
        ? saidIn(readingOfComment(comment, 'stranger', otherBots), held)
        : unparsed(comment, held);
    };
    const items = aboutComment(comment, () => openOf(comment.editedAt !== null, saidBy, before));
    return items.map((item) => ({ comment, ...item }));
  });
}

type OpenComment = { readonly comment: CommentFacts; readonly before: readonly SeenCommand[] };

/**
 * Which comments of people of whom GitHub has not said that they may do anything here are parsed at one look. Of a known
 * stranger the first, who are answered in turn; of somebody unknown the newest, so that a new command has its author asked about.
 */
function parsedOfOthers(
  comments: readonly CommentFacts[],
  permissions: Permissions,
): ReadonlySet<CommentFacts> {
  const theirs = Map.groupBy(comments, ({ author }) => author.id);
  const most = UNTRUSTED_COMMENTS_PER_LOOK;
  return new Set(
    [...theirs].flatMap(([id, ofOne]) =>
      permissions.get(id)?.kind === 'known' ? ofOne.slice(0, most) : ofOne.slice(-most),
    ),
  );
}

/** Somebody who may do something here, as far as GitHub has said so. */
function isColleague(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && permits(held.value, 'triage');
}

/** Strangers are answered comment by comment: what was told of one of its lines is told of the comment. */
function wasAnsweredAsUntrusted(isEdited: boolean, seen: readonly SeenCommand[]): boolean {
  return !isEdited && seen.some(isToUntrusted) && seen.every(({ answer }) => answer !== null);
}

/** Beyond what is parsed of one person: whether it names a command is all that is asked, and only until GitHub has said who they are. */
function unparsed(comment: CommentFacts, held: Observed<Permission> | undefined): readonly Said[] {
  if (held?.kind === 'known') return [];
  return namesCommand(comment) ? [{ kind: 'unread' }] : [];
}

type Open = { readonly index: number; readonly said: Said };

/** What the question needs to know of a comment; `isEdited`: its text is, or may be, another than when it was created. */
type Written = Pick<CommentFacts, 'body'> & { readonly isEdited: boolean };

/** What of a comment wants an answer that the record does not have, in the order in which it stands there, read as a stranger's. */
export function openIn(
  comment: Written,
  seen: readonly SeenCommand[],
  otherBots: readonly string[],
): readonly Open[] {
  if (wasAnsweredAsUntrusted(comment.isEdited, seen)) return [];
  const read = () => readCommentOf('stranger', comment.body, COMMAND_DEFINITIONS, { otherBots });
  return openOf(comment.isEdited, () => saidIn(read(), undefined), seen);
}

function openOf(
  isEdited: boolean,
  saidBy: () => readonly Said[],
  seen: readonly SeenCommand[],
): readonly Open[] {
  if (!isEdited) {
    const answered = new Set(seen.filter((one) => one.answer !== null).map((one) => one.index));
    return saidBy()
      .map((one, index) => ({ index, said: one }))
      .filter(({ index }) => !answered.has(index));
  }
  const begun = seen
    .filter((one) => one.answer === null)
    .map(({ index, name, args }) => ({ index, said: { kind: 'edited', name, args } as const }));
  // Once: whoever goes on editing has been told already.
  if (begun.length > 0 || seen.some((one) => one.answer?.code === 'comment-edited')) return begun;
  const said = saidBy();
  const added = said.find((one) => one.kind === 'command' && !seen.some((old) => isSame(old, one)));
  if (added?.kind === 'command')
    return [{ index: afterAll(seen), said: { kind: 'edited', name: added.name, args: added.args } }];
  return seen.length > 0 && !said.some(({ kind }) => kind === 'unread')
    ? []
    : said.map((one, index) => ({ index, said: one }));
}

function afterAll(seen: readonly SeenCommand[]): number {
  return seen.reduce((next, one) => Math.max(next, one.index + 1), 0);
}

function isSame(seen: SeenCommand, said: Extract<Said, { kind: 'command' }>): boolean {
  const names = Object.keys(said.args);
  return (
    seen.name === said.name &&
    names.length === Object.keys(seen.args).length &&
    names.every((name) => seen.args[name] === said.args[name])
  );
}

/** The recorded commands by the comment that they stand in; `commentName` gives the key. */
export function byComment(
  commands: ReadonlyMap<string, SeenCommand>,
): ReadonlyMap<string, readonly SeenCommand[]> {
  return Map.groupBy(commands.values(), (seen) => commentName({ surface: seen.surface, id: seen.comment }));
}

/** Commands that were recorded as seen, have no answer, and whose comment stands in none of the threads any more. */
export function goneCommands(
  commands: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
): readonly SeenCommand[] {
  const standing = new Set(comments.map((comment) => commentName(comment)));
  return [...commands.values()].filter(
    (seen) => seen.answer === null && !standing.has(commentName({ surface: seen.surface, id: seen.comment })),
  );
}

/**
 * Other bots have an `/approve` too: one without a digest is left to them, unless an action waited in that thread when it was
 * written.
 */
export function isForUs(
  said: Said,
  comment: Pick<CommentFacts, 'thread' | 'createdAt'>,
  mutations: readonly MutationRecord[],
): boolean {
  return !isBareApprove(said) || mutations.some((one) => waitedAt(one, comment));
}

function isBareApprove(said: Said): boolean {
  if (said.kind === 'command' || said.kind === 'edited')
    return said.name === 'approve' && said.args['digest'] === undefined;
  return said.kind !== 'unread' && said.word === '/approve';
}

/** Key of an item in the record. */
export function itemKey({ comment, index }: PendingItem): string {
  return commandKey({ surface: comment.surface, comment: comment.id, index });
}

/** Everything in a comment's text that wants an answer, in the order in which it stands there. */
function saidIn(
  { reading, isWhole }: BoundedReading,
  held: Observed<Permission> | undefined,
): readonly Said[] {
  if (!isWhole && held?.kind !== 'known') return reading.hint === null ? [] : [{ kind: 'unread' }];
  const said = [
    ...reading.commands.map(({ line, column, name, args }) => ({
      line,
      column,
      said: { kind: 'command', name, args } as const,
    })),
    ...reading.errors.map(({ line, column, code, word, suggest, takes }) => ({
      line,
      column,
      said: {
        kind: 'error',
        ...{ code, word, line, column, suggest: suggest ?? '' },
        ...(takes === undefined ? {} : { takes }),
      } as const,
    })),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (said.length > 0) return said.map((one) => one.said);
  const { hint } = reading;
  return hint === null ? [] : [{ kind: 'hint', word: hint.word, reason: hint.reason, line: hint.line }];
}

/** The moment from which a run is spoken to: a comment older than the run was not said to it. GitHub tells whole seconds. */
export function commandsSince(state: RunState): Instant {
  const at = fromRfc3339(state.proposedAt);
  if (at === null) throw new Error('a folded run carries a valid time');
  return after(at, -(at % 1_000));
}

/** From when on a run's threads are read: what answers or publishes it is younger than the run, whatever the clocks say. */
export function threadsSince(state: RunState): Instant {
  return after(commandsSince(state), -limits.sweepSlackMs);
}
