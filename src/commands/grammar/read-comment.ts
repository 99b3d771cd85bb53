/** Reads the slash commands out of a GitHub comment: what fires, what is wrong, and why every other slash word does not. */

import type { CommandSpec } from '../spec.ts';
import { type Bounds, COMMENT_OF_STRANGER, COMMENT_OF_TRUSTED, isWithinBounds } from './bounds.ts';
import { folded } from './characters.ts';
import { type ReadLine, readLine } from './command-line.ts';
import { type CommentWord, rawWords, wordsOf } from './comment-words.ts';
import { firstNamed } from './named-command.ts';
import { parseMarkdown } from './parse-markdown.ts';
import type { CommandError, IgnoredWord, Place, ReadCommand, Reading } from './reading.ts';
import { placesIn } from './source-lines.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** Commands that one comment may give, and lines of it that may be answered as wrong. */
export const COMMENT_COMMANDS_MAX = 10;

/**
 * Reads a comment as its reader sees it. A command is a line of a top-level paragraph whose word stands in the source
 * exactly as it is seen; its arguments are read from the source. Nothing is guessed: what is not quite a command is an
 * error with its place. A comment whose shape would cost the parser too much is not parsed; its words are ignored as
 * `limit`, and so are commands and errors beyond ten each. `otherBots` are words (with or without slash) that the lab
 * gave to others.
 */
export function readComment(
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): Reading {
  return readCommentOf('trusted', markdown, registry, options).reading;
}

export type ReadingOptions = { readonly otherBots: readonly string[] };

/** Who wrote a comment: somebody who may do something here, or anybody with an account. */
export type Speaker = 'trusted' | 'stranger';

/** `isWhole` false: too much of it to parse from such a speaker; the reading has the first word that names a command, as `limit`. */
export type BoundedReading = { readonly reading: Reading; readonly isWhole: boolean };

/**
 * The same at a cost that depends on who speaks, because anybody may write thousands of comments: a stranger's is parsed
 * only within `COMMENT_OF_STRANGER`. Whoever reads for a decision says `trusted` once GitHub has said so.
 */
export function readCommentOf(
  speaker: Speaker,
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): BoundedReading {
  const bounds: Bounds = speaker === 'stranger' ? COMMENT_OF_STRANGER : COMMENT_OF_TRUSTED;
  const isWithin = isWithinBounds(markdown, bounds);
  if (speaker === 'stranger' && !isWithin) return { reading: unparsed(markdown, registry), isWhole: false };
  const words = isWithin ? wordsIn(markdown) : rawWords(markdown, 'limit');
  return { reading: readingOf(words, markdown, registry, options), isWhole: true };
}

function unparsed(markdown: string, registry: readonly CommandSpec[]): Reading {
  const found = firstNamed(markdown, registry);
  if (found === null) return { commands: [], errors: [], ignored: [], hint: null };
  const hint = { word: found.word, ...placesIn(markdown)(found.start), reason: 'limit' } as const;
  return { commands: [], errors: [], ignored: [hint], hint };
}

function readingOf(
  words: readonly CommentWord[],
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): Reading {
  const vocabulary = vocabularyOf(registry, options.otherBots);
  const placeOf = placesIn(markdown);
  const byLine = Map.groupBy(words, (word) => placeOf(word.start).line);
  const found = [...byLine.values()].flatMap((line) => readLine(line, markdown, vocabulary));
  return inLists(found, placeOf, vocabulary);
}

/** The parser leaves a byte order mark out of its offsets, and nobody sees it: what stands behind one is not read. */
function wordsIn(markdown: string): readonly CommentWord[] {
  return markdown.startsWith('\ufeff')
    ? rawWords(markdown, 'invisible')
    : wordsOf(markdown, parseMarkdown(markdown));
}

function inLists(
  found: readonly ReadLine[],
  placeOf: (offset: number) => Place,
  vocabulary: Vocabulary,
): Reading {
  const commands: ReadCommand[] = [];
  const errors: CommandError[] = [];
  const ignored: IgnoredWord[] = [];
  for (const item of found) {
    const place = placeOf(item.start);
    if (item.kind === 'ignored') ignored.push({ word: item.word, ...place, reason: item.reason });
    else if (item.kind === 'command' && commands.length < COMMENT_COMMANDS_MAX)
      commands.push({ name: item.name, args: item.args, ...place, source: item.source });
    else if (item.kind === 'error' && errors.length < COMMENT_COMMANDS_MAX)
      errors.push({
        word: item.word,
        ...place,
        code: item.code,
        ...(item.suggest === undefined ? {} : { suggest: item.suggest }),
        ...(item.takes === undefined ? {} : { takes: item.takes }),
        ...(item.at === undefined
          ? {}
          : { at: { column: placeOf(item.at.start).column, text: item.at.text } }),
      });
    else ignored.push({ word: item.word, ...place, reason: 'limit' });
  }
  const isSilent = commands.length === 0 && errors.length === 0;
  return { commands, errors, ignored, hint: isSilent ? hintAmong(ignored, vocabulary) : null };
}

/**
 * The only word that is a command of ours, or that a keyboard for other letters has made of one; where the comment was not parsed
 * at all, the first. A line right below a quote or a list belongs to it, which its author does not see: what is alone there is
 * meant, whatever the quote talks about.
 */
function hintAmong(ignored: readonly IgnoredWord[], vocabulary: Vocabulary): IgnoredWord | null {
  const ours = ignored.filter(({ word, reason }) => {
    const { kind } = vocabulary(word);
    return kind === 'ours' || (reason === 'lookalike' && vocabulary(folded(word)).kind === 'ours');
  });
  const below = ours.filter(
    ({ reason, column }) => column === 1 && (reason === 'quote' || reason === 'markup'),
  );
  const [first, ...others] = below.length === 1 ? below : ours;
  return first === undefined || (others.length > 0 && first.reason !== 'limit') ? null : first;
}
