/** `global` and `nonlocal`: before every use, of names that may be declared so (language reference, sections 7.12 and 7.13). */

import { childIn, type PyNode, partsOf } from '../../domain/python-syntax.ts';
import { nameOf } from '../delta/normal-form.ts';
import { faultAt, firstFault, type PySyntaxError, type Rule } from './fault.ts';

/** The declarations of one scope: a module, a function or a class. */
export const declarationsAreLegal: Rule = (node, { text, ancestors }) => {
  const body = node.kind === 'module' ? node : childIn(node, 'body');
  if (body === null) return null;
  const declarations = ownNodes(body).filter((own) => /^(?:global|nonlocal)_statement$/.test(own.kind));
  if (declarations.length === 0) return null;
  const parameters = parameterNames(node, text);
  const uses = ownNodes(body).filter(
    (own) => own.kind === 'identifier' && !isDeclaredHere(own, declarations),
  );
  const kinds = new Map<string, string>();
  return firstFault(
    declarations.values().flatMap((declaration) =>
      partsOf(declaration).map((name): PySyntaxError | null => {
        const spelled = nameOf(name, text);
        const kind = declaration.kind.replace('_statement', '');
        if ((kinds.get(spelled) ?? kind) !== kind)
          return faultAt(declaration, `name '${spelled}' is nonlocal and global`);
        kinds.set(spelled, kind);
        if (parameters.has(spelled))
          return faultAt(declaration, `name '${spelled}' is parameter and ${kind}`);
        if (kind === 'nonlocal' && node.kind === 'module')
          return faultAt(declaration, 'nonlocal declaration not allowed at module level');
        if (uses.some((use) => use.end <= name.start && nameOf(use, text) === spelled && isUse(use, body)))
          return faultAt(declaration, `name '${spelled}' is used prior to ${kind} declaration`);
        if (annotatedNames(body, text).has(spelled))
          return faultAt(declaration, `annotated name '${spelled}' can't be ${kind}`);
        return kind === 'nonlocal' && !isBoundOutside(spelled, ancestors, text)
          ? faultAt(declaration, `no binding for nonlocal '${spelled}' found`)
          : null;
      }),
    ),
  );
};

// The nodes of a scope itself, not those of functions, classes and lambdas inside it.
function ownNodes(body: PyNode): readonly PyNode[] {
  const nodes: PyNode[] = [];
  const visit = (node: PyNode): void => {
    nodes.push(node);
    if (node.kind === 'function_definition' || node.kind === 'class_definition') {
      for (const child of node.children)
        if (child.field !== 'body' && child.field !== 'parameters') visit(child);
      return;
    }
    if (node.kind !== 'lambda') for (const child of node.children) visit(child);
  };
  for (const child of body.children) visit(child);
  return nodes;
}

function isDeclaredHere(identifier: PyNode, declarations: readonly PyNode[]): boolean {
  return declarations.some((declaration) => declaration.children.includes(identifier));
}

// Attribute names and keywords of calls are no uses of a name.
function isUse(identifier: PyNode, body: PyNode): boolean {
  if (identifier.field === 'attribute') return false;
  const parent = parentOf(identifier, body);
  return !(parent?.kind === 'keyword_argument' && identifier.field === 'name');
}

function parentOf(node: PyNode, within: PyNode): PyNode | null {
  const next = within.children.find((child) => child.start <= node.start && node.end <= child.end);
  if (next === undefined || next === node) return within;
  return parentOf(node, next);
}

function parameterNames(node: PyNode, text: string): ReadonlySet<string> {
  const parameters = childIn(node, 'parameters');
  const names = new Set<string>();
  for (const part of parameters === null ? [] : partsOf(parameters)) {
    const inner = childIn(part, 'name') ?? (part.kind === 'identifier' ? part : (partsOf(part)[0] ?? part));
    const name = inner.kind === 'identifier' ? inner : partsOf(inner)[0];
    if (name !== undefined) names.add(nameOf(name, text));
  }
  return names;
}

function annotatedNames(body: PyNode, text: string): ReadonlySet<string> {
  return new Set(
    ownNodes(body).flatMap((node) => {
      const left =
        node.kind === 'assignment' && childIn(node, 'type') !== null ? childIn(node, 'left') : null;
      return left?.kind === 'identifier' ? [nameOf(left, text)] : [];
    }),
  );
}

const BINDERS =
  /^(?:assignment|augmented_assignment|for_statement|named_expression|function_definition|class_definition)$/;

function isBoundOutside(name: string, ancestors: readonly PyNode[], text: string): boolean {
  return ancestors.some((outer) => {
    // Every method of a class has it.
    if (outer.kind === 'class_definition' && name === '__class__') return true;
    if (outer.kind !== 'function_definition') return false;
    const body = childIn(outer, 'body');
    if (parameterNames(outer, text).has(name)) return true;
    if (body === null) return false;
    const own = ownNodes(body);
    const isGlobal = own.some(
      (node) => node.kind === 'global_statement' && partsOf(node).some((part) => nameOf(part, text) === name),
    );
    return !isGlobal && own.some((node) => bindsName(node, name, text));
  });
}

function bindsName(node: PyNode, name: string, text: string): boolean {
  const isNamed = (target: PyNode | null): boolean =>
    target !== null &&
    (target.kind === 'identifier'
      ? nameOf(target, text) === name
      : /pattern|tuple|list|target/.test(target.kind) && target.children.some(isNamed));
  if (BINDERS.test(node.kind)) return isNamed(childIn(node, 'left')) || isNamed(childIn(node, 'name'));
  if (/_import$|^import/.test(node.kind))
    return partsOf(node).some((part) => {
      const bound = childIn(part, 'alias') ?? part;
      return bound.kind === 'dotted_name' ? isNamed(partsOf(bound)[0] ?? null) : isNamed(bound);
    });
  if (node.kind === 'delete_statement') return partsOf(node).some(isNamed);
  if (node.kind === 'as_pattern') return isNamed(childIn(node, 'alias'));
  if (node.kind === 'except_clause') return isNamed(childIn(node, 'alias'));
  return /pattern$/.test(node.kind) && isNamed(node);
}
