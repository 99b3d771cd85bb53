/** Which string literals are legal: prefixes, what may be joined, escapes, and bytes that are ASCII. */

import { type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { runAtEnd, trimmedEnd } from '../../../domain/trimmed-end.ts';
import { prefixOf } from '../delta/normal-string.ts';
import { faultAt, firstFault, type PySyntaxError, type Rule } from './fault.ts';

const PREFIXES: ReadonlySet<string> = new Set([
  '',
  'r',
  'u',
  'b',
  'f',
  't',
  'br',
  'rb',
  'fr',
  'rf',
  'tr',
  'rt',
]);

const TRIPLE = /(?:'''|""")$/;

/** One string (language reference, sections 2.4 and 2.5). */
export const stringIsLegal: Rule = (node, { text }) => {
  const start = node.children[0];
  const end = node.children.at(-1);
  if (start === undefined || end === undefined) return faultAt(node, 'unterminated string literal');
  const opening = text.slice(start.start, start.end);
  if (opening.endsWith('`')) return faultAt(node, 'invalid syntax');
  if (!PREFIXES.has(trimmedEnd(opening, `'"`).toLowerCase())) return faultAt(node, 'invalid string prefix');
  const prefix = prefixOf(node, text);
  const isTriple = TRIPLE.test(opening);
  // Also in a raw string, a quote behind a backslash does not close it.
  if (runAtEnd(text.slice(start.end, end.start), '\\') % 2 === 1)
    return faultAt(node, 'unterminated string literal');
  return firstFault(
    literalRanges(node, start.end, end.start).map(([from, to]) => {
      const source = text.slice(from, to);
      if (prefix.bytes && /[^\0-\x7f]/.test(source))
        return faultAt(node, 'bytes can only contain ASCII literal characters');
      if (!isTriple && /[\r\n]/.test(source.replace(/\\(?:\r\n|[\s\S])/g, '')))
        return faultAt(node, 'unterminated string literal');
      const bad = prefix.raw ? null : badEscape(source, prefix.bytes);
      if (bad !== null) return faultAt(node, bad);
      return prefix.parts === null ? null : braceError(node, source);
    }),
  );
};

/** The text of a format specification: its escapes are those of the string around, and it ends on its line. */
export const specifierIsLegal: Rule = (node, { text, ancestors }) => {
  const string = ancestors.findLast((outer) => outer.kind === 'string');
  const start = string?.children[0];
  if (string === undefined || start === undefined) return null;
  const isTriple = TRIPLE.test(text.slice(start.start, start.end));
  const fields = node.children.filter((child) => child.kind === 'format_expression');
  const froms = [node.start, ...fields.map((field) => field.end)];
  // A line break before the closing brace is no part of any node.
  const end = Math.max(node.end, (ancestors.at(-1)?.end ?? node.end) - '}'.length);
  const tos = [...fields.map((field) => field.start), end];
  return firstFault(
    froms.map((from, at) => {
      const source = text.slice(from, tos[at]);
      if (!isTriple && /[\r\n]/.test(source))
        return faultAt(node, 'newlines are not allowed in format specifiers for single quoted f-strings');
      const bad = prefixOf(string, text).raw ? null : badEscape(source, false);
      return bad === null ? null : faultAt(node, bad);
    }),
  );
};

/** Text and bytes are not joined, nor a template with anything else. */
export const joinIsLegal: Rule = (node, { text }) => {
  const prefixes = partsOf(node).map((string) => prefixOf(string, text));
  const mixes = (is: (prefix: (typeof prefixes)[number]) => boolean): boolean =>
    prefixes.some(is) && !prefixes.every(is);
  if (mixes((prefix) => prefix.bytes)) return faultAt(node, 'cannot mix bytes and nonbytes literals');
  return mixes((prefix) => prefix.parts === 't')
    ? faultAt(node, 'cannot mix t-string literals with string or bytes literals')
    : null;
};

/** One `{…}`: there is an expression, no bare lambda, and the conversion is s, r or a. */
export const interpolationIsLegal: Rule = (node, { text, ancestors }) => {
  const [expression] = partsOf(node);
  if (
    expression === undefined ||
    expression.kind === 'format_specifier' ||
    expression.kind === 'type_conversion'
  )
    return faultAt(node, 'valid expression required before }');
  if (expression.kind === 'lambda') return faultAt(node, 'lambda expressions need parentheses here');
  const conversion = node.children.find((child) => child.kind === 'type_conversion');
  if (conversion !== undefined && !['!s', '!r', '!a'].includes(text.slice(conversion.start, conversion.end)))
    return faultAt(conversion, 'invalid conversion character');
  const depth = ancestors.filter((outer) => outer.kind === 'format_specifier').length;
  return depth > FORMAT_DEPTH_MAX ? faultAt(node, 'expressions nested too deeply') : null;
};

// CPython's MAX_EXPR_NESTING is 3, the outermost field included.
const FORMAT_DEPTH_MAX = 2;

function literalRanges(node: PyNode, from: number, to: number): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  let at = from;
  for (const part of node.children.filter((child) => child.kind === 'interpolation')) {
    ranges.push([at, part.start]);
    at = part.end;
  }
  ranges.push([at, to]);
  return ranges;
}

function badEscape(source: string, isBytes: boolean): string | null {
  for (const [sequence] of source.matchAll(
    /\\(?:x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|N(?:\{[^}]*\})?|[\s\S])/g,
  )) {
    const letter = sequence[1];
    if (letter === 'x' && sequence.length < '\\xff'.length) return 'truncated \\xXX escape';
    if (isBytes) continue;
    if (letter === 'u' && sequence.length < '\\uffff'.length) return 'truncated \\uXXXX escape';
    if (letter === 'U' && !(Number.parseInt(sequence.slice(2), 16) <= 0x10ffff && sequence.length === 10))
      return 'illegal \\UXXXXXXXX escape';
    if (letter === 'N' && !/^\\N\{[A-Za-z0-9 -]+\}$/.test(sequence)) return 'malformed \\N character escape';
  }
  return null;
}

// `{{` and `}}` are the characters; a brace on its own is an error.
function braceError(node: PyNode, source: string): PySyntaxError | null {
  const unnamed = source.replace(/\\N\{[^{}]*\}/g, '');
  return /[{}]/.test(unnamed.replaceAll('{{', '').replaceAll('}}', ''))
    ? faultAt(node, "single '}' is not allowed")
    : null;
}
