/** The result types that `ferrybot read-comment` prints. */

import type { CommandSpec } from '../values.ts';

/** Why a command line is not executed. */
export const ERROR_CODES = [
  'unknown-command',
  'unknown-key',
  'duplicate-key',
  'missing-argument',
  'unclosed-quote',
  'bad-quote',
  'bad-value',
  'extra-words',
  'glued',
  'two-on-a-line',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Why a slash word is not a command. */
export const IGNORE_REASONS = [
  'markup',
  'quote',
  'code',
  'link',
  'not-line-start',
  'invisible',
  'lookalike',
  'other-bot',
  'unrelated',
  'limit',
] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** Both from 1; columns are UTF-16 code units. */
export type TextPosition = { readonly line: number; readonly column: number };

/** `source`: the line from the slash, without trailing blanks and line break. */
export type ReadCommand = TextPosition & {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly source: string;
};

/** A command word, or a near miss, that cannot be executed. */
export type CommandError = TextPosition & {
  readonly word: string;
  readonly code: ErrorCode;
  /** The command (with slash) or key that the person probably intended. */
  readonly suggest?: string;
  /** The argument and its expected value (`name: a step, in digits`), or the name of a missing or unusable argument. */
  readonly expected?: string;
  /** The faulty part of the line, if it is not the word itself; for a missing argument, its name. */
  readonly at?: { readonly column: number; readonly text: string };
};

/** Why a line cannot be executed, and its faulty part. `start`: index in the line. */
export type Fault = Pick<CommandError, 'code' | 'suggest' | 'expected'> & {
  readonly start: number;
  readonly text: string;
};

/** A slash word that is not executed, as displayed. */
export type IgnoredWord = TextPosition & { readonly word: string; readonly reason: IgnoreReason };

/** Each slash word is in exactly one of the three lists, in order. */
export type Reading = {
  readonly commands: readonly ReadCommand[];
  readonly errors: readonly CommandError[];
  readonly ignored: readonly IgnoredWord[];
  /**
   * The comment's only command word, if its position prevents execution (list, quote, bold, HTML). Null if a command or error is answered,
   * or if several commands are mentioned. For an unparsed comment, the first command.
   */
  readonly hint: IgnoredWord | null;
};

/** The first command name after a slash, found without parsing; null if there is none. */
export function findCommandWord(
  text: string,
  registry: readonly CommandSpec[],
): { readonly start: number; readonly word: string } | null {
  const names = new Set(registry.map(({ name }) => name));
  for (const { index, 1: name = '' } of text.matchAll(WORD))
    if (names.has(name)) return { start: index, word: `/${name}` };
  return null;
}

// Linear: matches start at a slash and do not overlap.
const WORD = /(?<![\p{L}\p{N}/.:<])\/([a-z][a-z-]*)(?![\p{L}\p{N}/])/gu;
