/** Answers a line that resembles a command but is none: the mistake, and the probable command. ferrybot never runs a guess. */

import type { ErrorCode, IgnoreReason } from '../commands/grammar/reading.ts';
import { findCommand } from '../commands/registry.ts';
import type { AnswerFacts } from './input.ts';
import { code, text } from './words.ts';

/** The answer to a line that addresses ferrybot and cannot be run. */
export function explainMistake(d: AnswerFacts<'not-understood'>): string {
  const meant = d.suggest ? ` Did you mean ${code(d.suggest)}?` : '';
  const expected = d.expected ? ` (${text(d.expected)})` : '';
  const definition = findCommand(d.word.replace(/^\//, ''));
  const example = definition === null ? '' : ` Example: ${code(definition.example)}.`;
  return `${code(d.word)} (line ${d.line}) was not understood and nothing was done: ${ERRORS[d.code as ErrorCode] ?? code(d.code)}${expected}.${meant}${example} \`/help\` lists the commands.`;
}

/** The hint for a command in a place where it does not count. */
export function explainHint(d: AnswerFacts<'hint'>): string {
  if (d.reason === 'review')
    return `a review does not approve the launch. To approve it, comment the card's ${code(d.word)} line.`;
  return `${code(d.word)} (line ${d.line}) does not count: ${PLACES[d.reason as IgnoreReason] ?? code(d.reason)}. To run it, write it in a new comment, at the start of a line of its own.`;
}

/** What is wrong with a line, as a clause. */
export const ERRORS: Readonly<Record<ErrorCode, string>> = {
  'unknown-command': 'there is no such command',
  'unknown-key': 'it does not take this key',
  'duplicate-key': 'a key is given twice',
  'missing-argument': 'an argument is missing',
  'unclosed-quote': 'a quotation mark is not closed',
  'bad-quote': 'a quotation mark is in the wrong place',
  'bad-value': 'it does not take this value',
  'extra-words': 'it does not take the words after it',
  glued: 'a space is missing after the command',
  'two-on-a-line': 'a second command is on the same line',
};

/** Why a slash word does not count, as a clause. */
export const PLACES: Readonly<Record<IgnoreReason, string>> = {
  markup: 'it is in or below formatting, HTML or a list, which includes the line below',
  quote: 'it is in a quote, which includes the line below',
  code: 'it is in code',
  link: 'it is in a link',
  'not-line-start': 'it is not at the start of a line',
  invisible: 'the line has invisible characters',
  lookalike: 'it has characters that only resemble the letters of a command',
  'other-bot': 'it belongs to another bot',
  unrelated: 'it is not a command of ferrybot',
  limit: 'the comment is too long or has too many commands',
};
