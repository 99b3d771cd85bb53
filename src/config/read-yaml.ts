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
import { fail, formatCodePoint, ok, type Result } from '../domain/values.ts';
import type { ConfigProblem, KeyPath } from '../settings/problem.ts';

/** 1-based. */
export type TextPosition = { readonly line: number; readonly column: number };

function positionAt(lines: LineCounter, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The position of a key or list item. If the text lacks it, the position of its nearest parent. */
function positionOfPath(root: unknown, path: KeyPath, lines: LineCounter): TextPosition {
  let node: unknown = root;
  let best: TextPosition = { line: 1, column: 1 };
  for (const part of path) {
    const found = childNode(node, part);
    if (found === null) return best;
    best = positionAt(lines, found.offset);
    node = found.value;
  }
  return best;
}

function nodeOffset(node: unknown): number {
  return nodeRange(node)?.[0] ?? 0;
}

function childNode(node: unknown, part: string | number): { readonly value: unknown; readonly offset: number } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    return pair === undefined ? null : { value: pair.value, offset: nodeOffset(pair.key) };
  }
  if (!isSeq(node) || typeof part !== 'number') return null;
  const item = node.items[part];
  return item === undefined ? null : { value: item, offset: nodeOffset(item) };
}

/** Start and end of a node's text; null for a node that yaml added. */
function nodeRange(node: unknown): readonly [number, number] | null {
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
      readonly positionOf: (path: KeyPath) => TextPosition;
      readonly problems: readonly ConfigProblem[];
    };

type ParsedYaml = Document.Parsed<ParsedNode, true>;

/** Parses YAML. Never throws for the text's content. */
export function readYaml(written: string): YamlReading {
  // yaml counts a byte-order mark as a column.
  const text = written.startsWith(BYTE_ORDER_MARK) ? written.slice(1) : written;
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  const unfit = findTextProblems(text, lines);
  if (unfit.length > 0) return { kind: 'unreadable', problems: unfit };
  const document = parseDocument(text, { uniqueKeys: true, version: '1.2', schema: 'core' });
  const faults = document.errors.slice(0, CONFIG_PROBLEMS_MAX).map((error) => toConfigProblem(error, text, lines));
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { kind: 'unreadable', problems: faults };
  const odd = listUnsupportedNodes(document, lines);
  if (odd.some(({ code }) => code === 'not-a-name')) return { kind: 'unreadable', problems: [...faults, ...odd] };
  const value = toPlainValue(document, lines);
  if (!value.ok) return { kind: 'unreadable', problems: [...faults, ...odd, value.error] };
  return {
    kind: 'read',
    value: value.value,
    positionOf: (path) => positionOfPath(document.contents, path, lines),
    problems: [...faults, ...odd],
  };
}

/** Where the words of the YAML library name no way out. */
const YAML_REMEDIES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent: use spaces',
  DUPLICATE_KEY: 'this key is in the map twice: keep one of them',
  BAD_INDENT: 'this line is not indented like the other lines of its map or list',
};

function toConfigProblem({ code, message, pos: [offset] }: YAMLError, text: string, lines: LineCounter): ConfigProblem {
  // yaml reports a tab at the start of its line.
  const at = code === 'TAB_AS_INDENT' ? Math.max(text.indexOf('\t', offset), offset) : offset;
  const said = YAML_REMEDIES[code] ?? firstLine(message).replace(/ at line \d+, column \d+:$/, '');
  return buildProblem('syntax', said, positionAt(lines, at));
}

/** Reports tags, merge keys and keys that are not plain names. A config does not need them, and parsers treat them differently. */
function listUnsupportedNodes(document: ParsedYaml, lines: LineCounter): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  const addProblem = (code: string, offset: number, message: string): void => {
    found.push(buildProblem(code, message, positionAt(lines, offset)));
  };
  for (const warning of document.warnings) addProblem('tag', warning.pos[0], 'tags are not read: leave it out');
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key)) addProblem('not-a-name', nodeOffset(key), 'a key has to be a plain name');
      else if (key.value === '__proto__') addProblem('unknown-key', nodeOffset(key), '__proto__ is not a key');
      else if (key.value === '<<')
        addProblem(
          'merge-key',
          nodeOffset(key),
          'merge keys are YAML 1.1: write the keys out, or use an alias for a value',
        );
    },
  });
  return found;
}

/** Resolves the document. Fails for aliases without an anchor, for exponential expansion, and for too many aliases. */
function toPlainValue(document: ParsedYaml, lines: LineCounter): Result<unknown, ConfigProblem> {
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
    const place = positionAt(lines, nodeOffset(unresolved ?? aliases[0]));
    return fail(buildProblem('alias', firstLine(error.message), place));
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

const BYTE_ORDER_MARK = '\uFEFF';
// Control characters except white space, bidirectional and invisible marks, and the replacement character for invalid UTF-8.
const HIDDEN = /(?![\t\n\r\u0085])\p{Cc}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFD]/u;

/** The first problem that makes parsing pointless. */
function findTextProblems(text: string, lines: LineCounter): readonly ConfigProblem[] {
  if (text.length > CONFIG_CHARACTERS_MAX)
    return [buildProblem('too-long', `longer than ${CONFIG_CHARACTERS_MAX} characters`, { line: 1, column: 1 })];
  const hidden = HIDDEN.exec(text);
  if (hidden !== null) {
    const message = `the character ${formatCodePoint(hidden[0])} cannot be in a config: remove it, and save the file as UTF-8`;
    return [buildProblem('control-character', message, positionAt(lines, hidden.index))];
  }
  const deep = findTooDeepOffset(text);
  return deep === null
    ? []
    : [
        buildProblem(
          'syntax',
          `more than ${CONFIG_LEVELS_MAX} lists and maps are open here: close the brackets before this place`,
          positionAt(lines, deep),
        ),
      ];
}

/** Offset where the text nests too deeply, or null. Reads tokens in a loop; composing a document recurses and could overflow the stack. */
export function findTooDeepOffset(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // The parser is a generator: it works only while its output is consumed.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > CONFIG_LEVELS_MAX) return parser.offset;
  }
  return null;
}

function buildProblem(
  code: string,
  message: string,
  place: { readonly line: number; readonly column: number },
): ConfigProblem {
  return { severity: 'error', code, path: '', ...place, message };
}
