/** Compares two runs of imports as what they bind: order and layout mean nothing, another source of a name does. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import type { ImportBinding, Outcome } from './diff-outcome.ts';
import { SAME } from './diff-outcome.ts';
import type { Pair } from './diff-value.ts';
import type { PyFile } from './normal-form.ts';

/** Bindings that came and went. Structural at once: `*`, `__future__`, or a name that now comes from elsewhere. */
export function diffImports(base: readonly PyNode[], head: readonly PyNode[], files: Pair): Outcome {
  const before = base.flatMap((node) => bindingsOf(node, files.base));
  const after = head.flatMap((node) => bindingsOf(node, files.head));
  const added = without(after, before);
  const removed = without(before, after);
  const special = added.find(
    (binding) =>
      isSpecial(binding) || removed.some((old) => old.name === binding.name && !isSubmodule(old, binding)),
  );
  if (special !== undefined) return { kind: 'structural', side: 'head', node: special.statement };
  const dropped = removed.find(isSpecial);
  if (dropped !== undefined) return { kind: 'structural', side: 'base', node: dropped.statement };
  const moved = after.find((binding, at) => rebinds(after, at) && before[at]?.target !== binding.target);
  if (moved !== undefined) return { kind: 'structural', side: 'head', node: moved.statement };
  return { ...SAME, kind: 'values', changes: [], importsAdded: added, importsRemoved: removed };
}

function without(all: readonly ImportBinding[], taken: readonly ImportBinding[]): readonly ImportBinding[] {
  const left = new Map<string, number>();
  for (const { target } of taken) left.set(target, (left.get(target) ?? 0) + 1);
  return all.filter(({ target }) => {
    const count = left.get(target) ?? 0;
    left.set(target, count - 1);
    return count <= 0;
  });
}

function isSpecial(binding: ImportBinding): boolean {
  return binding.name === '*' || binding.target.startsWith('__future__ ');
}

// After a `*`, or where one name is bound twice, the last import wins: there, order means something.
function rebinds(bindings: readonly ImportBinding[], at: number): boolean {
  const binding = bindings[at];
  const others = bindings.filter((_, index) => index !== at);
  return others.some(
    (other) =>
      other.name === '*' ||
      (other.name === binding?.name && other.target !== binding.target && !isSubmodule(other, binding)),
  );
}

// `import lab.a` and `import lab.b` bind the same `lab`.
function isSubmodule(one: ImportBinding, other: ImportBinding | undefined): boolean {
  return other !== undefined && one.usedAs !== one.name && other.usedAs !== other.name;
}

function bindingsOf(statement: PyNode, file: PyFile): readonly ImportBinding[] {
  const module = childIn(statement, 'module_name');
  const from =
    statement.kind === 'future_import_statement'
      ? '__future__'
      : module === null
        ? null
        : spelled(module, file);
  if (statement.children.some((child) => child.kind === 'wildcard_import'))
    return [{ name: '*', usedAs: '*', target: `${from ?? ''} *`, statement }];
  return partsOf(statement)
    .filter((part) => part.field === 'name')
    .map((part) => bindingOf(part, from, statement, file));
}

function bindingOf(part: PyNode, from: string | null, statement: PyNode, file: PyFile): ImportBinding {
  const named = part.kind === 'aliased_import' ? childIn(part, 'name') : part;
  const alias = part.kind === 'aliased_import' ? childIn(part, 'alias') : null;
  const path = spelled(named ?? part, file);
  const root = path.split('.')[0] ?? path;
  const name = alias !== null ? spelled(alias, file) : from === null ? root : path;
  const usedAs = alias === null && from === null ? path : name;
  return { name, usedAs, target: `${from ?? ''} ${path} ${name}`.trimStart(), statement };
}

function spelled(node: PyNode, file: PyFile): string {
  return file.source(node).replace(/\s+/g, '').normalize('NFKC');
}
