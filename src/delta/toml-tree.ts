/** Reads TOML 1.0 to a tree of data. How a table is spelled is layout: headers, dotted keys and inline tables give the same tree. */

import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { type DataNode, type DataReading, sameOf } from './data-tree.ts';

/** A table under construction: its parts can be in several places of the file. */
type Table = { readonly at: number; readonly parts: Map<string, Part> };
type Part = Table | Table[] | DataNode;

/** Throws only `RangeError`, for text that is nested too deep. */
export function readToml(text: string): DataReading {
  try {
    const [top] = parseTOML(text, { tomlVersion: '1.0.0' }).body;
    const root = newTable(0);
    for (const part of top.body) {
      if (part.type === 'TOMLKeyValue') add(root, part, text);
      else {
        const table = tableAt(root, part);
        for (const pair of part.body) add(table, pair, text);
      }
    }
    return { kind: 'read', root: nodeOf(root), around: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { kind: 'unparsable', line: error.lineNumber, message: error.message };
  }
}

function newTable(at: number): Table {
  return { at, parts: new Map() };
}

/** The table of a header; created if it is new. */
function tableAt(root: Table, { resolvedKey, range: [at] }: AST.TOMLTable): Table {
  let table = root;
  for (const [index, key] of resolvedKey.entries()) {
    if (typeof key === 'number') continue;
    const place = resolvedKey[index + 1];
    table = typeof place === 'number' ? elementIn(table, key, { at, place }) : tableIn(table, key, at);
  }
  return table;
}

function tableIn({ parts }: Table, name: string, at: number): Table {
  const part = parts.get(name);
  if (part !== undefined && 'parts' in part) return part;
  const made = newTable(at);
  parts.set(name, made);
  return made;
}

function elementIn({ parts }: Table, name: string, { at, place }: { at: number; place: number }): Table {
  const part = parts.get(name);
  const tables = Array.isArray(part) ? part : [];
  if (tables !== part) parts.set(name, tables);
  const table = tables[place] ?? newTable(at);
  tables[place] = table;
  return table;
}

function add(table: Table, { key, value }: AST.TOMLKeyValue, text: string): void {
  const names = key.keys.map((one) => (one.type === 'TOMLBare' ? one.name : one.value));
  const [at] = key.range;
  const holder = names.slice(0, -1).reduce((inner, name) => tableIn(inner, name, at), table);
  holder.parts.set(names.at(-1) ?? '', contentOf(value, text));
}

function contentOf(value: AST.TOMLContentNode, text: string): DataNode {
  const [start, end] = value.range;
  if (value.type === 'TOMLArray')
    return { kind: 'list', start, end, items: value.elements.map((one) => contentOf(one, text)) };
  if (value.type === 'TOMLInlineTable') {
    const table = newTable(start);
    for (const pair of value.body) add(table, pair, text);
    return { ...nodeOf(table), end };
  }
  const source = text.slice(start, end);
  const isString = value.kind === 'string';
  const shown = isString && source.includes('\n') ? JSON.stringify(value.value) : source;
  return { kind: 'scalar', start, end, text: shown, same: sameValue(value), isString };
}

function sameValue(value: AST.TOMLValue): string {
  switch (value.kind) {
    case 'integer':
      return sameOf(value.bigint);
    case 'float':
    case 'string':
    case 'boolean':
      return sameOf(value.value);
    default:
      return `${value.kind}:${value.datetime}`;
  }
}

function nodeOf(part: Part): DataNode {
  if (Array.isArray(part)) {
    const at = part[0]?.at ?? 0;
    return { kind: 'list', start: at, end: at, items: part.map(nodeOf) };
  }
  if (!('parts' in part)) return part;
  const pairs = [...part.parts].map(([name, value]) => ({
    start: part.at,
    name,
    same: sameOf(name),
    text: /^[\w-]+$/.test(name) ? name : JSON.stringify(name),
    value: nodeOf(value),
  }));
  return { kind: 'map', start: part.at, end: part.at, pairs };
}
