/** Unanswered commands: commands in the threads minus commands answered in the logbook. */

import { findOfferedDigests } from '../commands/grammar/approved-text.ts';
import {
  type BoundedReading,
  type CommentAuthorTrust,
  readCommentWithinBounds,
} from '../commands/grammar/read-comment.ts';
import { findCommandWord } from '../commands/grammar/reading.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { type ActionRecord, wasPendingAt } from '../domain/actions/action.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { commentId, isAnswerToUntrusted, isQuietAnswer, withCommentContext } from '../domain/marker.ts';
import { addMs, fromRfc3339, type Instant, type Observed } from '../domain/values.ts';

/** Enough for a full thread, at a few hundred bytes each. */
const COMMENT_READINGS_KEPT = 20_000;

type CommentText = Pick<CommentFacts, 'bodyDigest' | 'body'>;

const keptReadings = new Map<string, BoundedReading>();
const keptNames = new Map<string, boolean>();
const keptDigests = new Map<string, readonly string[]>();

/** `bodyDigest` is part of the key, so an edit takes effect immediately. */
function readCachedComment(
  comment: CommentText,
  speaker: CommentAuthorTrust,
  otherBots: readonly string[],
): BoundedReading {
  const key = [speaker, commentTextKey(comment), ...otherBots].join(' ');
  return readOncePerKey(keptReadings, key, () =>
    readCommentWithinBounds(speaker, comment.body, COMMAND_DEFINITIONS, { otherBots }),
  );
}

/** Whether a comment that is not parsed names a command. */
function mentionsCommand(comment: CommentText): boolean {
  return readOncePerKey(
    keptNames,
    commentTextKey(comment),
    () => findCommandWord(comment.body, COMMAND_DEFINITIONS) !== null,
  );
}

/** Digests that a comment offers for approval like a card does. */
export function readOfferedDigests(comment: CommentText): readonly string[] {
  return readOncePerKey(keptDigests, commentTextKey(comment), () => findOfferedDigests(comment.body));
}

/** The key contains the length because ferrybot's own text is stored in full, other text without tokens. */
function commentTextKey({ bodyDigest, body }: CommentText): string {
  return `${bodyDigest} ${body.length}`;
}

function readOncePerKey<Answer>(answers: Map<string, Answer>, key: string, read: () => Answer): Answer {
  const answer = answers.get(key) ?? read();
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > COMMENT_READINGS_KEPT && oldest !== undefined) answers.delete(oldest);
  return answer;
}

/** How many comments of one person are parsed in one pass while the person's permission is unknown or absent. */
export const UNTRUSTED_COMMENTS_PER_READ = 20;

/** A command, a parse error, a hint, or an edit; `index` counts within the comment. */
export type PendingItem = { readonly comment: CommentFacts; readonly index: number; readonly parsed: CommentCommand };

export type CommentCommand =
  | { readonly kind: 'command'; readonly name: string; readonly args: Readonly<Record<string, string>> }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly word: string;
      readonly line: number;
      readonly column: number;
      readonly suggest: string;
      readonly expected?: string;
    }
  | { readonly kind: 'hint'; readonly word: string; readonly reason: string; readonly line: number }
  /** A long comment that names a command; parsed once its author's permission is known. */
  | { readonly kind: 'unread' }
  /** An edited command. Only new comments count as commands, so the answer asks the author to post it again. */
  | { readonly kind: 'edited'; readonly name: string; readonly args: Readonly<Record<string, string>> };

/** The hint for a review with *Approve*, which approves no launch. */
const REVIEW_HINT = { kind: 'hint', word: '/approve-launch', reason: 'review', line: 1 } as const;

type Permissions = ReadonlyMap<number, Observed<Permission>>;

export type PendingOptions = {
  readonly since: Instant;
  readonly otherBots: readonly string[];
  /** Current permissions of authors. Others are parsed as outsiders; what that skips is `unread`. */
  readonly permissions: Permissions;
  /** Whether a review with *Approve* by this person gets a hint. Left out: none does. */
  readonly needsApprovalOf?: (person: Actor) => boolean;
};

/**
 * The unanswered items, oldest first. Ignores bots and comments older than the run. For a person without a known role, one pass parses only
 * the newest comments: a new command triggers a permission lookup, and the next pass continues with older ones.
 */
export function listPendingItems(
  commands: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  { since, otherBots, permissions, needsApprovalOf }: PendingOptions,
): readonly PendingItem[] {
  const seen = groupByComment(commands);
  const parsedOf = new Map<number, number>();
  const found: (readonly PendingItem[])[] = [];
  const oldestFirst = comments.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  for (const comment of oldestFirst.toReversed()) {
    if (comment.authorIsBot || comment.isByOwnLogin || comment.createdAt < since) continue;
    const isEdited = comment.editedAt !== null;
    const before = seen.get(commentId(comment)) ?? [];
    if (wasAnsweredAsUntrustedComment(isEdited, before)) continue;
    const { id } = comment.author;
    const held = permissions.get(id);
    // An answered comment came from a person with a role, so its remaining lines are parsed the same way.
    const isTrusted = hasWriteAccess(held) || (before.length > 0 && !before.some(isAnswerToUntrusted));
    const parsed = parsedOf.get(id) ?? 0;
    if (!isTrusted) parsedOf.set(id, parsed + 1);
    const readCommands = (): readonly CommentCommand[] =>
      isTrusted || parsed < UNTRUSTED_COMMENTS_PER_READ
        ? toCommands(readCachedComment(comment, isTrusted ? 'trusted' : 'stranger', otherBots), held)
        : toUnreadCommand(comment, held);
    const hinted = comment.approves === true && needsApprovalOf?.(comment.author) === true;
    const saidOrHint = (): readonly CommentCommand[] => {
      const said = readCommands();
      return said.length === 0 && hinted ? [REVIEW_HINT] : said;
    };
    const items = withCommentContext(comment, () => filterOpenItems(isEdited, saidOrHint, before));
    found.push(items.map((item) => ({ comment, ...item })));
  }
  return found.toReversed().flat();
}

function hasWriteAccess(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && permits(held.value, 'triage');
}

/** Outsiders get one answer per comment. */
function wasAnsweredAsUntrustedComment(isEdited: boolean, seen: readonly SeenCommand[]): boolean {
  return !isEdited && seen.some(isAnswerToUntrusted) && seen.every(({ answer }) => answer !== null);
}

/** Beyond the limit, only checks for a command's name, until the permission is known. */
function toUnreadCommand(comment: CommentFacts, held: Observed<Permission> | undefined): readonly CommentCommand[] {
  if (held?.kind === 'known') return [];
  return mentionsCommand(comment) ? [{ kind: 'unread' }] : [];
}

type OpenItem = { readonly index: number; readonly parsed: CommentCommand };

/** `isEdited`: the text may differ from the created one. */
type Written = Pick<CommentFacts, 'body'> & { readonly isEdited: boolean };

/** Unanswered items of a comment in order, parsed as an outsider's. */
export function listOpenItems(
  comment: Written,
  seen: readonly SeenCommand[],
  otherBots: readonly string[],
): readonly OpenItem[] {
  if (wasAnsweredAsUntrustedComment(comment.isEdited, seen)) return [];
  const read = () => readCommentWithinBounds('stranger', comment.body, COMMAND_DEFINITIONS, { otherBots });
  return filterOpenItems(comment.isEdited, () => toCommands(read(), undefined), seen);
}

function filterOpenItems(
  isEdited: boolean,
  saidBy: () => readonly CommentCommand[],
  seen: readonly SeenCommand[],
): readonly OpenItem[] {
  if (!isEdited)
    return saidBy().flatMap((said, index) =>
      seen.some((one) => one.index === index && one.answer !== null) ? [] : { index, parsed: said },
    );
  const begun = seen
    .filter((one) => one.answer === null)
    .map(({ index, name, args }) => ({ index, parsed: { kind: 'edited', name, args } as const }));
  // Further edits get no further answer.
  if (begun.length > 0 || seen.some((one) => one.answer?.code === 'comment-edited')) return begun;
  const said = saidBy();
  const added = said.find((one) => one.kind === 'command' && !seen.some((old) => isSameCommand(old, one)));
  if (added?.kind === 'command') {
    const index = Math.max(-1, ...seen.map((one) => one.index)) + 1;
    return [{ index, parsed: { kind: 'edited', name: added.name, args: added.args } }];
  }
  const isAnswered = seen.length > 0 && !said.some(({ kind }) => kind === 'unread');
  return isAnswered ? [] : said.map((one, index) => ({ index, parsed: one }));
}

function isSameCommand(seen: SeenCommand, said: Extract<CommentCommand, { kind: 'command' }>): boolean {
  const names = Object.keys(said.args);
  return (
    seen.name === said.name &&
    names.length === Object.keys(seen.args).length &&
    names.every((name) => seen.args[name] === said.args[name])
  );
}

/** The commands grouped by comment, keyed by `commentId`. */
export function groupByComment(
  commands: ReadonlyMap<string, SeenCommand>,
): ReadonlyMap<string, readonly SeenCommand[]> {
  return Map.groupBy(commands.values(), (seen) => commentId({ surface: seen.surface, id: seen.comment }));
}

/**
 * Other bots also have an `/approve`. ferrybot ignores one without a digest, unless an action waited in that thread when the
 * command was written.
 */
export function isAddressedToBot(
  said: CommentCommand,
  comment: Pick<CommentFacts, 'thread' | 'createdAt'>,
  actions: readonly ActionRecord[],
): boolean {
  const isCommand = said.kind === 'command' || said.kind === 'edited';
  const isBareApprove = isCommand
    ? said.name === 'approve' && said.args['digest'] === undefined
    : said.kind !== 'unread' && said.word === '/approve';
  return !isBareApprove || actions.some((one) => wasPendingAt(one, comment));
}

/** Key of an item in the record. */
export function itemKey({ comment, index }: PendingItem): string {
  return commandKey({ surface: comment.surface, comment: comment.id, index });
}

/** Commands and errors in text order, or the hint. */
function toCommands(
  { reading, isWhole }: BoundedReading,
  held: Observed<Permission> | undefined,
): readonly CommentCommand[] {
  const { commands, errors, hint } = reading;
  if (!isWhole && held?.kind !== 'known') return hint === null ? [] : [{ kind: 'unread' }];
  if (commands.length + errors.length === 0)
    return hint === null ? [] : [{ kind: 'hint', word: hint.word, reason: hint.reason, line: hint.line }];
  return [...commands, ...errors]
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map((one): CommentCommand => {
      if ('args' in one) return { kind: 'command', name: one.name, args: one.args };
      const { code, word, line, column, suggest = '', expected } = one;
      return { kind: 'error', code, word, line, column, suggest, ...(expected === undefined ? {} : { expected }) };
    });
}

/** Comments older than the run are not commands for it. GitHub's times are whole seconds. */
export function commandsSince(state: RunState): Instant {
  const at = fromRfc3339(state.proposedAt);
  if (at === null) throw new Error('a folded run carries a valid time');
  return addMs(at, -(at % 1_000));
}

/** Start of reading a run's threads, with slack for clock differences. */
export function threadsReadFrom(state: RunState): Instant {
  return addMs(commandsSince(state), -limits.sweepSlackMs);
}

/** `quiet` 1 = recorded and answered only by a reaction. */
type UntrustedDetail = { readonly stranger: 1; readonly quiet: 0 | 1 };

/** Keeps a flood of accounts from exhausting GitHub's hourly write limit. */
export const UNTRUSTED_ANSWERS_PER_THREAD_MAX = 10;

/** Whether the person has no role here; false while the permission is unknown. */
export function isUntrusted(held: Observed<Permission> | undefined): boolean {
  return held?.kind === 'known' && !permits(held.value, 'triage');
}

/**
 * Whether the thread reached its limit, or another comment of this person in it was answered. `answered`: the thread's recorded
 * commands.
 */
export function wasAnsweredBefore(answered: Iterable<SeenCommand>, { comment }: PendingItem): boolean {
  const others = new Set<number>();
  for (const seen of answered) {
    if (seen.thread !== comment.thread || !isAnswerToUntrusted(seen) || isQuietAnswer(seen)) continue;
    if (commentId({ surface: seen.surface, id: seen.comment }) === commentId(comment)) continue;
    if (seen.actor.id === comment.author.id) return true;
    others.add(seen.actor.id);
  }
  return others.size >= UNTRUSTED_ANSWERS_PER_THREAD_MAX;
}

/** Moves items of outsiders to the end. */
export function colleaguesFirst(
  items: readonly PendingItem[],
  permissions: ReadonlyMap<number, Observed<Permission>>,
): readonly PendingItem[] {
  const rankOf = ({ comment }: PendingItem): number => (isUntrusted(permissions.get(comment.author.id)) ? 1 : 0);
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Authors with the fewest waiting items first, so that a flood does not delay others. */
export function sortAuthors(items: readonly PendingItem[]): readonly Actor[] {
  const waiting = new Map<number, { readonly author: Actor; count: number }>();
  for (const { comment } of items) {
    const one = waiting.get(comment.author.id) ?? { author: comment.author, count: 0 };
    one.count += 1;
    waiting.set(comment.author.id, one);
  }
  return [...waiting.values()].toSorted((a, b) => a.count - b.count).map(({ author }) => author);
}

/** Marks an answer to an outsider. */
export function buildUntrustedDetail(wereTold: boolean): UntrustedDetail {
  return { stranger: 1, quiet: wereTold ? 1 : 0 };
}
