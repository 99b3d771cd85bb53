/** A command that was nearly given: what is wrong with the line, and what was probably meant. Never run on a guess. */

import {
  ERROR_CODES,
  type ErrorCode,
  IGNORE_REASONS,
  type IgnoreReason,
} from '../commands/grammar/reading.ts';
import { definitionOf } from '../commands/registry.ts';
import type { AnswerFacts } from './input.ts';
import { code, text } from './words.ts';

/** The answer to a line that is addressed to ferrybot and cannot be run as it stands. */
export function mistakeWords(d: AnswerFacts<'not-understood'>): string {
  const reason = d.code;
  const said = isError(reason) ? ERRORS[reason] : code(reason);
  const meant = d.suggest ? ` Did you mean ${code(d.suggest)}?` : '';
  const takes = d.takes ? ` (${text(d.takes)})` : '';
  return `${code(d.word)} (line ${d.line}) was not understood and nothing was done: ${said}${takes}.${meant}${exampleOf(d.word)} \`/help\` lists the commands.`;
}

/** How the command is written, where it is known which one was meant. */
function exampleOf(word: string): string {
  const definition = definitionOf(word.replace(/^\//, ''));
  return definition === null ? '' : ` It is written so: ${code(definition.example)}.`;
}

/** The hint for a command that stands where it does not count. */
export function hintWords(d: AnswerFacts<'hint'>): string {
  const reason = d.reason;
  const where = isIgnored(reason) ? PLACES[reason] : code(reason);
  return `${code(d.word)} (line ${d.line}) does not count: ${where}. If you mean it, write it in a new comment, alone at the start of a line.`;
}

const ERRORS: Readonly<Record<ErrorCode, string>> = {
  'unknown-command': 'there is no such command',
  'unknown-key': 'it does not take this key',
  'duplicate-key': 'a key is given twice',
  'missing-argument': 'an argument is missing',
  'unclosed-quote': 'a quotation mark is not closed',
  'bad-quote': 'a quotation mark stands where none may stand',
  'bad-value': 'a value is not one that it takes',
  'extra-words': 'there are words behind it that it does not take',
  glued: 'the command and what follows it are not separated by a blank',
  'two-on-a-line': 'a second command stands on the same line',
};

const PLACES: Readonly<Record<IgnoreReason, string>> = {
  markup: 'it stands in or below formatting or HTML, or in a list, to which the line below belongs',
  quote: 'it stands in a quote, to which the line below belongs',
  code: 'it stands in code',
  link: 'it stands in a link',
  'not-line-start': 'it does not stand at the start of a line',
  invisible: 'the line has invisible characters',
  lookalike: 'it has characters that only look like letters of a command',
  'other-bot': 'it belongs to another bot',
  unrelated: 'it is no command of ferrybot',
  limit: 'the comment is too long or has too many commands',
};

function isError(reason: string): reason is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(reason);
}

function isIgnored(reason: string): reason is IgnoreReason {
  return (IGNORE_REASONS as readonly string[]).includes(reason);
}
