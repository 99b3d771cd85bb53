/** The names of a Python file: where each is bound, where it is used, and what can be seen from there. */

import type { PyNode, PySyntax } from '../../domain/python-syntax.ts';

/** `scopes`: the nodes whose names can be meant there, the file first. */
export type NameAt = {
  readonly name: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly isBinding: boolean;
  readonly scopes: readonly PyNode[];
};

/** Every name that stands in the file. */
export function namesIn({ root, text }: Pick<PySyntax, 'root' | 'text'>): readonly NameAt[] {
  const found: NameAt[] = [];
  const walk = (node: PyNode, role: Role, scopes: readonly PyNode[]): void => {
    for (const [index, child] of node.children.entries()) {
      const of = roleIn(node, child, index, role);
      if (of === 'none') continue;
      const within = isInside(node, child) ? [...scopes, node] : scopes;
      const { start, end, line } = child;
      if (child.kind === 'identifier')
        found.push({
          name: text.slice(start, end),
          line,
          start,
          end,
          isBinding: of === 'bind',
          scopes: within,
        });
      else walk(child, of, within);
    }
  };
  walk(root, 'use', [root]);
  return found;
}

/** What the file binds that can be meant at a use: the names of a class only in its own body. */
export function visibleFrom(names: readonly NameAt[], use: NameAt): ReadonlySet<string> {
  const innermost = use.scopes.at(-1);
  const seen = names.filter(({ isBinding, scopes }) => {
    const home = scopes.at(-1);
    if (!isBinding || home === undefined) return false;
    return home.kind === 'class_definition' ? home === innermost : use.scopes.includes(home);
  });
  return new Set(seen.map(({ name }) => name));
}

/** What whoever imports the file can ask it for. */
export function namesOfModule(syntax: PySyntax): ReadonlySet<string> {
  const bound = namesIn(syntax).filter(({ isBinding, scopes }) => isBinding && scopes.at(-1) === syntax.root);
  return new Set(bound.map(({ name }) => name));
}

/** Whether names may come from where the file does not say: all of another module's, or made while it runs. */
export function hasHiddenNames(syntax: PySyntax, names: readonly NameAt[]): boolean {
  return holds(syntax.root, 'wildcard_import') || names.some(({ name }) => MADE_AT_RUN_TIME.has(name));
}

/** All nodes of a kind. */
export function nodesOf(node: PyNode, kind: string): readonly PyNode[] {
  const below = node.children.flatMap((child) => nodesOf(child, kind));
  return node.kind === kind ? [node, ...below] : below;
}

function holds(node: PyNode, kind: string): boolean {
  return node.kind === kind || node.children.some((child) => holds(child, kind));
}

const MADE_AT_RUN_TIME: ReadonlySet<string> = new Set(['exec', 'globals', '__getattr__']);

/** `bind`: a name there gets a value; `none`: what stands there is no name of this file, as an attribute's. */
type Role = 'use' | 'bind' | 'none';

/** What a child of a node is, where the node itself is `within`. */
function roleIn(parent: PyNode, child: PyNode, index: number, within: Role): Role {
  const { field } = child;
  if (KEEPS.has(parent.kind)) return within;
  switch (parent.kind) {
    case 'assignment':
    case 'augmented_assignment':
    case 'for_statement':
    case 'for_in_clause':
    case 'type_alias_statement':
      return field === 'left' ? 'bind' : 'use';
    case 'named_expression':
    case 'class_definition':
    case 'default_parameter':
    case 'typed_default_parameter':
      return field === 'name' ? 'bind' : 'use';
    case 'function_definition':
      return field === 'name' || field === 'parameters' ? 'bind' : 'use';
    case 'lambda':
      return field === 'parameters' ? 'bind' : 'use';
    case 'typed_parameter':
      return field === 'type' ? 'use' : 'bind';
    case 'as_pattern':
      return field === 'alias' || (index > 0 && child.kind === 'identifier') ? 'bind' : within;
    case 'global_statement':
    case 'nonlocal_statement':
    case 'delete_statement':
    case 'type_parameter':
      return 'bind';
    case 'case_clause':
      return child.kind === 'case_pattern' ? 'bind' : 'use';
    case 'class_pattern':
      return child.kind === 'dotted_name' ? 'use' : within;
    case 'keyword_pattern':
      return index === 0 ? 'none' : within;
    case 'dict_pattern':
      return field === 'key' ? 'use' : within;
    case 'attribute':
      return field === 'attribute' ? 'none' : 'use';
    case 'keyword_argument':
      return field === 'name' ? 'none' : 'use';
    case 'import_statement':
    case 'import_from_statement':
      return field === 'name' ? 'bind' : 'none';
    case 'aliased_import':
      return field === 'alias' ? 'bind' : 'none';
    case 'dotted_name':
      // Only the first of `a.b` is a name; in a pattern it is then looked up.
      if (index > 0) return 'none';
      return parent.children.length > 1 && within === 'bind' && parent.field !== 'name' ? 'use' : within;
    case 'future_import_statement':
      return 'none';
    default:
      return 'use';
  }
}

/** What holds names and is none of them: a tuple that gets values, a pattern in a pattern. */
const KEEPS: ReadonlySet<string> = new Set([
  'as_pattern_target',
  'case_pattern',
  'dictionary_splat_pattern',
  'generic_type',
  'lambda_parameters',
  'list',
  'list_pattern',
  'list_splat_pattern',
  'parameters',
  'parenthesized_expression',
  'pattern_list',
  'splat_pattern',
  'tuple',
  'tuple_pattern',
  'type',
  'union_pattern',
]);

/** Whether names of the child are the parent's own, and not those of what it stands in. */
function isInside(parent: PyNode, { field }: PyNode): boolean {
  if (parent.kind === 'function_definition') return field === 'parameters' || field === 'body';
  if (parent.kind === 'class_definition') return field === 'body';
  return WHOLLY_OWN.has(parent.kind);
}

const WHOLLY_OWN: ReadonlySet<string> = new Set([
  'lambda',
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
]);
