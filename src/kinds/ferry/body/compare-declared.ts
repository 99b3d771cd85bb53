/** Holds the PR's table against what the files really say: every knob declared once, with the right values, and no other. */

import type { BodyFacts, Mismatch } from '../../../domain/facts.ts';
import type { Delta, KnobChange } from '../../../domain/launch/delta.ts';
import { remembered } from '../../../domain/remembered.ts';
import type { TextAbout } from '../../../run/kind.ts';
import { isSameValueText } from '../value-text.ts';
import { type DeclaredRow, readPullBody } from './read-pull-body.ts';

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

/**
 * Changes without a row that says the same, and rows without such a change (policy DF-18). Nothing can be compared with a delta that is
 * not countable; that has a gate of its own.
 */
export function compareDeclared(delta: Delta, rows: readonly DeclaredRow[]): readonly Mismatch[] {
  if (delta.kind === 'structural' || delta.kind === 'unparsable') return [];
  const changes = delta.kind === 'knobs' ? delta.changes : [];
  const spare = new Set(rows);
  const undeclared = changes.filter((change) => {
    const row = [...spare].find((one) => isNamed(change, one) && saysTheSame(change, one));
    return row === undefined || !spare.delete(row);
  });
  // A row with a wrong value is replaced by the right one.
  const needless = [...spare].filter((row) => !undeclared.some((change) => isNamed(change, row)));
  return [
    // rule DF-18
    ...undeclared.map((change) => ({
      kind: 'undeclared' as const,
      knob: change.knob,
      real: `${change.before ?? 'absent'} -> ${change.after ?? 'absent'}`,
      fileLine: change.line,
      row: declaredRow(change, declaredName(change, changes)),
    })),
    ...needless.map(({ knob }) => ({
      kind: 'unchanged' as const,
      knob,
      real: null,
      fileLine: null,
      row: null,
    })),
  ];
}

function isNamed(change: KnobChange, row: DeclaredRow): boolean {
  return row.knob === change.path || row.knob === change.knob;
}

function saysTheSame(change: KnobChange, row: DeclaredRow): boolean {
  return isSameText(change.before, row.before) && isSameText(change.after, row.after);
}

function isSameText(real: string | null, declared: string | null): boolean {
  if (real === null || declared === null) return real === declared;
  // `0.003` says the same as `3e-3`, and `1` not the same as `1.0`.
  return onOneLine(real) === onOneLine(declared) || isSameValueText(real, declared);
}

const readOnce = remembered(readPullBody, (markdown) => markdown);

/**
 * The facts, null where the text cannot be read. The last ferry counts as linked when its issue or PR
 * is named; where there was none, when the body says so or names something; a malformed part is a missing part.
 */
export function bodyFacts(
  markdown: string,
  { delta, last }: TextAbout,
): Omit<BodyFacts, 'fingerprint'> | null {
  const body = readOnce(markdown);
  if (body === null) return null;
  const { delta: rows, lastFerry } = body;
  return {
    risk: body.risk,
    objectiveKind: body.objective?.kind ?? null,
    linksLastFerry:
      lastFerry !== null &&
      (last === null || lastFerry.includes(last.issue) || lastFerry.includes(last.pull)),
    hasDeltaTable: rows !== null,
    mismatches: compareDeclared(delta, rows ?? []),
    boxes: body.checklist,
  };
}
