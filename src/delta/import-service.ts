/** Whether an import that came or went only serves values that changed: then it is no change of its own. */

import type { PyNode } from '../domain/python-syntax.ts';
import type { Differences, ImportBinding, Structural } from './diff-outcome.ts';
import type { PyFile } from './normal-form.ts';
import { isImport } from './statements.ts';

/** The first import that does more than serve changed values, as the place that makes the change structural; else null. */
export function idleImport(differences: Differences, base: PyFile, head: PyFile): Structural | null {
  const now = differences.changes.flatMap((change) => (change.head === null ? [] : [change.head]));
  const added = differences.importsAdded.find(
    (binding) => !serves(binding, now, head) || isUsed(binding, base),
  );
  if (added !== undefined) return { kind: 'structural', side: 'head', node: added.statement };
  const old = differences.changes.flatMap((change) => (change.base === null ? [] : [change.base]));
  const removed = differences.importsRemoved.find(
    (binding) => !serves(binding, old, base) || isUsed(binding, head),
  );
  return removed === undefined ? null : { kind: 'structural', side: 'base', node: removed.statement };
}

// A name that means something without the import too (a builtin, say) has changed its meaning.
function isUsed(binding: ImportBinding, file: PyFile): boolean {
  return usesOf(binding, file).length > 0;
}

// Used at least once, and nowhere outside the changed values.
function serves(binding: ImportBinding, values: readonly PyNode[], file: PyFile): boolean {
  const uses = usesOf(binding, file);
  return (
    uses.length > 0 &&
    uses.every((use) => values.some((value) => value.start <= use.start && use.end <= value.end))
  );
}

function usesOf(binding: ImportBinding, file: PyFile): readonly PyNode[] {
  const uses: PyNode[] = [];
  const visit = (node: PyNode): void => {
    if (isImport(node)) return;
    if (node.kind === 'identifier' || node.kind === 'attribute') {
      const dotted = file.source(node).replace(/\s+/g, '').normalize('NFKC');
      if (dotted === binding.usedAs || dotted.startsWith(`${binding.usedAs}.`)) {
        uses.push(node);
        return;
      }
    }
    for (const child of node.children)
      if (!(node.kind === 'keyword_argument' && child.field === 'name') && child.field !== 'attribute')
        visit(child);
  };
  visit(file.syntax.root);
  return uses;
}
