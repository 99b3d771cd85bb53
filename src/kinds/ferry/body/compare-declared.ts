/** Holds the PR's table against what the files really say: every knob declared once, with the right values, and no other. */

import type { BodyFacts, Mismatch } from '../../../domain/facts.ts';
import type { Delta, KnobChange } from '../../../domain/launch/delta.ts';
import { remembered } from '../../../domain/remembered.ts';
import type { TextAbout } from '../../../run/kind.ts';
import { isSameValueText } from '../value-text.ts';
import { type DeclaredRow, presentValue, readPullBody } from './read-pull-body.ts';

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
 * Mismatches in the order of the table, then what is missing from it (policy DF-18). `tableLine` is where a missing row belongs, null without a table. Nothing can be compared with a
 * delta that is not countable; that has a gate of its own.
 */
export function compareDeclared(
  delta: Delta,
  rows: readonly DeclaredRow[],
  tableLine: number | null,
): readonly Mismatch[] {
  if (delta.kind === 'structural' || delta.kind === 'unparsable') return [];
  const changes = delta.kind === 'knobs' ? delta.changes : [];
  const claimed = new Set<KnobChange>();
  const inTable = rows.flatMap((row) => judgeRow(row, changes, claimed));
  const missing = changes.filter((change) => !claimed.has(change));
  return [...inTable, ...missing.map((change) => mismatch('undeclared', change, null, tableLine, changes))];
}

function judgeRow(
  row: DeclaredRow,
  changes: readonly KnobChange[],
  claimed: Set<KnobChange>,
): readonly Mismatch[] {
  const candidates = changes.filter((change) => isNamed(change, row));
  const free = candidates.filter((change) => !claimed.has(change));
  const change = free.find((one) => saysTheSame(one, row)) ?? free[0];
  if (change !== undefined) {
    claimed.add(change);
    const isClear = candidates.length === 1 || saysTheSame(change, row);
    return isClear && saysTheSame(change, row)
      ? []
      : // rule DF-18
        [mismatch('misdeclared', change, row, row.line, changes)];
  }
  const [taken] = candidates;
  if (taken !== undefined) return [mismatch('doubled', taken, row, row.line, changes)];
  return [
    {
      kind: 'unchanged',
      knob: row.knob,
      path: null,
      declared: pairText(row),
      real: null,
      fileLine: null,
      bodyLine: row.line,
      row: null,
    },
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

function mismatch(
  kind: Mismatch['kind'],
  change: KnobChange,
  row: DeclaredRow | null,
  bodyLine: number | null,
  all: readonly KnobChange[],
): Mismatch {
  return {
    kind,
    knob: change.knob,
    path: change.path,
    declared: row === null ? null : pairText(row),
    real: pairText(change),
    fileLine: change.line,
    bodyLine,
    row: declaredRow(change, declaredName(change, all)),
  };
}

function pairText({ before, after }: Pick<DeclaredRow, 'before' | 'after'>): string {
  return `${before ?? 'absent'} -> ${after ?? 'absent'}`;
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
  const rows = presentValue(body.delta);
  const references = presentValue(body.lastFerry);
  const tableLine = body.delta.kind === 'absent' ? null : body.delta.line;
  return {
    risk: presentValue(body.risk),
    objectiveKind: presentValue(body.objective)?.kind ?? null,
    linksLastFerry:
      references !== null &&
      (last === null || references.numbers.includes(last.issue) || references.numbers.includes(last.pull)),
    hasDeltaTable: rows !== null,
    mismatches: compareDeclared(delta, rows ?? [], tableLine),
    boxes: presentValue(body.checklist) ?? [],
  };
}
