/** Where a module that nobody imported is imported: among the file's own imports, in their order. */

import type { PyNode, PySyntax } from '../../domain/python-syntax.ts';
import type { Edit } from './fix-file.ts';

/** One line, above the first import that comes after it by name, or below the last, or above the first statement. */
export function importLine(module: string, { root, text }: PySyntax): Edit {
  const statements = root.children.filter(({ kind }) => kind !== 'comment');
  const plain = statements.filter((one) => one.kind === 'import_statement' && isAlone(one, text));
  const later = plain.find(({ start, end }) => text.slice(start, end) > `import ${module}`);
  const last = plain.at(-1);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  if (later !== undefined) return at(later.start, `import ${module}${newline}`);
  if (last !== undefined) return at(last.end, `${newline}import ${module}`);
  const [first, ...rest] = statements;
  const isDocumented =
    first?.kind === 'expression_statement' && first.children[0]?.kind === 'string' && rest.length > 0;
  const begin = (isDocumented ? rest : statements).find(({ kind }) => kind !== 'future_import_statement');
  return at(begin?.start ?? text.length, `import ${module}${newline}`);
}

/** Whether nothing else stands in its lines. */
function isAlone({ start, end, column }: PyNode, text: string): boolean {
  const rest = text.slice(end).split('\n', 1)[0] ?? '';
  return column === 1 && rest.trim() === '' && !text.slice(start, end).includes('\n');
}

function at(place: number, text: string): Edit {
  return { start: place, end: place, text };
}
