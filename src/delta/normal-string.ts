/** The normal form of string literals: quotes, prefixes, escapes and joins do not show in it, the characters do. */

import { type PyNode, partsOf } from '../domain/python-syntax.ts';
import { trimmedEnd } from '../domain/trimmed-end.ts';
import { type StringPrefix, stringCharacters, stringPrefix } from './string-value.ts';

type Piece = { readonly text: string } | { readonly expression: string };

/**
 * Normal form of a `string` or `concatenated_string`: `str:"ab"`, `bytes:"ab"`, or `f[…]` and `t[…]` where
 * expressions stand inside. `normal` gives the normal form of such an expression.
 */
export function normalString(node: PyNode, text: string, normal: (node: PyNode) => string): string {
  const strings = node.kind === 'concatenated_string' ? partsOf(node) : [node];
  const prefixes = strings.map((string) => prefixOf(string, text));
  const pieces = joined(strings.flatMap((string, at) => piecesOf(string, prefixes[at], text, normal)));
  const first = pieces[0];
  if (prefixes.some((prefix) => prefix.parts === 't')) return `t${spelled(pieces)}`;
  if (pieces.length === 0) return `${prefixes[0]?.bytes === true ? 'bytes' : 'str'}:""`;
  if (pieces.length === 1 && first !== undefined && 'text' in first)
    return `${prefixes[0]?.bytes === true ? 'bytes' : 'str'}:${JSON.stringify(first.text)}`;
  return `f${spelled(pieces)}`;
}

// Lengths instead of quotes: quoting what is quoted already would double with each string inside a string.
function spelled(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      'text' in piece
        ? `text ${piece.text.length}:${piece.text}`
        : `expression ${piece.expression.length}:${piece.expression}`,
    )
    .join(' ');
}

/** The prefix of one `string` node. */
export function prefixOf(string: PyNode, text: string): StringPrefix {
  const start = string.children[0];
  return stringPrefix(start === undefined ? '' : trimmedEnd(text.slice(start.start, start.end), `'"`));
}

function piecesOf(
  string: PyNode,
  prefix: StringPrefix | undefined,
  text: string,
  normal: (node: PyNode) => string,
): Piece[] {
  const start = string.children[0];
  const end = string.children.at(-1);
  if (start === undefined || end === undefined || prefix === undefined) return [];
  const pieces: Piece[] = [];
  let from = start.end;
  const upTo = (to: number): void => {
    const source = text.slice(from, to);
    const unbraced = prefix.parts === null ? source : source.replaceAll('{{', '{').replaceAll('}}', '}');
    pieces.push({ text: stringCharacters(unbraced, prefix) });
  };
  for (const part of string.children.filter((child) => child.kind === 'interpolation')) {
    upTo(part.start);
    pieces.push({ expression: interpolation(part, prefix, text, normal) });
    from = part.end;
  }
  upTo(end.start);
  return pieces;
}

// A template keeps its expressions' text, and `{x=}` prints it: there, layout is meaning.
function interpolation(
  part: PyNode,
  prefix: StringPrefix,
  text: string,
  normal: (node: PyNode) => string,
): string {
  const debug = part.children.find((child) => child.kind === '=');
  const inner = partsOf(part).map(normal).join(' ');
  const expression = partsOf(part)[0];
  // `{x:=10}` is a format that begins with an equals sign; the parser takes it for an assignment.
  if (expression?.kind === 'named_expression') return text.slice(part.start, part.end);
  if (debug !== undefined) return `${text.slice(part.start + 1, debug.end)} ${inner}`;
  return prefix.parts === 't' && expression !== undefined
    ? `${text.slice(expression.start, expression.end)} ${inner}`
    : inner;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if ('text' in piece && last !== undefined && 'text' in last)
      result[result.length - 1] = { text: last.text + piece.text };
    else if (!('text' in piece) || piece.text !== '') result.push(piece);
  }
  return result;
}
