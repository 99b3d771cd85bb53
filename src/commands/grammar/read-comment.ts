/** Parses the slash commands of a GitHub comment. */

import { trimEndCharacters } from '../../domain/values.ts';
import { findNearestName } from '../../settings/problem.ts';
import type { ArgumentSpec, CommandSpec } from '../values.ts';
import {
  type CommentWord,
  createLocator,
  foldLookalikes,
  isAscii,
  listCommandWords,
  rawWords,
} from './comment-words.ts';
import {
  type Bounds,
  isWithinBounds,
  parseMarkdown,
  type Token,
  type Tokens,
  TRUSTED_COMMENT_BOUNDS,
  tokenize,
  UNTRUSTED_COMMENT_BOUNDS,
} from './markdown.ts';
import {
  type CommandError,
  type ErrorCode,
  type Fault,
  findCommandWord,
  type IgnoredWord,
  type IgnoreReason,
  type ReadCommand,
  type Reading,
  type TextPosition,
} from './reading.ts';

/** `word`: the slash word without attached text. */
type WordClass =
  | { readonly kind: 'ours'; readonly word: string; readonly spec: CommandSpec }
  | { readonly kind: 'near'; readonly word: string; readonly suggest: string }
  | { readonly kind: 'lookalike' | 'other-bot' | 'unrelated'; readonly word: string };

/** Classifies a word found by `findSlashWords`. */
type Vocabulary = (word: string) => WordClass;

// Names start with a letter, so keys such as `__proto__` are impossible.
const ASCII_NAME = /^\/[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*/;

/** Other bots' words may include the slash. */
function buildVocabulary(registry: readonly CommandSpec[], otherBots: readonly string[]): Vocabulary {
  const theirs = new Set(otherBots.map((word) => word.trim().replace(/^\//, '').toLowerCase()));
  const known = new Map<string, WordClass>();
  return (word) => {
    const found = known.get(word) ?? classifyWord(word, registry, theirs);
    known.set(word, found);
    return found;
  };
}

function classifyWord(word: string, registry: readonly CommandSpec[], theirs: ReadonlySet<string>): WordClass {
  if (word.slice(1).includes('/')) return { kind: 'unrelated', word };
  const whole = word.split('.', 1)[0] ?? word;
  const name = ASCII_NAME.exec(whole)?.[0] ?? whole;
  if (theirs.has(whole.slice(1).toLowerCase()) || theirs.has(name.slice(1).toLowerCase()))
    return { kind: 'other-bot', word: name };
  if (!isAscii(whole)) {
    const seen = foldLookalikes(whole).slice(1);
    if (isAscii(seen) && suggestionFor(seen, registry) !== null) return { kind: 'lookalike', word: whole };
  }
  const spec = registry.find((one) => one.name === name.slice(1));
  if (spec !== undefined) return { kind: 'ours', word: name, spec };
  const meant = isAscii(name) ? suggestionFor(name.slice(1), registry) : null;
  return meant === null ? { kind: 'unrelated', word: name } : { kind: 'near', word: name, suggest: `/${meant}` };
}

/** The command that the person probably intended; null if none is similar. */
function suggestionFor(name: string, registry: readonly CommandSpec[]): string | null {
  const confused = registry.find(({ confusedWith }) => confusedWith?.includes(name.toLowerCase()));
  return (
    confused?.name ??
    findNearestName(
      name,
      registry.map((spec) => spec.name),
    )
  );
}

/** Maximum commands, and maximum answered errors, per comment. */
export const COMMENT_COMMANDS_MAX = 10;

/**
 * A command is a line of a top-level paragraph. Its word is displayed exactly as written. A near miss is an error with its position;
 * nothing is guessed. Words of a comment that is too expensive to parse are ignored as `limit`, as are commands and errors beyond the
 * maximum. `otherBots`: words reserved for other bots, with or without slash.
 */
export function readComment(markdown: string, registry: readonly CommandSpec[], options: ReadingOptions): Reading {
  return readCommentWithinBounds('trusted', markdown, registry, options).reading;
}

export type ReadingOptions = { readonly otherBots: readonly string[] };

/** `trusted`: a person with a role in the repository. `stranger`: all others. */
export type CommentAuthorTrust = 'trusted' | 'stranger';

/** `isWhole` false: too expensive for this speaker; the reading has only the first command word, as `limit`. */
export type BoundedReading = { readonly reading: Reading; readonly isWhole: boolean };

/**
 * `readComment` with cost limits per speaker: outsiders are parsed only within `COMMENT_OF_STRANGER`. Pass `trusted` only after GitHub
 * confirmed the permission.
 */
export function readCommentWithinBounds(
  speaker: CommentAuthorTrust,
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): BoundedReading {
  const bounds: Bounds = speaker === 'stranger' ? UNTRUSTED_COMMENT_BOUNDS : TRUSTED_COMMENT_BOUNDS;
  const isWithin = isWithinBounds(markdown, bounds);
  if (speaker === 'stranger' && !isWithin) return { reading: readWithoutParsing(markdown, registry), isWhole: false };
  const words = isWithin ? listWords(markdown) : rawWords(markdown, 'limit');
  return { reading: buildReading(words, markdown, registry, options), isWhole: true };
}

function readWithoutParsing(markdown: string, registry: readonly CommandSpec[]): Reading {
  const found = findCommandWord(markdown, registry);
  if (found === null) return { commands: [], errors: [], ignored: [], hint: null };
  const hint = { word: found.word, ...createLocator(markdown)(found.start), reason: 'limit' } as const;
  return { commands: [], errors: [], ignored: [hint], hint };
}

function buildReading(
  words: readonly CommentWord[],
  markdown: string,
  registry: readonly CommandSpec[],
  options: ReadingOptions,
): Reading {
  const vocabulary = buildVocabulary(registry, options.otherBots);
  const placeOf = createLocator(markdown);
  const byLine = Map.groupBy(words, (word) => placeOf(word.start).line);
  const found = [...byLine.values()].flatMap((line) => readLine(line, markdown, vocabulary));
  return groupLines(found, placeOf, vocabulary);
}

/** The parser's offsets exclude a byte order mark, so such a comment is not parsed. */
function listWords(markdown: string): readonly CommentWord[] {
  return markdown.startsWith('\ufeff')
    ? rawWords(markdown, 'invisible')
    : listCommandWords(markdown, parseMarkdown(markdown));
}

function groupLines(
  found: readonly ReadLine[],
  placeOf: (offset: number) => TextPosition,
  vocabulary: Vocabulary,
): Reading {
  const commands: ReadCommand[] = [];
  const errors: CommandError[] = [];
  const ignored: IgnoredWord[] = [];
  for (const item of found) {
    const { word, start } = item;
    const place = placeOf(start);
    if (item.kind === 'command' && commands.length < COMMENT_COMMANDS_MAX)
      commands.push({ name: item.name, args: item.args, ...place, source: item.source });
    else if (item.kind === 'error' && errors.length < COMMENT_COMMANDS_MAX) {
      const { start: from, text, ...fault } = item.fault;
      const at = { column: placeOf(start + from).column, text };
      errors.push({ word, ...place, ...fault, ...(from === 0 ? {} : { at }) });
    } else ignored.push({ word, ...place, reason: item.kind === 'ignored' ? item.reason : 'limit' });
  }
  const isSilent = commands.length === 0 && errors.length === 0;
  return { commands, errors, ignored, hint: isSilent ? chooseHint(ignored, vocabulary) : null };
}

/**
 * The only command word in the comment, including lookalikes; for an unparsed comment, the first one. A single word in column 1 below a
 * quote or list counts too, because Markdown continues the block without the author noticing.
 */
function chooseHint(ignored: readonly IgnoredWord[], vocabulary: Vocabulary): IgnoredWord | null {
  const ours = ignored.filter(({ word, reason }) => {
    const { kind } = vocabulary(word);
    return kind === 'ours' || (reason === 'lookalike' && vocabulary(foldLookalikes(word)).kind === 'ours');
  });
  const below = ours.filter(({ reason, column }) => column === 1 && (reason === 'quote' || reason === 'markup'));
  const [first, ...others] = below.length === 1 ? below : ours;
  return first === undefined || (others.length > 0 && first.reason !== 'limit') ? null : first;
}

/** Offsets are in the comment. */
type ReadLine = { readonly start: number; readonly word: string } & (
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly args: Readonly<Record<string, string>>;
      readonly source: string;
    }
  /** At index 0, the fault is the word itself. */
  | { readonly kind: 'error'; readonly fault: Fault }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason }
);

type ClassifiedWord = CommentWord & { readonly its: WordClass };

/** Results for one line's slash words, in order. A word inside a closed value is part of the value. */
function readLine(words: readonly CommentWord[], source: string, vocabulary: Vocabulary): readonly ReadLine[] {
  const classed = words.map((word) => ({ ...word, its: vocabulary(word.word) }));
  const [first] = classed;
  const reason = first === undefined ? 'not-line-start' : ignoreReasonFor(first);
  if (first === undefined || reason !== null) return classed.map(ignoredLine);
  return readAddressed(first, classed.slice(1), source);
}

/** A line that starts with a command word or a near miss. */
function readAddressed(first: ClassifiedWord, others: readonly ClassifiedWord[], source: string): readonly ReadLine[] {
  const text = trimEndCharacters(source.slice(first.start, first.lineEnd), ' \t');
  const { its, start } = first;
  const nameLength = its.word.length;
  const found = tokenize(text, nameLength);
  const values = found.tokens.filter((token) => token.isQuoted || token.key !== null);
  const outside = others.filter(
    (other) => !values.some((value) => start + value.start <= other.start && other.start < start + value.end),
  );
  const unclear = found.fault?.code === 'unclosed-quote' || found.fault?.code === 'bad-quote';
  // After an unclosed quote, a word may be part of the value.
  const clearEnd = unclear ? start + (found.fault?.start ?? 0) : source.length;
  const isSecond = (other: ClassifiedWord): boolean => isCommandWord(other) && other.start < clearEnd;
  const rest = outside.map((other) => (isSecond(other) ? errorLine(other, 'two-on-a-line') : ignoredLine(other)));
  return [readFirstWord(first, text, found, outside.some(isSecond)), ...rest];
}

function readFirstWord(first: ClassifiedWord, text: string, found: Tokens, isFollowed: boolean): ReadLine {
  const { its, start } = first;
  const word = its.word;
  if (its.kind === 'near') return errorLine(first, 'unknown-command', { suggest: its.suggest });
  if (its.kind !== 'ours') return ignoredLine(first);
  if (isFollowed) return errorLine(first, 'two-on-a-line');
  const glued = /^[^ \t]+/.exec(text.slice(word.length))?.[0];
  if (glued !== undefined && !(its.spec.isBrake === true && PUNCTUATION.test(glued)))
    return { start, word, kind: 'error', fault: { code: 'glued', start: word.length, text: glued } };
  const { args, fault } = fitArguments(its.spec, found, text.length);
  return fault === null
    ? { start, word, kind: 'command', name: its.spec.name, args, source: text }
    : { start, word, kind: 'error', fault };
}

/** What people write after a word in haste. A brake takes effect in spite of it. */
const PUNCTUATION = /^[!.,;:…]+$/;

/** Null if the word starts a command line. Its class takes precedence over its position. */
function ignoreReasonFor({ mark, place, its: { kind } }: ClassifiedWord): IgnoreReason | null {
  if (mark !== null) return mark;
  if (kind === 'other-bot' || kind === 'unrelated') return kind;
  if (kind === 'lookalike') return place === null || place === 'not-line-start' ? kind : place;
  return place;
}

function isCommandWord(word: ClassifiedWord): boolean {
  return word.mark === null && (word.its.kind === 'ours' || word.its.kind === 'near');
}

function ignoredLine(word: ClassifiedWord): ReadLine {
  return { start: word.start, word: word.its.word, kind: 'ignored', reason: ignoreReasonFor(word) ?? 'not-line-start' };
}

function errorLine(word: ClassifiedWord, code: ErrorCode, more: Pick<Fault, 'suggest'> = {}): ReadLine {
  return { start: word.start, word: word.its.word, kind: 'error', fault: { code, start: 0, text: '', ...more } };
}

type FittedArguments = {
  readonly args: Readonly<Record<string, string>>;
  /** The leftmost one; a missing argument is reported at the end of the line. */
  readonly fault: Fault | null;
};

/** Arguments by name. `lineLength`: position for a missing argument. */
function fitArguments(spec: CommandSpec, found: Tokens, lineLength: number): FittedArguments {
  const values = new Map<string, string>();
  for (const [index, token] of found.tokens.entries()) {
    const fault = token.key === null ? takeValue(spec, token, values) : takeKey(spec, token, token.key, values);
    if (fault !== null) return { args: {}, fault: suggestQuotes(fault, found.tokens[index - 1]) };
  }
  const missing = found.fault === null ? findMissingArgument(spec, values) : null;
  const fault =
    missing === null
      ? found.fault
      : ({ code: 'missing-argument', start: lineLength, text: missing, expected: missing } as const);
  return { args: Object.fromEntries(values), fault };
}

/** After `reason=too`, an extra word is probably part of the value. */
function suggestQuotes(fault: Fault, before: Token | undefined): Fault {
  const isRest = fault.code === 'extra-words' && before !== undefined && before.key !== null && !before.isQuoted;
  return isRest ? { ...fault, expected: 'a value with blanks needs double quotes around it' } : fault;
}

function takeValue(spec: CommandSpec, token: Token, values: Map<string, string>): Fault | null {
  const { positional } = spec;
  if (positional === undefined || values.has(positional.name))
    return spec.isBrake === true ? null : buildFault('extra-words', token, token.value);
  return acceptValue(positional.name, positional, token, values);
}

function takeKey(spec: CommandSpec, token: Token, key: string, values: Map<string, string>): Fault | null {
  const declared = Object.hasOwn(spec.keys, key) ? spec.keys[key] : undefined;
  const argument = declared ?? freeArgument(spec, key);
  if (argument === null) {
    const suggest = findNearestName(foldLookalikes(key), Object.keys(spec.keys));
    return { ...buildFault('unknown-key', token, key), expected: key, ...(suggest === null ? {} : { suggest }) };
  }
  if (values.has(key)) return { ...buildFault('duplicate-key', token, key), expected: key };
  if (token.value === '' && !token.isQuoted) return buildFault('bad-value', token, `${key}=`);
  return acceptValue(key, argument, token, values);
}

/** Accepts keys that are not listed, unless one resembles a listed key and is probably a typo. */
function freeArgument(spec: CommandSpec, key: string): ArgumentSpec | null {
  const { freeKeys } = spec;
  if (freeKeys === undefined || !freeKeys.name.safeParse(key).success || key === spec.positional?.name) return null;
  return findNearestName(foldLookalikes(key), Object.keys(spec.keys)) === null
    ? { required: false, value: freeKeys.value }
    : null;
}

function acceptValue(name: string, argument: ArgumentSpec, token: Token, values: Map<string, string>): Fault | null {
  const parsed = argument.value.safeParse(token.value);
  if (!parsed.success)
    return {
      ...buildFault('bad-value', token, token.value),
      expected: `${name}: ${parsed.error.issues[0]?.message ?? 'another value'}`,
    };
  values.set(name, parsed.data);
  return null;
}

function findMissingArgument(spec: CommandSpec, values: ReadonlyMap<string, string>): string | null {
  const { positional } = spec;
  if (positional?.required && !values.has(positional.name)) return positional.name;
  const missing = Object.entries(spec.keys).find(([key, argument]) => argument.required && !values.has(key));
  return missing?.[0] ?? null;
}

function buildFault(code: ErrorCode, token: Token, text: string): Fault {
  return { code, start: token.start, text };
}
