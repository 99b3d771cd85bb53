/** One row of the before/after table, as ferrybot writes it and as it corrects it. */

import type { KnobChange } from '../../../domain/launch/delta.ts';

export const DELTA_TABLE_HEAD = ['| Knob | Before | After |', '|---|---|---|'] as const;

/** The row that is right for a change. `name` is the knob, or its path where two changed knobs have one name. */
export function declaredRow(change: Pick<KnobChange, 'before' | 'after'>, name: string): string {
  return `| ${code(name)} | ${value(change.before)} | ${value(change.after)} |`;
}

/** What a change is called in the table: short where that is clear. */
export function declaredName(change: KnobChange, all: readonly KnobChange[]): string {
  return all.filter((other) => other.knob === change.knob).length === 1 ? change.knob : change.path;
}

/** Source text on one line, as a table cell can hold it: layout is no part of a value. */
export function onOneLine(source: string): string {
  return source.replace(/\s+/g, ' ').trim();
}

function value(source: string | null): string {
  return source === null ? 'absent' : code(onOneLine(source));
}

// A fence longer than any run of backticks inside; a pipe ends the cell even in code (GFM, tables).
function code(source: string): string {
  if (/\\\|/.test(source)) return htmlCode(source);
  const longest = Math.max(0, ...(source.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = source.startsWith('`') || source.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${source.replaceAll('|', '\\|')}${pad}${fence}`;
}

// Parsers disagree on a backslash before a pipe, so that both are written as entities.
function htmlCode(source: string): string {
  const signs = [...source].map((sign) => (/[A-Za-z0-9 ]/.test(sign) ? sign : `&#${sign.codePointAt(0)};`));
  return `<code>${signs.join('')}</code>`;
}
