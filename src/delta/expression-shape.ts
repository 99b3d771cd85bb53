/** What kind of value an expression is: one scalar, a container, a call to look into, or code. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { nameOf, ungrouped } from './normal-form.ts';

export type Shape = 'scalar' | 'dict' | 'sequence' | 'call' | 'code';

const SCALARS: ReadonlySet<string> = new Set([
  'identifier',
  'integer',
  'float',
  'true',
  'false',
  'none',
  'ellipsis',
  'string',
  'concatenated_string',
  'attribute',
  'subscript',
  'unary_operator',
  'binary_operator',
  'boolean_operator',
  'comparison_operator',
  'not_operator',
  'conditional_expression',
]);
const SEQUENCES: ReadonlySet<string> = new Set(['list', 'tuple', 'set', 'expression_list', 'pattern_list']);
const CODE: ReadonlySet<string> = new Set([
  'lambda',
  'list_comprehension',
  'dictionary_comprehension',
  'set_comprehension',
  'generator_expression',
  'await',
  'yield',
  'named_expression',
]);

// Conversions and lookups through which a constant stays one value.
const CONVERSIONS: ReadonlySet<string> = new Set([
  ...['int', 'float', 'str', 'bool', 'abs', 'round', 'min', 'max', 'sum', 'pow', 'len'],
  ...[
    'os.environ.get',
    'environ.get',
    'os.getenv',
    'getenv',
    'math.floor',
    'math.ceil',
    'math.sqrt',
    'math.log2',
  ],
]);

/** The shape of an expression; parentheses around it do not count. */
export function shapeOf(expression: PyNode, text: string): Shape {
  const node = ungrouped(expression);
  if (node.kind === 'call') return isConversion(node, text) ? 'scalar' : 'call';
  if (node.kind === 'dictionary') return 'dict';
  if (SEQUENCES.has(node.kind)) return 'sequence';
  return SCALARS.has(node.kind) ? 'scalar' : 'code';
}

/** Whether a call only converts or looks up a value. */
export function isConversion(call: PyNode, text: string): boolean {
  const callee = childIn(call, 'function');
  return callee !== null && CONVERSIONS.has(nameOf(callee, text).replace(/\s+/g, ''));
}

/** The outermost calls inside a scalar that are more than conversions. */
export function innerCalls(node: PyNode, text: string): readonly PyNode[] {
  if (node.kind === 'call' && !isConversion(node, text)) return [node];
  return node.children.flatMap((child) => innerCalls(child, text));
}

/** Whether there is code or an expansion in a value. */
export function hasCode(node: PyNode): boolean {
  return isCode(node) || valueParts(node).some(hasCode);
}

/** Whether a value can be told as one text: data, at most constructions, which are calls of a dotted name. */
export function isPlain(node: PyNode): boolean {
  if (isCode(node)) return false;
  const callee = node.kind === 'call' ? childIn(node, 'function') : null;
  if (callee !== null && !isDottedName(callee)) return false;
  return valueParts(node).every(isPlain);
}

function isCode(node: PyNode): boolean {
  return CODE.has(node.kind) || node.kind.endsWith('_splat');
}

// `{x:=10}` in a string is `x` with a format, although the parser takes it for an assignment.
function valueParts(node: PyNode): readonly PyNode[] {
  const parts = partsOf(node);
  return node.kind === 'interpolation'
    ? parts.flatMap((part) => (part.kind === 'named_expression' ? partsOf(part) : [part]))
    : parts;
}

function isDottedName(node: PyNode): boolean {
  const object = node.kind === 'attribute' ? childIn(node, 'object') : null;
  return node.kind === 'identifier' || (object !== null && isDottedName(object));
}

/** A container's type: a tuple is one with and without parentheses. */
export function containerKind(node: PyNode): string {
  return node.kind === 'expression_list' ? 'tuple' : node.kind;
}
