/** Parses a line with slash words into a command, an error, or ignored words. */

import { trimmedEnd } from '../../domain/trimmed-end.ts';
import { fitArguments } from './arguments.ts';
import type { CommentWord } from './comment-words.ts';
import type { ErrorCode, IgnoreReason } from './reading.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import type { Vocabulary, WordClass } from './vocabulary.ts';

/** Offsets are in the comment. */
export type ReadLine = { readonly start: number; readonly word: string } & (
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly args: Readonly<Record<string, string>>;
      readonly source: string;
    }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly suggest?: string;
      readonly takes?: string;
      readonly at?: { readonly start: number; readonly text: string };
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason }
);

type Classed = CommentWord & { readonly its: WordClass };

/** Results for one line's slash words, in order. A word inside a closed value is part of the value. */
export function readLine(
  words: readonly CommentWord[],
  source: string,
  vocabulary: Vocabulary,
): readonly ReadLine[] {
  const classed = words.map((word) => ({ ...word, its: vocabulary(word.word) }));
  const [first] = classed;
  const reason = first === undefined ? 'not-line-start' : whyNot(first);
  if (first === undefined || reason !== null) return classed.map(asIgnored);
  return readAddressed(first, classed.slice(1), source);
}

/** A line that starts with a command word or a near miss. */
function readAddressed(first: Classed, others: readonly Classed[], source: string): readonly ReadLine[] {
  const text = trimmedEnd(source.slice(first.start, first.lineEnd), ' \t');
  const { its, start } = first;
  const nameLength = its.word.length;
  const found = tokensOf(text, nameLength);
  const values = found.tokens.filter((token) => token.isQuoted || token.key !== null);
  const outside = others.filter(
    (other) => !values.some((value) => start + value.start <= other.start && other.start < start + value.end),
  );
  const unclear = found.fault?.code === 'unclosed-quote' || found.fault?.code === 'bad-quote';
  // After an unclosed quote, a word may be part of the value.
  const clearEnd = unclear ? start + (found.fault?.start ?? 0) : source.length;
  const isSecond = (other: Classed): boolean => isCommandWord(other) && other.start < clearEnd;
  const rest = outside.map((other) => (isSecond(other) ? asError(other, 'two-on-a-line') : asIgnored(other)));
  return [readFirst(first, text, found, outside.some(isSecond)), ...rest];
}

function readFirst(first: Classed, text: string, found: Tokens, isFollowed: boolean): ReadLine {
  const { its, start } = first;
  const word = its.word;
  if (its.kind === 'near')
    return { start, word, kind: 'error', code: 'unknown-command', suggest: its.suggest };
  if (its.kind !== 'ours') return asIgnored(first);
  if (isFollowed) return { start, word, kind: 'error', code: 'two-on-a-line' };
  const glued = /^[^ \t]+/.exec(text.slice(word.length))?.[0];
  if (glued !== undefined)
    return { start, word, kind: 'error', code: 'glued', at: { start: start + word.length, text: glued } };
  const fitted = fitArguments(its.spec, found, text.length);
  if (!fitted.ok) {
    const { text: wrong, start: at, ...fault } = fitted.fault;
    return { ...fault, start, word, kind: 'error', at: { start: start + at, text: wrong } };
  }
  return { start, word, kind: 'command', name: its.spec.name, args: fitted.args, source: text };
}

/** Null if the word starts a command line. Its class takes precedence over its position. */
function whyNot({ mark, place, its: { kind } }: Classed): IgnoreReason | null {
  if (mark !== null) return mark;
  if (kind === 'other-bot' || kind === 'unrelated') return kind;
  if (kind === 'lookalike') return place === null || place === 'not-line-start' ? kind : place;
  return place;
}

function isCommandWord(word: Classed): boolean {
  return word.mark === null && (word.its.kind === 'ours' || word.its.kind === 'near');
}

function asIgnored(word: Classed): ReadLine {
  return {
    start: word.start,
    word: word.its.word,
    kind: 'ignored',
    reason: whyNot(word) ?? 'not-line-start',
  };
}

function asError(word: Classed, code: ErrorCode): ReadLine {
  return { start: word.start, word: word.its.word, kind: 'error', code };
}
