/** Which expressions may stand inside which: stars, lambdas and conditions without parentheses, comprehensions, old operators. */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';
import { faultAt, firstFault, hasToken, parentIn, type Rule } from './fault.ts';

const STAR_PARENTS: ReadonlySet<string> = new Set([
  ...['argument_list', 'list', 'set', 'tuple', 'expression_list', 'subscript'],
  ...[
    'tuple_pattern',
    'list_pattern',
    'pattern_list',
    'parameters',
    'lambda_parameters',
    'typed_parameter',
    'type_default',
  ],
]);

/** `*a` only where several values may come from it. */
export const starIsLegal: Rule = (node, around) => {
  const parent = parentIn(around);
  const [operand] = partsOf(node);
  const takesAny = parent?.kind === 'argument_list' || parent?.kind === 'subscript';
  if (!takesAny && operand !== undefined && LOW_PRECEDENCE.has(operand.kind))
    return faultAt(operand, 'invalid syntax');
  if (parent === null || STAR_PARENTS.has(parent.kind)) return null;
  if (parent.kind === 'expression_statement' && hasToken(parent, ',')) return null;
  if (parent.kind === 'match_statement' && hasToken(parent, ',')) return null;
  if (parent.kind === 'with_item' && isTupleOfItems(parentIn(around, 2))) return null;
  if (parent.kind === 'type') {
    const owner = parentIn(around, 2);
    return owner?.kind === 'type_parameter' || owner?.kind === 'typed_parameter'
      ? null
      : faultAt(node, 'cannot use starred expression here');
  }
  return faultAt(node, 'cannot use starred expression here');
};

// `with (*a, b):` has one item, a tuple; the parser reads two.
function isTupleOfItems(clause: PyNode | null): boolean {
  if (clause === null || !hasToken(clause, '(') || !hasToken(clause, ',')) return false;
  return partsOf(clause).every((item) => childIn(item, 'value')?.kind !== 'as_pattern');
}

/** `{**a or b}` is not grammatical where `f(**a or b)` is. */
export const expansionIsLegal: Rule = (node, around) => {
  const [operand] = partsOf(node);
  return parentIn(around)?.kind === 'dictionary' && operand !== undefined && LOW_PRECEDENCE.has(operand.kind)
    ? faultAt(operand, 'invalid syntax')
    : null;
};

/** `(*a)` is no tuple: the comma makes it. */
export const tupleIsLegal: Rule = (node) => {
  const [only, second] = partsOf(node);
  return only !== undefined && second === undefined && /splat/.test(only.kind) && !hasToken(node, ',')
    ? faultAt(node, 'cannot use starred expression here')
    : null;
};

// `[*a or b]` is not grammatical where `f(*a or b)` is: only a call or an index takes any expression behind its star.
const LOW_PRECEDENCE: ReadonlySet<string> = new Set([
  'boolean_operator',
  'comparison_operator',
  'conditional_expression',
  'not_operator',
  'lambda',
  'named_expression',
]);

const LOOSE: ReadonlySet<string> = new Set(['lambda', 'conditional_expression', 'named_expression']);

/** An operand of `and`, `or`, `not` or a condition is no bare lambda or condition. */
export const operandsAreLegal: Rule = (node) => {
  const operands = partsOf(node);
  const strict = node.kind === 'conditional_expression' ? operands.slice(0, 2) : operands;
  const bad = strict.find((operand) => LOOSE.has(operand.kind));
  return bad === undefined ? null : faultAt(bad, 'invalid syntax');
};

/** `<>` went with Python 2. */
export const comparisonIsLegal: Rule = (node) =>
  hasToken(node, '<>') ? faultAt(node, 'invalid syntax') : null;

/** A comprehension's body does not unpack, and nothing in it rebinds an iteration variable. */
export const comprehensionIsLegal: Rule = (node, { text, ancestors }) => {
  const body = childIn(node, 'body');
  if (body !== null && /splat/.test(body.kind))
    return faultAt(body, 'iterable unpacking cannot be used in comprehension');
  const clauses = node.children.filter((child) => child.kind === 'for_in_clause');
  const bound = new Set(clauses.flatMap((clause) => namesIn(childIn(clause, 'left'), text)));
  const walruses = node.children.flatMap((child) => walrusesIn(child));
  const isInClass =
    ancestors.findLast((outer) => /_definition$|^lambda$/.test(outer.kind))?.kind === 'class_definition';
  return firstFault(
    walruses.map((walrus) => {
      const name = childIn(walrus, 'name');
      if (name !== null && bound.has(nameOf(name, text)))
        return faultAt(walrus, 'assignment expression cannot rebind comprehension iteration variable');
      return isInClass
        ? faultAt(walrus, 'assignment expression within a comprehension cannot be used in a class body')
        : null;
    }),
  );
};

/** `for a in b`: one iterable, not a bare lambda or condition, and nothing assigned in it. */
export const clauseIsLegal: Rule = (node, around) => {
  const iterables = node.children.filter((child) => child.field === 'right' && child.isNamed);
  const [iterable] = iterables;
  if (iterables.length !== 1 || iterable === undefined || hasToken(node, ','))
    return faultAt(node, 'invalid syntax');
  if (LOOSE.has(iterable.kind) || around.ancestors.length === 0) return faultAt(node, 'invalid syntax');
  return walrusesIn(iterable).length > 0
    ? faultAt(node, 'assignment expression cannot be used in a comprehension iterable expression')
    : null;
};

/** `if a` of a comprehension is stricter than the guard of a case. */
export const conditionIsLegal: Rule = (node, around) => {
  if (parentIn(around)?.kind === 'case_clause') return null;
  const [condition] = partsOf(node);
  return condition !== undefined && LOOSE.has(condition.kind) ? faultAt(node, 'invalid syntax') : null;
};

function namesIn(target: PyNode | null, text: string): readonly string[] {
  if (target === null) return [];
  if (target.kind === 'identifier') return [nameOf(target, text)];
  return /pattern|tuple|list/.test(target.kind)
    ? target.children.flatMap((child) => namesIn(child, text))
    : [];
}

// Those that bind in this scope: a lambda's are its own.
function walrusesIn(node: PyNode): readonly PyNode[] {
  if (node.kind === 'lambda') return [];
  const inner = node.children.flatMap(walrusesIn);
  return node.kind === 'named_expression' ? [node, ...inner] : inner;
}
