/** Parses a config to a plain value with positions: YAML 1.2, one document, bounded aliases, no tags, no duplicate keys. */

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
import { codePointOf, fail, ok, type Result } from '../domain/values.ts';
import type { ConfigProblem, KeyPath } from '../settings/problem.ts';

/** 1-based. */
export type Place = { readonly line: number; readonly column: number };

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The position of a key or list item. If the text lacks it, the position of its nearest parent. */
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

function offsetOf(node: unknown): number {
  return rangeOf(node)?.[0] ?? 0;
}

function childOf(node: unknown, part: string | number): { readonly value: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    return pair === undefined ? null : { value: pair.value, offset: offsetOf(pair.key) };
  }
  if (!isSeq(node) || typeof part !== 'number') return null;
  const item = node.items[part];
  return item === undefined ? null : { value: item, offset: offsetOf(item) };
}

/** Start and end of a node's text; null for a node that yaml added. */
function rangeOf(node: unknown): readonly [number, number] | null {
  // Items of a parsed document are nodes or null, which yaml types as `unknown`.
  const range = (node as Node | null)?.range;
  return range === undefined || range === null ? null : [range[0], range[1]];
}

/** A config has one or two pages; a longer text is a mistake or an attack on the parser. */
export const CONFIG_CHARACTERS_MAX = 100_000;
/** Nesting of lists and maps; the deepest key of a config is at level seven. */
const CONFIG_LEVELS_MAX = 50;
/** One open bracket can make every later line invalid; a longer list helps no reader. */
const CONFIG_PROBLEMS_MAX = 200;

/** `unreadable`: the text has no value. If `read`, `problems` may still contain errors; the other parts are readable. */
type YamlReading =
  | { readonly kind: 'unreadable'; readonly problems: readonly ConfigProblem[] }
  | {
      readonly kind: 'read';
      readonly value: unknown;
      readonly placeOf: (path: KeyPath) => Place;
      readonly problems: readonly ConfigProblem[];
    };

type Parsed = Document.Parsed<ParsedNode, true>;

/** Parses YAML. Never throws for the text's content. */
export function readYaml(written: string): YamlReading {
  // yaml counts a byte-order mark as a column.
  const text = written.startsWith(BYTE_ORDER_MARK) ? written.slice(1) : written;
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  const unfit = textProblems(text, lines);
  if (unfit.length > 0) return { kind: 'unreadable', problems: unfit };
  const document = parseDocument(text, { uniqueKeys: true, version: '1.2', schema: 'core' });
  const faults = document.errors.slice(0, CONFIG_PROBLEMS_MAX).map((error) => faultOf(error, text, lines));
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { kind: 'unreadable', problems: faults };
  const odd = oddNodes(document, lines);
  if (odd.some(({ code }) => code === 'not-a-name')) return { kind: 'unreadable', problems: [...faults, ...odd] };
  const value = plainValueOf(document, lines);
  if (!value.ok) return { kind: 'unreadable', problems: [...faults, ...odd, value.error] };
  return {
    kind: 'read',
    value: value.value,
    placeOf: (path) => placeOf(document.contents, path, lines),
    problems: [...faults, ...odd],
  };
}

function faultOf({ code, message, pos: [offset] }: YAMLError, text: string, lines: LineCounter): ConfigProblem {
  // yaml reports a tab at the start of its line.
  const at = code === 'TAB_AS_INDENT' ? Math.max(text.indexOf('\t', offset), offset) : offset;
  return problem('syntax', firstLine(message).replace(/ at line \d+, column \d+:$/, ''), placeAt(lines, at));
}

/** Reports tags, merge keys and keys that are not plain names. A config does not need them, and parsers treat them differently. */
function oddNodes(document: Parsed, lines: LineCounter): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const add = (code: string, offset: number, message: string): void => {
    found.push(problem(code, message, placeAt(lines, offset)));
  };
  for (const warning of document.warnings) add('tag', warning.pos[0], 'tags are not read: leave it out');
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key)) add('not-a-name', offsetOf(key), 'a key has to be a plain name');
      else if (key.value === '__proto__') add('unknown-key', offsetOf(key), '__proto__ is not a key');
      else if (key.value === '<<')
        add('merge-key', offsetOf(key), 'merge keys are YAML 1.1: write the keys out, or use an alias for a value');
    },
  });
  return found;
}

/** Resolves the document. Fails for aliases without an anchor, for exponential expansion, and for too many aliases. */
function plainValueOf(document: Parsed, lines: LineCounter): Result<unknown, ConfigProblem> {
  const aliases: Alias[] = [];
  visit(document, {
    Alias(_, alias) {
      aliases.push(alias);
    },
  });
  const most = limits.configAliasesMax;
  try {
    if (aliases.length > most) throw new ReferenceError(`more than ${most} aliases: write the values out`);
    return ok(document.toJS({ maxAliasCount: most }));
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const unresolved = aliases.slice(0, most).find((alias) => alias.resolve(document) === undefined);
    const place = placeAt(lines, offsetOf(unresolved ?? aliases[0]));
    return fail(problem('alias', firstLine(error.message), place));
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

const BYTE_ORDER_MARK = '\uFEFF';
// Control characters except white space, bidirectional and invisible marks, and the replacement character for invalid UTF-8.
const HIDDEN = /(?![\t\n\r\u0085])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFD]/u;

/** The first problem that makes parsing pointless. */
function textProblems(text: string, lines: LineCounter): readonly ConfigProblem[] {
  if (text.length > CONFIG_CHARACTERS_MAX)
    return [problem('too-long', `longer than ${CONFIG_CHARACTERS_MAX} characters`, { line: 1, column: 1 })];
  const hidden = HIDDEN.exec(text);
  if (hidden !== null) {
    const message = `the character ${codePointOf(hidden[0])} cannot be in a config: remove it, and save the file as UTF-8`;
    return [problem('control-character', message, placeAt(lines, hidden.index))];
  }
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

/** Offset where the text nests too deeply, or null. Reads tokens in a loop; composing a document recurses and could overflow the stack. */
export function tooDeepAt(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // The parser is a generator: it works only while its output is consumed.
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
