/** What is paired in a block: a statement, or a run of imports, in which order means nothing. */

import type { PyNode } from '../domain/python-syntax.ts';
import { isImport, statementsIn } from './statements.ts';

export type Unit =
  | { readonly kind: 'statement'; readonly node: PyNode }
  | { readonly kind: 'imports'; readonly nodes: readonly [PyNode, ...PyNode[]] };

/** The units of a block in the order of the file. */
export function unitsOf(block: PyNode): readonly Unit[] {
  const units: Unit[] = [];
  for (const node of statementsIn(block)) {
    const last = units.at(-1);
    if (!isImport(node)) units.push({ kind: 'statement', node });
    else if (last?.kind === 'imports')
      units[units.length - 1] = { kind: 'imports', nodes: [...last.nodes, node] };
    else units.push({ kind: 'imports', nodes: [node] });
  }
  return units;
}
