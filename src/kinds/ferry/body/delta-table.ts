/** The before/after table of a PR body: `| Knob | Before | After |` with source text as inline code. */

import type { RootContent, Table, TableCell, TableRow } from 'mdast';
import { plainText } from '../../../commands/grammar/plain-text.ts';
import type { Part } from './part.ts';

/** One row. A value is source text; null = absent. `line` is the row's in the body. */
export type DeclaredRow = {
  readonly knob: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly line: number;
};

// What people write where there is no value.
const ABSENT: ReadonlySet<string> = new Set([
  '',
  'absent',
  '(absent)',
  'not set',
  'none yet',
  '-',
  '–',
  '—',
  'n/a',
]);
const COLUMNS = ['knob', 'before', 'after'] as const;

/**
 * The rows of the one table with these columns that stands directly in the section: one in a quote, a list or code
 * is somebody else's words. Other tables (metrics, say) do not count.
 */
export function readDeltaTable(
  content: readonly RootContent[],
  sectionLine: number,
): Part<readonly DeclaredRow[]> {
  const tables = content.filter((node) => node.type === 'table').filter((table) => columnsOf(table) !== null);
  const [table, second] = tables;
  if (table === undefined) return { kind: 'malformed', code: 'no-table', line: sectionLine };
  if (second !== undefined)
    return { kind: 'malformed', code: 'two-tables', line: second.position?.start.line ?? sectionLine };
  const columns = columnsOf(table) ?? [0, 1, 2];
  const line = table.position?.start.line ?? sectionLine;
  // A row of a template that nobody filled in says nothing.
  const filled = table.children.slice(1).filter((row) => row.children.some((cell) => plainText(cell) !== ''));
  return { kind: 'present', value: filled.map((row) => readRow(row, columns)), line };
}

function columnsOf(table: Table): readonly [number, number, number] | null {
  const names = table.children[0]?.children.map((cell) => plainText(cell).toLowerCase()) ?? [];
  const [knob = -1, before = -1, after = -1] = COLUMNS.map((column) => names.indexOf(column));
  return knob < 0 || before < 0 || after < 0 ? null : [knob, before, after];
}

function readRow(row: TableRow, [knob, before, after]: readonly [number, number, number]): DeclaredRow {
  return {
    knob: sourceText(row.children[knob]) ?? '',
    before: sourceText(row.children[before]),
    after: sourceText(row.children[after]),
    line: row.position?.start.line ?? 1,
  };
}

// Inline code is source text as it stands, so `None` in code is the literal and a dash in plain text is nothing.
function sourceText(cell: TableCell | undefined): string | null {
  const parts = cell?.children.filter((node) => node.type !== 'text' || node.value.trim() !== '') ?? [];
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'inlineCode') return only.value;
  const text = cell === undefined ? '' : plainText(cell);
  return ABSENT.has(text.toLowerCase()) ? null : text;
}
