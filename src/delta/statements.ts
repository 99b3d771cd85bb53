/** The statements of a block that do something: no comments, docstrings, `pass` or `...` fillers. */

import { type PyNode, partsOf } from '../domain/python-syntax.ts';

const FILLERS: ReadonlySet<string> = new Set(['string', 'concatenated_string', 'ellipsis']);

/** In the order of the file, semicolons and one-line blocks undone. */
export function statementsIn(block: PyNode): readonly PyNode[] {
  return partsOf(block).filter((statement) => !isFiller(statement));
}

/** Whether a statement imports something. */
export function isImport(statement: PyNode): boolean {
  return (
    statement.kind === 'import_statement' ||
    statement.kind === 'import_from_statement' ||
    statement.kind === 'future_import_statement'
  );
}

function isFiller(statement: PyNode): boolean {
  if (statement.kind === 'pass_statement') return true;
  if (statement.kind !== 'expression_statement') return false;
  const [only, ...more] = partsOf(statement);
  return (
    only !== undefined &&
    more.length === 0 &&
    FILLERS.has(only.kind) &&
    !statement.children.some((child) => child.kind === ',') &&
    !hasParts(only)
  );
}

// A formatted string may call something, so it is no filler.
function hasParts(node: PyNode): boolean {
  return node.children.some((child) => child.kind === 'interpolation' || hasParts(child));
}
