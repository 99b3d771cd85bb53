/** Holds the PR's table against what the files really say: every knob declared once, with the right values, and no other. */

import type { Mismatch } from '../../../domain/facts.ts';
import type { Delta, KnobChange } from '../../../domain/launch/delta.ts';
import { isSameValueText } from '../value-text.ts';
import { declaredName, declaredRow, onOneLine } from './declared-row.ts';
import type { DeclaredRow } from './delta-table.ts';

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
