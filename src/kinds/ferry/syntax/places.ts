/** Where `return`, `yield`, `await`, `break`, `continue` and everything async may stand. */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { bodyScopeOf, isInGenericBases, scopeOf } from './context.ts';
import { faultAt, hasToken, parentIn, type Rule, type Surroundings } from './fault.ts';

/** In a function, not in `except*`, and without a value in an async generator. */
export const returnIsLegal: Rule = (node, around) => {
  const scope = bodyScopeOf(node, around.ancestors);
  if (scope.kind !== 'function' && scope.kind !== 'async') return faultAt(node, "'return' outside function");
  if (isInExceptStar(node, around, scope.index))
    return faultAt(node, "'return' cannot appear in an 'except*' block");
  const hasValue = partsOf(node).length > 0;
  return scope.kind === 'async' && hasValue && scope.node !== null && hasOwnYield(scope.node)
    ? faultAt(node, "'return' with value in async generator")
    : null;
};

/** In a loop of the same function. */
export const loopExitIsLegal: Rule = (node, around) => {
  const { ancestors } = around;
  for (let index = ancestors.length - 1; index >= 0; index -= 1) {
    const outer = ancestors[index];
    const inner = ancestors[index + 1] ?? node;
    if (outer === undefined || isBodyOf(outer, inner)) break;
    if ((outer.kind === 'for_statement' || outer.kind === 'while_statement') && inner.field === 'body')
      return isInExceptStar(node, around, index)
        ? faultAt(node, "'break' and 'continue' cannot appear in an 'except*' block")
        : null;
  }
  return faultAt(node, `'${node.kind.replace('_statement', '')}' outside loop`);
};

const YIELD_PARENTS: ReadonlySet<string> = new Set([
  'expression_statement',
  'assignment',
  'augmented_assignment',
  'parenthesized_expression',
  'interpolation',
  'format_expression',
]);

/** In a function or lambda, by itself, not in a comprehension; `yield from` not in an async function. */
export const yieldIsLegal: Rule = (node, around) => {
  const parent = parentIn(around);
  if (parent === null || !YIELD_PARENTS.has(parent.kind)) return faultAt(node, 'invalid syntax');
  if (isInAnnotation(around)) return faultAt(node, 'yield expression cannot be used within an annotation');
  if (isInGenericBases(node, around.ancestors))
    return faultAt(node, 'yield expression cannot be used within the definition of a generic');
  const scope = scopeOf(node, around.ancestors);
  if (scope.kind === 'comprehension' || scope.kind === 'generator')
    return faultAt(node, "'yield' inside comprehension or generator expression");
  if (scope.kind === 'module' || scope.kind === 'class') return faultAt(node, "'yield' outside function");
  return scope.kind === 'async' && hasToken(node, 'from')
    ? faultAt(node, "'yield from' inside async function")
    : null;
};

/** In an async function, or in a generator expression. */
export const awaitIsLegal: Rule = (node, around) => {
  const [inner] = partsOf(node);
  if (inner?.kind === 'unary_operator' || inner?.kind === 'await') return faultAt(node, 'invalid syntax');
  if (isInAnnotation(around)) return faultAt(node, 'await expression cannot be used within an annotation');
  if (isInGenericBases(node, around.ancestors))
    return faultAt(node, 'await expression cannot be used within the definition of a generic');
  return mayAwait(node, around) ? null : faultAt(node, "'await' outside async function");
};

/** `async for` and `async with` as statements. */
export const asyncStatementIsLegal: Rule = (node, around) =>
  hasToken(node, 'async') && bodyScopeOf(node, around.ancestors).kind !== 'async'
    ? faultAt(node, `'async ${node.kind.replace('_statement', '')}' outside async function`)
    : null;

/** `async for` in a comprehension: a list, set or dict of it needs an async function around, a generator does not. */
export const asyncClauseIsLegal: Rule = (node, around) =>
  hasToken(node, 'async') && !mayIterateAsync(node, around)
    ? faultAt(node, 'asynchronous comprehension outside of an asynchronous function')
    : null;

function mayAwait(node: PyNode, around: Surroundings): boolean {
  const scope = scopeOf(node, around.ancestors);
  if (scope.kind === 'generator' || scope.kind === 'async') return true;
  if (scope.kind !== 'comprehension') return false;
  const outer = scopeOf(node, around.ancestors, scope.index);
  return (
    outer.kind === 'async' ||
    outer.kind === 'generator' ||
    (outer.kind === 'comprehension' && mayAwaitAt(node, around, outer.index))
  );
}

function mayAwaitAt(node: PyNode, around: Surroundings, below: number): boolean {
  const outer = scopeOf(node, around.ancestors, below);
  if (outer.kind === 'comprehension') return mayAwaitAt(node, around, outer.index);
  return outer.kind === 'async' || outer.kind === 'generator';
}

function mayIterateAsync(node: PyNode, around: Surroundings): boolean {
  const parent = parentIn(around);
  if (parent?.kind === 'generator_expression') return true;
  return mayAwaitAt(node, around, around.ancestors.length - 1);
}

function isInExceptStar(node: PyNode, { ancestors }: Surroundings, below: number): boolean {
  return ancestors
    .slice(below + 1)
    .some((outer) => outer.kind === 'except_clause' && hasToken(outer, '*') && outer !== node);
}

function isBodyOf(outer: PyNode, inner: PyNode): boolean {
  return (
    (outer.kind === 'function_definition' || outer.kind === 'class_definition') && inner.field === 'body'
  );
}

// A type, or an annotation of a parameter or a variable; a function inside one is its own world.
function isInAnnotation({ ancestors }: Surroundings): boolean {
  const type = ancestors.findLastIndex((outer) => outer.kind === 'type');
  return type !== -1 && !ancestors.slice(type).some((outer) => outer.kind === 'lambda');
}

function hasOwnYield(definition: PyNode): boolean {
  const body = childIn(definition, 'body');
  const visit = (node: PyNode): boolean =>
    node.kind === 'yield' ||
    (!['function_definition', 'class_definition', 'lambda', 'generator_expression'].includes(node.kind) &&
      node.children.some(visit));
  return body?.children.some(visit) === true;
}
