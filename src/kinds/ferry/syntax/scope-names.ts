/** The names of one scope: declared, used, bound and annotated in it, but not in the functions and classes inside. */

import { childIn, type PyNode, partsOf } from '../../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';

export type Declaration = {
  readonly declaration: PyNode;
  readonly kind: 'global' | 'nonlocal';
  readonly name: string;
  readonly start: number;
};

export type ScopeNames = {
  readonly declarations: readonly Declaration[];
  readonly hasNonlocal: boolean;
  /** Offset of the first use or binding of a name; declarations, attributes and keywords of calls are none. */
  readonly firstUse: ReadonlyMap<string, number>;
  readonly bound: ReadonlySet<string>;
  readonly annotated: ReadonlySet<string>;
};

/** The names of a function's, class's or module's body, in one walk. */
export function bodyNames(body: PyNode, text: string): ScopeNames {
  const declarations: Declaration[] = [];
  const firstUse = new Map<string, number>();
  const bound = new Set<string>();
  const annotated = new Set<string>();
  const visit = (node: PyNode): void => {
    if (node.kind === 'global_statement' || node.kind === 'nonlocal_statement') {
      const kind = node.kind === 'global_statement' ? 'global' : 'nonlocal';
      for (const part of partsOf(node))
        declarations.push({ declaration: node, kind, name: nameOf(part, text), start: part.start });
      return;
    }
    // An import binds, and yet a declaration may come after it.
    if (/^(?:import|future_import)/.test(node.kind)) {
      for (const target of targetsOf(node)) addNames(target, text, bound);
      return;
    }
    if (node.kind === 'identifier') {
      const name = nameOf(node, text);
      if (!firstUse.has(name)) firstUse.set(name, node.start);
      return;
    }
    if (node.children.length === 0) return;
    for (const target of targetsOf(node)) addNames(target, text, bound);
    if (node.kind === 'assignment' && childIn(node, 'type') !== null)
      addNames(childIn(node, 'left'), text, annotated);
    const hasOthers = SHARED.has(node.kind);
    for (const child of node.children) if (!hasOthers || isOwn(node, child)) visit(child);
  };
  for (const child of body.children) visit(child);
  const hasNonlocal = declarations.some((one) => one.kind === 'nonlocal');
  return { declarations, hasNonlocal, firstUse, bound, annotated };
}

/** The parameters of a function; none for anything else. */
export function parameterNames(node: PyNode, text: string): ReadonlySet<string> {
  const parameters = childIn(node, 'parameters');
  const names = new Set<string>();
  for (const part of parameters === null ? [] : partsOf(parameters)) {
    const inner = childIn(part, 'name') ?? (part.kind === 'identifier' ? part : (partsOf(part)[0] ?? part));
    const name = inner.kind === 'identifier' ? inner : partsOf(inner)[0];
    if (name !== undefined) names.add(nameOf(name, text));
  }
  return names;
}

// Decorators, defaults and bases belong to this scope, bodies and parameters to the inner one.
function isOwn(node: PyNode, child: PyNode): boolean {
  if (node.kind === 'lambda') return false;
  if (COMPREHENSIONS.has(node.kind))
    return child === node.children.find((one) => one.kind === 'for_in_clause') || bindsOutside(child);
  if (node.kind === 'for_in_clause') return child.field === 'right';
  if (node.kind === 'function_definition' || node.kind === 'class_definition')
    return child.field !== 'body' && child.field !== 'parameters';
  if (node.kind === 'attribute') return child.field !== 'attribute';
  return !(node.kind === 'keyword_argument' && child.field === 'name');
}

const COMPREHENSIONS: ReadonlySet<string> = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
]);
// The nodes in which something stands that is not of the scope around them, or is no use of a name.
const SHARED: ReadonlySet<string> = new Set([
  ...COMPREHENSIONS,
  'lambda',
  'for_in_clause',
  'function_definition',
  'class_definition',
  'attribute',
  'keyword_argument',
]);

// `[y := 1 for …]` binds its name in the scope around the comprehension.
function bindsOutside(node: PyNode): boolean {
  return node.kind === 'named_expression' || (node.kind !== 'lambda' && node.children.some(bindsOutside));
}

const BY_LEFT = /^(?:assignment|augmented_assignment|for_statement)$/;
const BY_NAME = /^(?:named_expression|function_definition|class_definition)$/;

function targetsOf(node: PyNode): readonly (PyNode | null)[] {
  if (BY_LEFT.test(node.kind)) return [childIn(node, 'left')];
  if (BY_NAME.test(node.kind)) return [childIn(node, 'name')];
  if (node.kind === 'delete_statement') return partsOf(node);
  if (node.kind === 'as_pattern' || node.kind === 'except_clause') return [childIn(node, 'alias')];
  if (/^import|_import/.test(node.kind))
    return partsOf(node)
      .filter((part) => part.field === 'name')
      .map((part) => childIn(part, 'alias') ?? partsOf(part)[0] ?? part);
  if (node.kind === 'type_alias_statement') {
    const [named] = partsOf(childIn(node, 'left') ?? node);
    return [named?.kind === 'generic_type' ? (partsOf(named)[0] ?? null) : (named ?? null)];
  }
  return node.kind === 'case_pattern' ? [node] : [];
}

function addNames(target: PyNode | null, text: string, names: Set<string>): void {
  if (target === null) return;
  if (target.kind === 'identifier') names.add(nameOf(target, text));
  else if (/pattern|tuple|list|target|dotted_name|parenthesized/.test(target.kind))
    for (const child of target.children) addNames(child, text, names);
}
