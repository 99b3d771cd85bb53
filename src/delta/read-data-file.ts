/** Reads an experiment file in YAML, TOML or JSON, or of overrides: its settings with positions, and the code that remains without them. */

import { LineCounter } from 'yaml';
import type {
  CodeStatement,
  ExperimentFile,
  FileReading,
  Setting,
  SourceValue,
  ValueEntry,
} from '../domain/launch/change-facts.ts';
import { cutText, formatCodePoint } from '../domain/values.ts';
import { type DataNode, type DataPair, joined } from './data-tree.ts';
import { readOverrides } from './override-file.ts';
import { readToml } from './toml-tree.ts';
import { readYaml } from './yaml-tree.ts';

export type DataFormat = 'yaml' | 'toml' | 'json' | 'args';

const FORMATS: ReadonlyMap<string, DataFormat> = new Map([
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.toml', 'toml'],
  ['.json', 'json'],
  ['.args', 'args'],
]);

/** The format of a file by its suffix. Null: the file is read as Python. */
export function dataFormatOf(path: string): DataFormat | null {
  return FORMATS.get(/\.\w+$/.exec(path.toLowerCase())?.[0] ?? '') ?? null;
}

/** The parsers run in this process and need seconds for a hostile file that is longer. */
const FILE_CHARS_MAX = 100_000;
/** The deepest known config has ten levels. */
const LEVELS_MAX = 100;
const MESSAGE_CHARS_MAX = 200;
const TOO_DEEP = `more than ${LEVELS_MAX} levels are open`;

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
// Programs disagree about these characters, or people do not see them. U+FFFD stands for bytes that are not UTF-8.
const UNREADABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters
  /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffd]|\r(?!\n)/;

/** Never throws for the content of the file. */
export function readDataFile(source: string | Uint8Array, format: DataFormat): FileReading {
  const text = typeof source === 'string' ? source : UTF8.decode(source);
  if (text.length > FILE_CHARS_MAX) return unparsable(1, `the file is longer than ${FILE_CHARS_MAX} characters`);
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  const odd = UNREADABLE.exec(text);
  if (odd !== null)
    return unparsable(lines.linePos(odd.index).line, `${formatCodePoint(odd[0])} is not allowed in an experiment file`);
  if (format === 'args') return readOverrides(text);
  try {
    const read = format === 'toml' ? readToml(text) : readYaml(text, format);
    if (read.kind === 'unparsable') return unparsable(read.line, read.message);
    if (!isWithin(read.root, LEVELS_MAX)) return unparsable(1, TOO_DEEP);
    const between = format === 'toml' ? ' = ' : ': ';
    return experimentOf({ text, between, lines }, [...read.around, read.root]);
  } catch (error) {
    // The parsers recurse.
    if (!(error instanceof RangeError)) throw error;
    return unparsable(1, TOO_DEEP);
  }
}

function unparsable(line: number, message: string): FileReading {
  return { kind: 'unparsable', line, message: cutText(message, MESSAGE_CHARS_MAX) };
}

function childrenOf(node: DataNode): readonly DataNode[] {
  if (node.kind === 'map') return node.pairs.map(({ value }) => value);
  return node.kind === 'list' ? node.items : [];
}

function isWithin(node: DataNode, levels: number): boolean {
  return levels > 0 && childrenOf(node).every((child) => isWithin(child, levels - 1));
}

/** A file's text, and how its format separates a key from its value. */
type Page = { readonly text: string; readonly between: string; readonly lines: LineCounter };

/** What a walk through the tree found so far. `impure`: the nodes that are code or hold code. */
type Found = {
  readonly settings: Setting[];
  readonly places: number[];
  readonly code: CodeStatement[];
  readonly impure: ReadonlySet<DataNode>;
};

/** `keys` lead to a node and identify it, `path` is for people, and `start` is where its key is. */
type Where = { readonly keys: readonly string[]; readonly path: string; readonly start: number };

/**
 * A map without code is a value with entries. A map with code somewhere below is a place: its other entries are settings. Everything else
 * goes into the code, with the keys that lead to it, in file order.
 */
function experimentOf(page: Page, nodes: readonly DataNode[]): ExperimentFile {
  const impure = new Set<DataNode>();
  for (const node of nodes) findCode(node, impure);
  const found: Found = { settings: [], places: [], code: [], impure };
  for (const node of nodes) visit(page, found, node, { keys: [], path: '', start: node.start });
  const { settings, places, code } = found;
  return { kind: 'read', text: page.text, settings, containerLines: places, code, names: [] };
}

function findCode(node: DataNode, impure: Set<DataNode>): boolean {
  const below = childrenOf(node).filter((child) => findCode(child, impure));
  const isCode = node.kind === 'code' || below.length > 0;
  if (isCode) impure.add(node);
  return isCode;
}

function visit(page: Page, found: Found, node: DataNode, { keys, path, start }: Where): void {
  const { line, col } = page.lines.linePos(start);
  if (node.kind === 'map') {
    const place = found.places.push(line) - 1;
    for (const pair of node.pairs) {
      const { segment, knob } = named(pair);
      const inner = path === '' && segment.startsWith('.') ? segment.slice(1) : path + segment;
      if (found.impure.has(pair.value))
        visit(page, found, pair.value, { keys: [...keys, pair.same], path: inner, start: pair.start });
      else {
        const value = valueIn(page, pair.value);
        found.settings.push({ ...value, place, key: pair.same, path: inner, knob: knob ?? inner });
      }
    }
    return;
  }
  const same = node.kind === 'list' ? `list ${node.items.length}` : sameNode(node);
  found.code.push({ line, start: start - col + 1, end: node.end, same: joined([...keys, same]) });
  if (node.kind === 'list')
    for (const [at, item] of node.items.entries())
      visit(page, found, item, { keys: [...keys, `[${at}]`], path: `${path}[${at}]`, start: item.start });
}

function valueIn(page: Page, node: DataNode): SourceValue {
  const { start, end } = node;
  const own = { text: shown(page, node), same: sameNode(node), start, end, line: page.lines.linePos(start).line };
  if (node.kind === 'scalar') return node.isString ? { ...own, isString: true } : own;
  if (node.kind === 'map') {
    const entries = node.pairs.map(
      (pair): ValueEntry => ({ ...valueIn(page, pair.value), key: pair.same, ...named(pair) }),
    );
    return { ...own, container: 'dict', entries };
  }
  if (node.kind !== 'list' || !holdsMap(node)) return own;
  const entries = node.items.map(
    (item, at): ValueEntry => ({ ...valueIn(page, item), key: String(at), segment: `[${at}]` }),
  );
  return { ...own, container: 'list', entries };
}

function sameNode(node: DataNode): string {
  switch (node.kind) {
    case 'scalar':
    case 'code':
      return `${node.kind} ${node.same}`;
    case 'list':
      return joined(['list', ...node.items.map(sameNode)]);
    case 'map': {
      const pairs = node.pairs.map(({ same, value }) => joined([same, sameNode(value)]));
      return joined(['map', ...pairs.toSorted()]);
    }
  }
}

/** The source if it is one line by itself; otherwise the same value in brackets. */
function shown(page: Page, node: DataNode, isInside = false): string {
  if (node.kind === 'scalar') return isInside ? (node.inBrackets ?? node.text) : node.text;
  const source = page.text.slice(node.start, node.end);
  if (node.kind === 'code' || (/^[[{]/.test(source) && !source.includes('\n'))) return source;
  if (node.kind === 'list') return `[${node.items.map((item) => shown(page, item, true)).join(', ')}]`;
  const pairs = node.pairs.map(({ text, value }) => text + page.between + shown(page, value, true));
  return `{${pairs.join(', ')}}`;
}

/** How a key is written in a path, and the name of its setting if the key is text. */
function named({ name, text }: DataPair): Pick<ValueEntry, 'segment' | 'knob'> {
  if (name === null) return { segment: `[${text}]` };
  const segment = /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return name === '' ? { segment } : { segment, knob: name };
}

function holdsMap(node: DataNode): boolean {
  return node.kind === 'list' && node.items.some((item) => item.kind === 'map' || holdsMap(item));
}
