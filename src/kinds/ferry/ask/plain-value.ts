/** Whether a source text is a plain value: literals, arithmetic on them, and names that the file has already. Never a call. */

import type { PyNode, PySyntax, PythonParser } from '../../../domain/python-syntax.ts';

const LITERALS: ReadonlySet<string> = new Set([
  ...['integer', 'float', 'true', 'false', 'none', 'string', 'concatenated_string'],
  ...['string_start', 'string_content', 'string_end', 'escape_sequence', 'escape_interpolation'],
  ...['list', 'tuple', 'set', 'dictionary', 'pair', 'parenthesized_expression', 'unary_operator'],
  'attribute',
]);
/** A power or a shift of literals can be a number that fills the memory. */
const OPERATORS: ReadonlySet<string> = new Set(['+', '-', '*', '/', '//']);

/** The names that stand anywhere in a file. */
export function namesIn(syntax: PySyntax): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: PyNode): void => {
    if (node.kind === 'identifier') names.add(syntax.text.slice(node.start, node.end));
    node.children.forEach(visit);
  };
  visit(syntax.root);
  return names;
}

/**
 * A bounded edit writes values, not code (policy DF-10): one line, one expression. `names` are
 * those that it may use.
 */
export function isPlainValue(text: string, names: ReadonlySet<string>, parser: PythonParser): boolean {
  const value = valueNode(text, parser);
  return value !== null && isPlain(value.node, value.text, names);
}

/** Whether a text is one string literal without anything to fill in. */
export function isPlainString(text: string, parser: PythonParser): boolean {
  const value = valueNode(text, parser);
  return value?.node.kind === 'string' && isPlain(value.node, value.text, new Set());
}

function valueNode(
  text: string,
  parser: PythonParser,
): { readonly node: PyNode; readonly text: string } | null {
  if (text.trim() === '' || /[\n\r]/.test(text)) return null;
  const syntax = parser.parse(`_ = ${text}\n`);
  if (syntax.hasErrors || syntax.refusal !== null) return null;
  const [statement, ...more] = syntax.root.children;
  const assignment = statement?.children[0];
  if (statement === undefined || more.length > 0 || statement.children.length !== 1) return null;
  const node = assignment?.kind === 'assignment' ? assignment.children.at(-1) : undefined;
  return node === undefined || node.field !== 'right' ? null : { node, text: syntax.text };
}

function isPlain(node: PyNode, text: string, names: ReadonlySet<string>): boolean {
  if (node.isError || node.isMissing) return false;
  if (!node.isNamed) return true;
  if (node.kind === 'identifier') return names.has(text.slice(node.start, node.end));
  const isOperation =
    node.kind === 'binary_operator' && node.children.some(({ kind }) => OPERATORS.has(kind));
  if (!LITERALS.has(node.kind) && !isOperation) return false;
  return node.children.every((child) => isPlain(child, text, names));
}
