/** Parses Python with tree-sitter (WebAssembly) into our own immutable tree. */

import { Language, Parser } from 'web-tree-sitter';
import type { PyNode, PyRefusal, PySyntax, PythonParser } from '../domain/python-syntax.ts';
import { joinBracketedLines } from './python-joined-lines.ts';
import { convertTree } from './python-tree.ts';
import { eraseTypeDefaults, graftTypeDefaults } from './python-type-defaults.ts';
import { loadWasm as loadInstalledWasm, type PythonWasm } from './python-wasm.ts';

/** An experiment file has hundreds of lines. A hostile file of this size is told apart in two or three seconds. */
export const PYTHON_FILE_CHARS_MAX = 262_144;

/** Gives the bytes of a WebAssembly file. */
export type LoadWasm = (name: PythonWasm) => Promise<Uint8Array>;

/**
 * Loads runtime and grammar once and gives a parser for Python 3.14. Rejects when the bytes cannot be
 * had or are not what this library version reads: that is a broken build, not a fact about a file.
 */
export async function createPythonParser(loadWasm: LoadWasm = loadInstalledWasm): Promise<PythonParser> {
  const [runtime, grammar] = await Promise.all([loadWasm('runtime'), loadWasm('grammar')]);
  await Parser.init({ wasmBinary: exactBuffer(runtime) });
  const language = await Language.load(grammar);
  const parser = new Parser().setLanguage(language);
  return { parse: (text) => parse(parser, language, text) };
}

// A lone CR ends a line to CPython and none to tree-sitter, so that code behind one would pass for a comment.
const LONE_CR = /\r(?!\n)/g;

function parse(parser: Parser, language: Language, source: string): PySyntax {
  const text = source.replace(LONE_CR, '\n');
  if (text.length > PYTHON_FILE_CHARS_MAX)
    return refused(text, { line: 1, message: `file is longer than ${PYTHON_FILE_CHARS_MAX} characters` });
  const direct = parseOnce(parser, language, text);
  if (direct.hasErrors && direct.refusal === null) return repaired(parser, language, direct);
  return direct;
}

// What the grammar refuses and the language takes: looked at only when something did not parse.
function repaired(parser: Parser, language: Language, direct: PySyntax): PySyntax {
  const { text } = direct;
  const joined = joinBracketedLines(text);
  const defaults = eraseTypeDefaults(joined);
  const { ranges } = defaults;
  const { erased, commas } = eraseExceptCommas(defaults.erased);
  if (erased === text) return direct;
  const second = parseOnce(parser, language, erased);
  if (second.hasErrors || second.refusal !== null) return direct;
  const root = graftTypeDefaults(second.root, ranges, joined, (source) => {
    const { root: module, hasErrors } = parseOnce(parser, language, source);
    return hasErrors ? null : soleExpression(module);
  });
  return root === null ? direct : { ...second, text, root: graftExceptCommas(root, commas) };
}

// What stands in the parentheses of a text that is one expression in parentheses.
function soleExpression(module: PyNode): PyNode | null {
  const [statement, ...more] = module.children;
  const [group, ...others] = statement?.children ?? [];
  if (group === undefined || more.length + others.length > 0) return null;
  const inner = group.children.filter((child) => child.isNamed);
  const isGroup = ['parenthesized_expression', 'tuple'].includes(group.kind) && group.children.length === 3;
  return isGroup && inner[0] !== undefined ? inner[0] : null;
}

function parseOnce(parser: Parser, language: Language, text: string): PySyntax {
  const tree = parser.parse(text);
  if (tree === null) throw new Error('tree-sitter gave no tree although it has a language');
  try {
    const converted = convertTree(tree, language, text);
    if (converted.kind === 'refused') return refused(text, converted.refusal);
    const hasErrors = tree.rootNode.hasError;
    return { text, root: converted.root, hasErrors, refusal: null };
  } finally {
    tree.delete();
  }
}

function refused(text: string, refusal: PyRefusal): PySyntax {
  const root: PyNode = {
    kind: 'module',
    field: null,
    start: 0,
    end: text.length,
    line: 1,
    column: 1,
    children: [],
    isNamed: true,
    isError: false,
    isMissing: false,
  };
  return { text, root, hasErrors: true, refusal };
}

// A Node Buffer may be a window into a larger pool; the runtime wants memory of its own.
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}

/**
 * The comma in `except A, B,:`, which is legal since Python 3.14 (PEP 758) and which tree-sitter-python 0.25 does not
 * parse: blanked out before parsing and put back into the tree afterwards.
 */
const CLAUSE = /^([ \t\f]*except\b(?!.*\bas\b)[^\r\n\u2028\u2029#]*[^\s,#][ \t]*),(?=[ \t]*:)/gm;

/** The text with every such comma replaced by a space, and where they were. */
function eraseExceptCommas(text: string): {
  readonly erased: string;
  readonly commas: readonly number[];
} {
  const commas = Array.from(text.matchAll(CLAUSE), (match) => match.index + match[0].length - 1);
  const signs = [...commas].reduce((whole, at) => `${whole.slice(0, at)} ${whole.slice(at + 1)}`, text);
  return { erased: signs, commas };
}

/** The tree with the commas in their clauses. */
function graftExceptCommas(node: PyNode, commas: readonly number[]): PyNode {
  const own = commas.filter((at) => node.start <= at && at < node.end);
  if (own.length === 0) return node;
  const children = node.children.map((child) => graftExceptCommas(child, own));
  const [at] = own;
  if (node.kind !== 'except_clause' || at === undefined) return { ...node, children };
  const before = children.filter((child) => child.end <= at);
  const last = before.at(-1);
  const isHere = last !== undefined && children[before.length]?.kind === ':';
  return isHere
    ? { ...node, children: [...before, comma(at, last), ...children.slice(before.length)] }
    : { ...node, children };
}

function comma(at: number, last: PyNode): PyNode {
  const place = { field: null, start: at, end: at + 1, line: last.line, column: last.column };
  return { ...place, kind: ',', children: [], isNamed: false, isError: false, isMissing: false };
}
