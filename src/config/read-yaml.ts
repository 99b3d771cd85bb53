/** The text of a config as a plain value with places: YAML 1.2, one document, bounded aliases, no tags, no key twice. */

import {
  type Alias,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { limits } from '../domain/limits.ts';
import { codePointOf } from '../domain/text.ts';
import { fail, ok, type Result } from '../domain/values.ts';
import { type ConfigProblem, dotted, type KeyPath } from '../settings/problem.ts';

/** 1-based. */
export type Place = { readonly line: number; readonly column: number };

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The place of a key or list item; of the nearest one above it where it is not written. */
function placeOf(root: unknown, path: KeyPath, lines: LineCounter): Place {
  let node: unknown = root;
  let best: Place = { line: 1, column: 1 };
  for (const part of path) {
    const found = childOf(node, part);
    if (found === null) return best;
    best = placeAt(lines, found.offset);
    node = found.value;
  }
  return best;
}

/** The path of the innermost key or item whose text holds the offset. */
function pathAt(root: unknown, offset: number): KeyPath {
  const path: (string | number)[] = [];
  let node: unknown = root;
  for (;;) {
    const inside = innerAt(node, offset);
    if (inside === null) return path;
    path.push(inside.part);
    node = inside.value;
  }
}

function offsetOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

function innerAt(
  node: unknown,
  offset: number,
): { readonly part: string | number; readonly value: unknown } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key, value }) => offsetOf(key) <= offset && offset < endOf(value ?? key));
    return pair !== undefined && isScalar(pair.key)
      ? { part: String(pair.key.value), value: pair.value }
      : null;
  }
  if (!isSeq(node)) return null;
  const index = node.items.findIndex((item) => offsetOf(item) <= offset && offset < endOf(item));
  return index < 0 ? null : { part: index, value: node.items[index] };
}

function endOf(node: unknown): number {
  return rangeOf(node)?.[1] ?? 0;
}

function childOf(
  node: unknown,
  part: string | number,
): { readonly value: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    return pair === undefined ? null : { value: pair.value, offset: offsetOf(pair.key) };
  }
  if (!isSeq(node) || typeof part !== 'number') return null;
  const item = node.items[part];
  return item === undefined ? null : { value: item, offset: offsetOf(item) };
}

/** Start and end of a node's own text; yaml leaves it out of nodes that nobody wrote. */
function rangeOf(node: unknown): readonly [number, number] | null {
  // Items of a parsed document are nodes or null; their type is lost in yaml's `unknown`.
  const range = (node as Node | null)?.range;
  return range === undefined || range === null ? null : [range[0], range[1]];
}

/** A config is a page or two; more is a mistake or an attack on the parser. */
export const CONFIG_CHARACTERS_MAX = 100_000;
/** Levels of lists and maps; the deepest key of a config has seven. */
const CONFIG_LEVELS_MAX = 50;
/** One open bracket can make every later line wrong; nobody reads more. */
const CONFIG_PROBLEMS_MAX = 200;

/** `unreadable`: there is no value to look at. Otherwise `problems` may still hold errors that leave the rest readable. */
type YamlReading =
  | { readonly kind: 'unreadable'; readonly problems: readonly ConfigProblem[] }
  | {
      readonly kind: 'read';
      readonly value: unknown;
      readonly placeOf: (path: KeyPath) => Place;
      readonly problems: readonly ConfigProblem[];
    };

type Parsed = Document.Parsed<ParsedNode, true>;

/** Reads YAML. Never throws for what a person wrote. */
export function readYaml(written: string): YamlReading {
  // yaml counts a byte-order mark as a column.
  const text = written.startsWith(BYTE_ORDER_MARK) ? written.slice(1) : written;
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  const unfit = textProblems(text, lines);
  if (unfit.length > 0) return { kind: 'unreadable', problems: unfit };
  const document = parseDocument(text, { uniqueKeys: true, version: '1.2', schema: 'core' });
  const faults = document.errors
    .slice(0, CONFIG_PROBLEMS_MAX)
    .map((error) => faultOf(error, document, text, lines));
  if (faults.some(({ code }) => code !== 'duplicate-key')) return { kind: 'unreadable', problems: faults };
  const odd = oddNodes(document, lines);
  if (odd.some(({ code }) => code === 'not-a-name'))
    return { kind: 'unreadable', problems: [...faults, ...odd] };
  const aliases = aliasesOf(document);
  const value = aliases.length > limits.configAliasesMax ? TOO_MANY_ALIASES : plainValueOf(document);
  if (!value.ok) {
    const place = placeAt(lines, value === TOO_MANY_ALIASES ? offsetOf(aliases[0]) : firstAlias(document));
    const bomb: ConfigProblem = {
      severity: 'error',
      code: 'alias',
      path: '',
      ...place,
      message: value.error,
    };
    return { kind: 'unreadable', problems: [...faults, ...odd, bomb] };
  }
  return {
    kind: 'read',
    value: value.value,
    placeOf: (path) => placeOf(document.contents, path, lines),
    problems: [...faults, ...odd],
  };
}

function faultOf(error: YAMLError, document: Parsed, text: string, lines: LineCounter): ConfigProblem {
  const offset = error.pos[0];
  const path = error.code === 'DUPLICATE_KEY' ? dotted(pathAt(document.contents, offset)) : '';
  const { code, message } = faultWords(error, text.slice(offset, offset + 100).split(/[\s:]/u, 1)[0] ?? '');
  // yaml shows a tab at the start of its line; the tab itself is what has to go.
  const tab = code === 'tab' ? Math.max(text.indexOf('\t', offset), offset) : offset;
  return { severity: 'error', code, path, ...placeAt(lines, tab), message };
}

function faultWords(error: YAMLError, key: string): { readonly code: string; readonly message: string } {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return { code: 'duplicate-key', message: `${key} stands here for the second time: keys are unique` };
    case 'MULTIPLE_DOCS':
      return { code: 'multiple-documents', message: 'a second document begins here: one file is one config' };
    case 'TAB_AS_INDENT':
      return { code: 'tab', message: 'a tab cannot indent: use spaces' };
    default:
      return { code: 'syntax', message: firstLine(error.message).replace(/ at line \d+, column \d+:$/, '') };
  }
}

/** Tags, merge keys and keys that are no plain names: YAML that this file does not need, and readers disagree about. */
function oddNodes(document: Parsed, lines: LineCounter): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const add = (code: string, offset: number, message: string): void => {
    const path = dotted(pathAt(document.contents, offset));
    found.push({ severity: 'error', code, path, ...placeAt(lines, offset), message });
  };
  for (const warning of document.warnings) add('tag', warning.pos[0], 'tags are not read: leave it out');
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key)) add('not-a-name', offsetOf(key), 'a key has to be a plain name');
      else if (key.value === '__proto__') add('unknown-key', offsetOf(key), '__proto__ is not a key');
      else if (key.value === '<<')
        add(
          'merge-key',
          offsetOf(key),
          'merge keys are YAML 1.1: write the keys out, or use an alias for a value',
        );
    },
  });
  return found;
}

/** The plain value. Aliases that name nothing or multiply beyond the limit are what yaml throws a ReferenceError for. */
function plainValueOf(document: Parsed): Result<unknown, string> {
  try {
    const value: unknown = document.toJS({ maxAliasCount: limits.configAliasesMax });
    return ok(value);
  } catch (error) {
    if (error instanceof ReferenceError) return fail(firstLine(error.message));
    throw error;
  }
}

/** Each alias is looked up in the whole document, so that thousands cost seconds: they are counted before. */
const TOO_MANY_ALIASES = fail(`more than ${limits.configAliasesMax} aliases: write the values out`);

function aliasesOf(document: Parsed): readonly Alias[] {
  const found: Alias[] = [];
  visit(document, {
    Alias(_, alias) {
      found.push(alias);
    },
  });
  return found;
}

/** Where the first alias without an anchor stands, or else the first alias. */
function firstAlias(document: Parsed): number {
  let first: number | null = null;
  let unresolved: number | null = null;
  visit(document, {
    Alias(_, alias) {
      first ??= offsetOf(alias);
      if (alias.resolve(document) === undefined) unresolved ??= offsetOf(alias);
    },
  });
  return unresolved ?? first ?? 0;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

/** What is wrong with the text itself before anybody parses it: its length, its encoding, characters that nobody sees. */
const BYTE_ORDER_MARK = '\uFEFF';
/** What decoders put where bytes were no UTF-8; nobody writes it into a config. */
const REPLACEMENT = '\uFFFD';
// Control characters that are no whitespace, and the marks that turn text around or hide in it.
const HIDDEN = /(?![\t\n\r\u0085])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;

/** Problems that make parsing pointless: the first of each kind, since a wrong encoding is wrong everywhere. */
function textProblems(text: string, lines: LineCounter): readonly ConfigProblem[] {
  if (text.length > CONFIG_CHARACTERS_MAX)
    return [problem('too-long', `longer than ${CONFIG_CHARACTERS_MAX} characters`, { line: 1, column: 1 })];
  const undecoded = text.indexOf(REPLACEMENT);
  if (undecoded >= 0) {
    const what = text.includes('\0') ? 'this looks like UTF-16' : 'these bytes are no UTF-8';
    return [problem('not-utf8', `${what}: save the file as UTF-8`, placeAt(lines, undecoded))];
  }
  const hidden = HIDDEN.exec(text);
  if (hidden !== null)
    return [
      problem(
        'control-character',
        `an invisible character, ${codePointOf(hidden[0])}: take it out`,
        placeAt(lines, hidden.index),
      ),
    ];
  const deep = tooDeepAt(text);
  return deep === null
    ? []
    : [
        problem(
          'syntax',
          `more than ${CONFIG_LEVELS_MAX} lists and maps are open here: close the brackets before this place`,
          placeAt(lines, deep),
        ),
      ];
}

/** Where the text nests too deep, or null. The tokens are read in a loop; a document is composed by recursion, which ends the stack. */
export function tooDeepAt(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // A parser works while its tokens are taken.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > CONFIG_LEVELS_MAX) return parser.offset;
  }
  return null;
}

function problem(
  code: string,
  message: string,
  place: { readonly line: number; readonly column: number },
): ConfigProblem {
  return { severity: 'error', code, path: '', ...place, message };
}
