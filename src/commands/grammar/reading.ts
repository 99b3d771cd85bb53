/** What a comment says to ferrybot: the shapes that `ferrybot read-comment` prints. */

/** Why a line that is addressed to us is not run. */
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

/** Why a slash word is no command at all. */
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

/** Where something stands: line and column start at 1, columns count UTF-16 code units. */
export type Place = { readonly line: number; readonly column: number };

/** A command that fires. `source` is its line from the slash on, without blanks and line break at the end. */
export type ReadCommand = Place & {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly source: string;
};

/** A slash word at the start of a line that is ours, or nearly so, and cannot be run as it stands. */
export type CommandError = Place & {
  readonly word: string;
  readonly code: ErrorCode;
  /** The command (with its slash) or the key that was probably meant. */
  readonly suggest?: string;
  /** The argument whose value is none that it takes, and what it takes (`name: a step, in digits`); the name alone of one that is missing, or of no use here. */
  readonly takes?: string;
  /** The part of the line that is wrong, where that is not the word itself; for a missing argument, its name. */
  readonly at?: { readonly column: number; readonly text: string };
};

/** A slash word that does not fire, as its reader sees it. */
export type IgnoredWord = Place & { readonly word: string; readonly reason: IgnoreReason };

/** Each slash word of the comment stands in exactly one of the three lists, in the order of the comment. */
export type Reading = {
  readonly commands: readonly ReadCommand[];
  readonly errors: readonly CommandError[];
  readonly ignored: readonly IgnoredWord[];
  /**
   * The comment's only command, where it stands so that it does not fire (a list, a quote, bold, below HTML …): whoever
   * answers says it once. Null where a command or an error has an answer of its own, and where the comment names several
   * commands, because then it talks about them. A comment that was too much to parse has one for its first command.
   */
  readonly hint: IgnoredWord | null;
};
