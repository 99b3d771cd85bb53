/** What parameters a function, a lambda or a generic may have (language reference, sections 8.7 and 8.10). */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';
import { faultAt, firstFault, type PySyntaxError, parentIn, type Rule } from './fault.ts';

/** Order, stars, slash and defaults; no name twice; no tuples, no annotations in a lambda. */
export const parametersAreLegal: Rule = (node, { text }) => {
  const state: State = {
    names: new Set(),
    star: null,
    sawSlash: false,
    sawDefault: false,
    sawEnd: false,
    count: 0,
  };
  const parts = partsOf(node);
  const isLambda = node.kind === 'lambda_parameters';
  const fault = firstFault(parts.values().map((part) => parameterError(part, state, text, isLambda)));
  if (fault !== null) return fault;
  return state.star === 'bare' ? faultAt(node, 'named parameters must follow bare *') : null;
};

type State = {
  readonly names: Set<string>;
  /** `bare`: a lone star that no named parameter has followed yet. */
  star: 'bare' | 'seen' | null;
  sawSlash: boolean;
  sawDefault: boolean;
  sawEnd: boolean;
  count: number;
};

function parameterError(part: PyNode, state: State, text: string, isLambda: boolean): PySyntaxError | null {
  if (state.sawEnd) return faultAt(part, 'parameters cannot follow var-keyword parameter');
  state.count += 1;
  if (part.kind === 'keyword_separator') {
    if (state.star !== null) return faultAt(part, '* may appear only once');
    state.star = 'bare';
    return null;
  }
  if (part.kind === 'positional_separator') {
    if (state.sawSlash || state.star !== null || state.count === 1) return faultAt(part, 'misplaced /');
    state.sawSlash = true;
    return null;
  }
  const inner = part.kind === 'typed_parameter' ? (partsOf(part)[0] ?? part) : part;
  if (isLambda && part.kind.startsWith('typed')) return faultAt(part, 'invalid syntax');
  const isStar = inner.kind === 'list_splat_pattern';
  const isExpansion = inner.kind === 'dictionary_splat_pattern';
  const name = isStar || isExpansion ? partsOf(inner)[0] : (childIn(inner, 'name') ?? inner);
  if (name?.kind !== 'identifier') return faultAt(part, 'Function parameters cannot be parenthesized');
  const spelled = nameOf(name, text);
  if (state.names.has(spelled))
    return faultAt(part, `duplicate argument '${spelled}' in function definition`);
  state.names.add(spelled);
  if (!isStar && hasStarredType(part)) return faultAt(part, 'invalid syntax');
  return orderError(part, state, isStar, isExpansion);
}

function orderError(part: PyNode, state: State, isStar: boolean, isExpansion: boolean): PySyntaxError | null {
  if (isStar) {
    if (state.star !== null) return faultAt(part, '* may appear only once');
    state.star = 'seen';
    return null;
  }
  if (isExpansion) {
    if (state.star === 'bare') return faultAt(part, 'named parameters must follow bare *');
    state.sawEnd = true;
    return null;
  }
  const hasDefault = childIn(part, 'value') !== null;
  if (state.star !== null) {
    state.star = 'seen';
    return null;
  }
  if (state.sawDefault && !hasDefault)
    return faultAt(part, 'parameter without a default follows parameter with a default');
  state.sawDefault ||= hasDefault;
  return null;
}

// Only `*args: *Ts` may have a starred annotation.
function hasStarredType(part: PyNode): boolean {
  const type = childIn(part, 'type');
  return type !== null && partsOf(type).some((inner) => /splat/.test(inner.kind));
}

/** `[T, U: int = str, *Ts, **P]` of a function, a class or a type alias. */
export const typeParametersAreLegal: Rule = (node, around) => {
  const parent = parentIn(around);
  if (parent === null || !isDeclaration(parent, around.ancestors)) return null;
  const names = new Set<string>();
  let sawDefault = false;
  return firstFault(
    partsOf(node)
      .values()
      .map((part): PySyntaxError | null => {
        if (part.kind === 'type_default') return null;
        const name = typeParameterName(part);
        if (name === null) return faultAt(part, 'invalid syntax');
        const spelled = nameOf(name, around.text);
        if (spelled === '__debug__') return faultAt(part, 'cannot assign to __debug__');
        if (names.has(spelled)) return faultAt(part, `duplicate type parameter '${spelled}'`);
        names.add(spelled);
        const value = defaultOf(part, node);
        const hasDefault = value !== null;
        const takesStar =
          around.text.startsWith('*', part.start) && !around.text.startsWith('**', part.start);
        if (value !== null && /splat/.test(value.kind) && !takesStar)
          return faultAt(value, 'cannot use starred expression here');
        if (sawDefault && !hasDefault)
          return faultAt(part, 'non-default type parameter follows default type parameter');
        sawDefault ||= hasDefault;
        return null;
      }),
  );
};

/** `T: bound` stands only in a list of type parameters. */
export const boundIsLegal: Rule = (node, around) =>
  parentIn(around, 2)?.kind === 'type_parameter' ? null : faultAt(node, 'invalid syntax');

/** `type X[T] = …`: a name, perhaps with parameters. `type(x).y = 1` looks alike and is an assignment. */
export const typeAliasIsLegal: Rule = (node, { text }) => {
  const left = childIn(node, 'left');
  const [inner] = left === null ? [] : partsOf(left);
  const source = left === null ? '' : text.slice(left.start, left.end);
  if (/^[([]/.test(source))
    return source.endsWith(')') ? faultAt(node, 'cannot assign to function call') : null;
  if (inner?.kind === 'identifier' && nameOf(inner, text) === '__debug__')
    return faultAt(node, 'cannot assign to __debug__');
  const isName = inner?.kind === 'identifier' || inner?.kind === 'generic_type';
  return isName ? null : faultAt(node, 'invalid syntax');
};

function defaultOf(part: PyNode, list: PyNode): PyNode | null {
  const next = list.children[list.children.indexOf(part) + 1];
  const found = next?.kind === 'type_default' ? next : part.children.find((c) => c.kind === 'type_default');
  return found === undefined ? null : (partsOf(found)[0] ?? null);
}

function isDeclaration(parent: PyNode, ancestors: readonly PyNode[]): boolean {
  if (parent.kind === 'function_definition' || parent.kind === 'class_definition') return true;
  const type = ancestors.at(-2);
  return (
    parent.kind === 'generic_type' &&
    type?.field === 'left' &&
    ancestors.at(-3)?.kind === 'type_alias_statement'
  );
}

function typeParameterName(part: PyNode): PyNode | null {
  const [inner] = part.kind === 'type' ? partsOf(part) : [];
  if (inner?.kind === 'identifier') return inner;
  if (inner?.kind === 'splat_type' || inner?.kind === 'list_splat') {
    const [name] = partsOf(inner);
    return name?.kind === 'identifier' ? name : null;
  }
  const [bounded] = inner?.kind === 'constrained_type' ? partsOf(inner) : [];
  const [name] = bounded === undefined ? [] : partsOf(bounded);
  return name?.kind === 'identifier' ? name : null;
}
