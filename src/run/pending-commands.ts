/** What people said that is not answered yet: commands seen in the threads minus commands answered in the logbook. */

import { hintOf } from '../commands/grammar/hints.ts';
import { readComment } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { commentName } from '../domain/answer-key.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339 } from '../domain/time.ts';

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
    }
  | { readonly kind: 'hint'; readonly word: string; readonly reason: string; readonly line: number }
  /** Only created comments command (issue *the gate*, Commands): the answer says to post it anew. */
  | { readonly kind: 'edited'; readonly name: string; readonly args: Readonly<Record<string, string>> };

/** What the question needs to know of a comment; `isEdited`: its text is, or may be, another than when it was created. */
type Written = Pick<CommentFacts, 'surface' | 'id' | 'body'> & { readonly isEdited: boolean };

/** Unanswered items of the run's threads, oldest first. Bots never command; text from before the run is not addressed to it. */
export function pendingItems(
  commands: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  options: { readonly since: Instant; readonly otherBots: readonly string[] },
): readonly PendingItem[] {
  const seen = byComment(commands);
  return comments
    .filter((comment) => !comment.authorIsBot && !comment.byUs && comment.createdAt >= options.since)
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
    .flatMap((comment) =>
      openOf(
        comment.editedAt !== null,
        saidBy(comment, options.otherBots),
        seen.get(commentName(comment)) ?? [],
      ).map((open) => ({ comment, ...open })),
    );
}

/** What was read of each comment, by the lab's list of other bots: a decision in several steps asks about the same ones. */
const readings = new WeakMap<readonly string[], WeakMap<CommentFacts, readonly Said[]>>();

function saidBy(comment: CommentFacts, otherBots: readonly string[]): readonly Said[] {
  const known = readings.get(otherBots) ?? new WeakMap<CommentFacts, readonly Said[]>();
  readings.set(otherBots, known);
  const said = known.get(comment) ?? saidIn(comment.body, otherBots);
  known.set(comment, said);
  return said;
}

type Open = { readonly index: number; readonly said: Said };

/** What of a comment wants an answer that the record does not have, in the order in which it stands there. */
export function openIn(
  comment: Written,
  seen: readonly SeenCommand[],
  otherBots: readonly string[],
): readonly Open[] {
  return openOf(comment.isEdited, saidIn(comment.body, otherBots), seen);
}

function openOf(isEdited: boolean, said: readonly Said[], seen: readonly SeenCommand[]): readonly Open[] {
  if (!isEdited) {
    const answered = new Set(seen.filter((one) => one.answer !== null).map((one) => one.index));
    return said.map((one, index) => ({ index, said: one })).filter(({ index }) => !answered.has(index));
  }
  const begun = seen
    .filter((one) => one.answer === null)
    .map(({ index, name, args }) => ({ index, said: { kind: 'edited', name, args } as const }));
  // Once: whoever goes on editing has been told already.
  if (begun.length > 0 || seen.some((one) => one.answer?.code === 'comment-edited')) return begun;
  const added = said.find((one) => one.kind === 'command' && !seen.some((old) => isSame(old, one)));
  if (added?.kind === 'command')
    return [{ index: afterAll(seen), said: { kind: 'edited', name: added.name, args: added.args } }];
  return seen.length > 0 ? [] : said.map((one, index) => ({ index, said: one }));
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

/** Key of an item in the record. */
export function itemKey({ comment, index }: PendingItem): string {
  return commandKey({ surface: comment.surface, comment: comment.id, index });
}

/** Everything in a comment's text that wants an answer, in the order in which it stands there. */
function saidIn(body: string, otherBots: readonly string[]): readonly Said[] {
  const reading = readComment(body, COMMAND_DEFINITIONS, { otherBots });
  const said = [
    ...reading.commands.map(({ line, column, name, args }) => ({
      line,
      column,
      said: { kind: 'command', name, args } as const,
    })),
    ...reading.errors.map(({ line, column, code, word, suggest }) => ({
      line,
      column,
      said: { kind: 'error', code, word, line, column, suggest: suggest ?? '' } as const,
    })),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (said.length > 0) return said.map((one) => one.said);
  const hint = hintOf(reading);
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
