/** Reads YAML and JSON to a tree of data. Anchors, aliases, merge keys, tags, repeated keys, further documents and Hydra's `defaults` are code. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  Scalar,
} from 'yaml';
import { type DataNode, type DataPair, type DataReading, joined, sameOf } from './data-tree.ts';

type Code = Extract<DataNode, { kind: 'code' }>;
type ScalarNode = Extract<DataNode, { kind: 'scalar' }>;
type Page = { readonly text: string; readonly isJson: boolean };

/** Never throws for the text's content, except `RangeError` for text that is nested too deep. */
export function readYaml(text: string, format: 'yaml' | 'json'): DataReading {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: format === 'json' ? 'json' : 'core',
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const found = 'empty' in documents ? [] : documents;
  const error = found.flatMap(({ errors }) => errors)[0];
  if (error?.code === 'RESOURCE_EXHAUSTION') throw new RangeError(error.message);
  if (error !== undefined)
    return { kind: 'unparsable', line: lines.linePos(error.pos[0]).line, message: error.message };
  const [first, second] = found;
  const page = { text, isJson: format === 'json' };
  if (page.isJson) {
    const why = notJson(text, first);
    if (why !== null) return { kind: 'unparsable', ...why };
  }
  const directives = page.isJson ? [] : (text.match(/^%.*$/gm) ?? []);
  if (second !== undefined || directives.length > 0) {
    const same = joined([...directives, ...found.map(({ contents }) => written(contents, page))]);
    return { kind: 'read', root: { kind: 'code', start: 0, end: text.length, same }, around: [] };
  }
  const contents = first?.contents ?? null;
  const root: DataNode =
    contents === null ? { kind: 'code', start: 0, end: 0, same: 'empty' } : nodeOf(contents, 0, page);
  return page.isJson
    ? { kind: 'read', root, around: [] }
    : { kind: 'read', root: withoutDefaults(root, contents, page), around: packageHeader(text) };
}

/** JSON has one grammar, and YAML accepts more. Null if JSON's own parser reads the same. */
function notJson(text: string, read: Document | undefined): { readonly line: number; readonly message: string } | null {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part)) ?? '';
  try {
    const value: unknown = JSON.parse(text);
    return plain(value) === plain(read?.toJS()) ? null : { line: 1, message: 'the file is not plain JSON' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { line: Number(/\(line (\d+) /.exec(error.message)?.[1] ?? 1), message: error.message };
  }
}

/** Hydra reads a list `defaults` at the top of a file as the files to load before it. */
function withoutDefaults(root: DataNode, contents: unknown, page: Page): DataNode {
  if (root.kind !== 'map') return root;
  const pairs = root.pairs.map((pair) => {
    const { start, end, kind } = pair.value;
    if (pair.name !== 'defaults' || kind !== 'list') return pair;
    const node: unknown = isMap(contents) ? contents.get('defaults', true) : null;
    return { ...pair, value: { kind: 'code' as const, start, end, same: written(node, page) } };
  });
  return { ...root, pairs };
}

/** Hydra reads `# @package NAME` in the first comment of a file. */
function packageHeader(text: string): readonly Code[] {
  const found: Code[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const comment = line.trim();
    if (comment !== '' && !comment.startsWith('#')) break;
    if (/^#\s*@package\b/.test(comment)) found.push({ kind: 'code', start, end: start + line.length, same: comment });
    start += line.length + 1;
  }
  return found;
}

/** `at`: where the value would be, if there is none. */
function nodeOf(node: unknown, at: number, page: Page): DataNode {
  const own = node as Node | null;
  if (own === null) return emptyAt(at, page);
  const [start, end] = own.range ?? [at, at];
  if (isAlias(own) || isMarked(own)) return { kind: 'code', start, end, same: written(own, page) };
  if (isSeq(own)) {
    const items = own.items.map((item) => nodeOf(item, start, page));
    return { kind: 'list', start, end: endOf(own.flow, end, items, start), items };
  }
  if (!isMap(own)) return isScalar(own) ? scalarOf(own, page) : { kind: 'code', start, end, same: written(own, page) };
  const keys = own.items.map(({ key }) => (isScalar(key) ? String(key.value) : written(key, page)));
  if (new Set(keys).size < keys.length) return { kind: 'code', start, end, same: written(own, page) };
  const pairs = own.items.map(({ key, value }) => pairOf(key, value, page));
  const values = pairs.map((pair) => pair.value);
  return { kind: 'map', start, end: endOf(own.flow, end, values, start), pairs };
}

/** A block ends with its last value; the parser counts the comments after it as well. */
function endOf(isFlow: boolean | undefined, end: number, values: readonly DataNode[], start: number): number {
  return isFlow === true ? end : (values.at(-1)?.end ?? start);
}

function isMarked({ anchor, tag }: { readonly anchor?: string; readonly tag?: string }): boolean {
  return anchor !== undefined || tag !== undefined;
}

function pairOf(key: unknown, value: unknown, page: Page): DataPair {
  const [start = 0, end = 0] = (key as Node | null)?.range ?? [];
  const isPlainKey = isScalar(key) && !isMarked(key) && key.value !== MERGE && start < end;
  if (!isPlainKey) {
    const same = joined([written(key, page), written(value, page)]);
    const stop = (value as Node | null)?.range?.[1] ?? end;
    const code: Code = { kind: 'code', start, end: stop, same };
    return { start, name: null, same, text: page.text.slice(start, end), value: code };
  }
  const shown = scalarOf(key, page);
  return {
    start,
    name: typeof key.value === 'string' ? key.value : null,
    same: shown.same,
    text: shown.inBrackets ?? shown.text,
    value: nodeOf(value, end, page),
  };
}

const MERGE = '<<';

/** A missing value reads as null. Blanks before a comment are left where they are. */
function emptyAt(at: number, { text }: Page): ScalarNode {
  let start = at;
  while (/[ \t]/.test(text[start - 1] ?? '')) start -= 1;
  return { kind: 'scalar', start, end: start, text: 'null', same: 'null', isString: false };
}

function scalarOf(node: Scalar, page: Page): ScalarNode {
  const [start = 0, valueEnd = 0] = node.range ?? [];
  const { value } = node;
  const isString = typeof value === 'string';
  const source = page.text.slice(start, valueEnd);
  if (source === '') return emptyAt(start, page);
  const end = start + source.trimEnd().length;
  const quoted = JSON.stringify(String(value));
  const shown = source.includes('\n') ? quoted : source;
  const isPlain = node.type === Scalar.PLAIN;
  return {
    kind: 'scalar',
    start,
    end,
    text: shown,
    ...(isPlain && isString && !/^[\w./+-]+$/.test(shown) ? { inBrackets: quoted } : {}),
    same: sameScalar(node, page),
    isString,
  };
}

function sameScalar({ type, value, source = '' }: Scalar, { isJson }: Page): string {
  const flat = source.includes('\n') ? String(value) : source;
  return type === Scalar.PLAIN && !isJson && !isReadAlike(flat, value) ? `plain:${flat}` : sameOf(value);
}

const ALIKE_NUMBER = /^[-+]?(?:0|[1-9]\d*)$|^[-+]?\d+\.\d*(?:[eE][-+]\d+)?$/;
const OTHER_WORDS = /^(?:y|n|yes|no|on|off)$/i;

/**
 * Whether programs agree on what a plain scalar is. YAML 1.1 and 1.2 do not: `3e-4` is text for PyYAML and a number for OmegaConf, `on` is
 * true for PyYAML. Where they differ, every other spelling counts as another value.
 */
function isReadAlike(source: string, value: unknown): boolean {
  if (typeof value === 'string') return !/^[-+.=<~\d]/.test(source) && !OTHER_WORDS.test(source);
  return typeof value === 'bigint' || typeof value === 'number' ? ALIKE_NUMBER.test(source) : true;
}

/** Everything that a node says, in file order and without its layout. */
function written(node: unknown, page: Page): string {
  if (isAlias(node)) return `*${node.source}`;
  if (!isScalar(node) && !isSeq(node) && !isMap(node)) return 'nothing';
  const marks = joined([node.anchor ?? '', node.tag ?? '']);
  if (isScalar(node)) return joined([marks, sameScalar(node, page)]);
  if (isSeq(node)) return joined([marks, 'list', ...node.items.map((item) => written(item, page))]);
  return joined([marks, 'map', ...node.items.flatMap(({ key, value }) => [written(key, page), written(value, page)])]);
}
