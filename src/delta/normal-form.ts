/** The normal form of a piece of Python: equal texts where comments, layout, quotes, order of keywords and number spelling alone differ. */

import { childIn, type PyNode, type PySyntax, partsOf } from '../domain/python-syntax.ts';
import { normalString } from './normal-string.ts';
import { negated, numberValue } from './number-value.ts';
import { statementsIn } from './statements.ts';

/** A parsed file with its normal forms, each computed once. */
export type PyFile = {
  readonly syntax: PySyntax;
  readonly normal: (node: PyNode) => string;
  readonly source: (node: PyNode) => string;
};

/** Puts a syntax tree together with its normal forms. */
export function createPyFile(syntax: PySyntax): PyFile {
  const known = new Map<PyNode, string>();
  const source = (node: PyNode): string => syntax.text.slice(node.start, node.end);
  const normal = (node: PyNode): string => {
    const found = known.get(node);
    if (found !== undefined) return found;
    const form = normalOf(node, syntax.text, normal);
    known.set(node, form);
    return form;
  };
  return { syntax, normal, source };
}

/** The name of an identifier as the language compares it: NFKC (language reference, section 2.3). */
export function nameOf(node: PyNode, text: string): string {
  return text.slice(node.start, node.end).normalize('NFKC');
}

/** A node without the parentheses that only group it. */
export function ungrouped(node: PyNode): PyNode {
  let inner = node;
  while (inner.kind === 'parenthesized_expression' || isGroupedPattern(inner)) {
    const [only] = partsOf(inner);
    if (only === undefined) return inner;
    inner = only;
  }
  return inner;
}

type Normal = (node: PyNode) => string;

const SEQUENCES: Readonly<Record<string, string>> = {
  tuple: 'tuple',
  expression_list: 'tuple',
  pattern_list: 'tuple',
  tuple_pattern: 'tuple',
  list: 'list',
  list_pattern: 'list',
  list_splat: 'splat',
  list_splat_pattern: 'splat',
  dictionary_splat: 'dsplat',
  dictionary_splat_pattern: 'dsplat',
};

function normalOf(outer: PyNode, text: string, normal: Normal): string {
  const node = ungrouped(outer);
  if (node !== outer) return normal(node);
  switch (node.kind) {
    case 'identifier':
      return `name:${nameOf(node, text)}`;
    case 'integer':
    case 'float':
      return numberValue(text.slice(node.start, node.end));
    case 'unary_operator':
      return signed(node, normal);
    case 'string':
    case 'concatenated_string':
      return normalString(node, text, normal);
    case 'dictionary':
      return `dict{${segmentsOf(node)
        .map((segment) => segment.map(normal).sort().join(','))
        .join('|')}}`;
    case 'set':
      return `set{${partsOf(node).map(normal).sort().join(',')}}`;
    case 'argument_list':
      return normalArguments(node, normal);
    case 'subscript':
      return normalSubscript(node, normal);
    case 'format_specifier':
      return formatSpecifier(node, text, normal);
    case 'module':
    case 'block':
      return `block(${statementsIn(node).map(normal).join(';')})`;
    case 'with_clause':
      return `with(${withItems(node).map(normal).join(',')})`;
    default:
      return generic(node, text, normal);
  }
}

function generic(node: PyNode, text: string, normal: Normal): string {
  const sequence = SEQUENCES[node.kind];
  if (sequence !== undefined) return `${sequence}(${partsOf(node).map(normal).join(',')})`;
  if (node.kind === 'expression_statement' && node.children.some((child) => child.kind === ','))
    return `tuple(${partsOf(node).map(normal).join(',')})`;
  if (node.kind === 'string_content' || node.children.length === 0)
    return node.isNamed ? `${node.kind}:${text.slice(node.start, node.end)}` : node.kind;
  const parts = significantChildren(node).map((child) => (child.isNamed ? normal(child) : child.kind));
  if ((node.kind === 'type' || node.kind === 'expression_statement') && parts.length === 1)
    return parts[0] ?? '';
  return `${node.kind}(${parts.join(' ')})`;
}

/** The children that mean something: no comments, no brackets and commas that only hold a list together. */
export function significantChildren(node: PyNode): readonly PyNode[] {
  const commasCount = node.kind === 'match_statement' || node.kind === 'case_clause';
  return node.children.filter((child) => {
    if (child.kind === 'comment' || child.kind === 'line_continuation') return false;
    if (child.isNamed) return !(child.kind === 'argument_list' && isEmptySuperclasses(node, child));
    return (
      child.kind !== '(' && child.kind !== ')' && child.kind !== ';' && (child.kind !== ',' || commasCount)
    );
  });
}

/** The entries of a dict, cut at each `**` expansion; the expansions are segments of their own. */
export function segmentsOf(node: PyNode): readonly (readonly PyNode[])[] {
  const segments: PyNode[][] = [[]];
  for (const part of partsOf(node)) {
    if (part.kind === 'dictionary_splat') segments.push([part], []);
    else segments.at(-1)?.push(part);
  }
  return segments;
}

/** The items of a with statement: `with (a, b):` has two, as in CPython. */
export function withItems(clause: PyNode): readonly PyNode[] {
  const items = partsOf(clause);
  const only = items.length === 1 ? items[0] : undefined;
  const value = only === undefined ? null : childIn(only, 'value');
  return value !== null && value.kind === 'tuple'
    ? partsOf(value)
    : items.map((item) => childIn(item, 'value') ?? item);
}

function isEmptySuperclasses(parent: PyNode, child: PyNode): boolean {
  return parent.kind === 'class_definition' && partsOf(child).length === 0;
}

function isGroupedPattern(node: PyNode): boolean {
  return (
    node.kind === 'tuple_pattern' && partsOf(node).length === 1 && !node.children.some((c) => c.kind === ',')
  );
}

function signed(node: PyNode, normal: Normal): string {
  const argument = childIn(node, 'argument');
  const operator = childIn(node, 'operator')?.kind ?? '';
  const value = argument === null ? '' : normal(argument);
  if (/^(int|float|imag):/.test(value) && operator !== '~') return operator === '-' ? negated(value) : value;
  return `unary(${operator} ${value})`;
}

function normalArguments(node: PyNode, normal: Normal): string {
  const parts = partsOf(node);
  const keywords = parts.filter((part) => part.kind === 'keyword_argument').map(normal);
  const expansions = parts.filter((part) => part.kind === 'dictionary_splat').map(normal);
  const positional = parts
    .filter((p) => p.kind !== 'keyword_argument' && p.kind !== 'dictionary_splat')
    .map(normal);
  return `args(${positional.join(',')};${keywords.sort().join(',')};${expansions.join(',')})`;
}

function normalSubscript(node: PyNode, normal: Normal): string {
  const value = childIn(node, 'value');
  const indexes = partsOf(node).filter((part) => part !== value);
  const index =
    indexes.length > 1 || node.children.some((child) => child.kind === ',')
      ? `tuple(${indexes.map(normal).join(',')})`
      : indexes.map(normal).join();
  return `subscript(${value === null ? '' : normal(value)} ${index})`;
}

// The text between nested fields has no nodes of its own.
function formatSpecifier(node: PyNode, text: string, normal: Normal): string {
  const pieces: string[] = [];
  let from = node.start;
  for (const field of node.children.filter((child) => child.kind === 'format_expression')) {
    pieces.push(JSON.stringify(text.slice(from, field.start)), normal(field));
    from = field.end;
  }
  return `spec(${pieces.join(' ')} ${JSON.stringify(text.slice(from, node.end))})`;
}
