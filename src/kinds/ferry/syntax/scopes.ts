/** `global` and `nonlocal`: before every use, of names that may be declared so (language reference, sections 7.12 and 7.13). */

import { childIn, type PyNode } from '../../../domain/python-syntax.ts';
import { faultAt, type Rule } from './fault.ts';
import { bodyNames, parameterNames } from './scope-names.ts';

/** The declarations of one scope: a module, a function or a class. */
export const declarationsAreLegal: Rule = (node, { text, ancestors }) => {
  const body = node.kind === 'module' ? node : childIn(node, 'body');
  if (body === null) return null;
  const own = bodyNames(body, text);
  if (own.declarations.length === 0) return null;
  const parameters = parameterNames(node, text);
  const outer = own.hasNonlocal ? namesAround(ancestors, text) : new Set<string>();
  const kinds = new Map<string, string>();
  for (const { declaration, kind, name, start } of own.declarations) {
    const known = kinds.get(name) ?? kind;
    kinds.set(name, kind);
    const message = problemWith(name, kind);
    if (message !== null) return faultAt(declaration, message);
    if (known !== kind) return faultAt(declaration, `name '${name}' is nonlocal and global`);
    if ((own.firstUse.get(name) ?? start) < start)
      return faultAt(declaration, `name '${name}' is used prior to ${kind} declaration`);
  }
  return null;

  function problemWith(name: string, kind: 'global' | 'nonlocal'): string | null {
    if (parameters.has(name)) return `name '${name}' is parameter and ${kind}`;
    if (own.annotated.has(name)) return `annotated name '${name}' can't be ${kind}`;
    if (kind === 'global') return null;
    if (node.kind === 'module') return 'nonlocal declaration not allowed at module level';
    return outer.has(name) ? null : `no binding for nonlocal '${name}' found`;
  }
};

// What the functions around bind and do not declare global; in a class, every method also has `__class__`.
function namesAround(ancestors: readonly PyNode[], text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const outer of ancestors) {
    if (outer.kind === 'class_definition') names.add('__class__');
    const body = outer.kind === 'function_definition' ? childIn(outer, 'body') : null;
    if (body === null) continue;
    const { bound, declarations } = bodyNames(body, text);
    const globals = new Set(declarations.filter((one) => one.kind === 'global').map((one) => one.name));
    for (const name of [...bound, ...parameterNames(outer, text)]) if (!globals.has(name)) names.add(name);
  }
  return names;
}
