/** Parses the slash commands of a GitHub comment. */

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

/** Maximum commands, and maximum answered errors, per comment. */
export const COMMENT_COMMANDS_MAX = 10;

/**
 * A command is a line of a top-level paragraph whose word is displayed exactly as written. A near miss is an error with its position;
 * nothing is guessed. Words of a comment that is too expensive to parse are ignored as `limit`, as are commands and errors beyond the
 * maximum. `otherBots`: words reserved for other bots, with or without slash.
 */
export function readComment(
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): Reading {
  return readCommentOf('trusted', markdown, registry, options).reading;
}

export type ReadingOptions = { readonly otherBots: readonly string[] };

/** A person with a role in the repository, or anyone else. */
export type Speaker = 'trusted' | 'stranger';

/** `isWhole` false: too expensive for this speaker; the reading has only the first command word, as `limit`. */
export type BoundedReading = { readonly reading: Reading; readonly isWhole: boolean };

/**
 * `readComment` with cost limits per speaker: outsiders are parsed only within `COMMENT_OF_STRANGER`. Pass `trusted` only after GitHub
 * confirmed the permission.
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

/** The parser's offsets exclude a byte order mark, so such a comment is not parsed. */
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
 * The only command word in the comment, including lookalikes; for an unparsed comment, the first one. A single word in column 1 below a
 * quote or list counts too, because Markdown continues the block without the author noticing.
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
