/** What people said that is not answered yet: commands seen in the threads minus commands answered in the logbook. */

import { hintOf } from '../commands/grammar/hints.ts';
import { readComment } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { commandKey, type RunState, type SeenCommand } from '../domain/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** One slash command, one that was not understood, or one hint; `index` counts them within their comment. */
export type PendingItem = {
  readonly comment: CommentFacts;
  readonly index: number;
  readonly said:
    | { readonly kind: 'command'; readonly name: string; readonly args: Readonly<Record<string, string>> }
    | {
        readonly kind: 'error';
        readonly code: string;
        readonly word: string;
        readonly line: number;
        readonly column: number;
        readonly suggest: string;
      }
    | { readonly kind: 'hint'; readonly word: string; readonly reason: string; readonly line: number };
};

/** Unanswered items of the run's threads, oldest first. Bots never command; text from before the run is not addressed to it. */
export function pendingItems(
  commands: ReadonlyMap<string, SeenCommand>,
  comments: readonly CommentFacts[],
  options: { readonly since: Instant; readonly otherBots: readonly string[] },
): readonly PendingItem[] {
  return comments
    .filter((comment) => !comment.authorIsBot && !comment.byUs && comment.createdAt >= options.since)
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)
    .flatMap((comment) => itemsOf(comment, options.otherBots))
    .filter((item) => isUnanswered(commands, item));
}

function isUnanswered(commands: ReadonlyMap<string, SeenCommand>, item: PendingItem): boolean {
  const seen = commands.get(
    commandKey({ surface: item.comment.surface, comment: item.comment.id, index: item.index }),
  );
  return seen === undefined || seen.answer === null;
}

/** Everything in one comment that wants an answer, in the order in which it stands there. */
export function itemsOf(comment: CommentFacts, otherBots: readonly string[]): readonly PendingItem[] {
  const reading = readComment(comment.body, COMMAND_DEFINITIONS, { otherBots });
  const said = [
    ...reading.commands.map((c) => ({
      line: c.line,
      column: c.column,
      said: { kind: 'command', name: c.name, args: c.args } as const,
    })),
    ...reading.errors.map((e) => ({
      line: e.line,
      column: e.column,
      said: {
        kind: 'error',
        code: e.code,
        word: e.word,
        line: e.line,
        column: e.column,
        suggest: e.suggest ?? '',
      } as const,
    })),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (said.length > 0) return said.map((s, index) => ({ comment, index, said: s.said }));
  const hint = hintOf(reading);
  return hint === null
    ? []
    : [{ comment, index: 0, said: { kind: 'hint', word: hint.word, reason: hint.reason, line: hint.line } }];
}

/** The moment from which a run's threads are read: a comment older than the run was not said to it. */
export function commandsSince(state: RunState): Instant {
  const at = fromRfc3339(state.proposedAt);
  if (at === null) throw new Error('a folded run carries a valid time');
  return at;
}

/** Whether anything in a comment's text wants an answer: the cheap question of a sweep. */
export function wantsAnswer(body: string, otherBots: readonly string[]): boolean {
  const reading = readComment(body, COMMAND_DEFINITIONS, { otherBots });
  return reading.commands.length > 0 || reading.errors.length > 0 || hintOf(reading) !== null;
}
