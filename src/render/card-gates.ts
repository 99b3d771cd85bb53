/** The card's gates: what holds the run back in the open, everything else folded. */

import { assertNever } from '../domain/assert.ts';
import type { RunState } from '../domain/run-state.ts';
import type { Verdict } from '../domain/verdict.ts';
import { gateWords, whoCan } from './gate-words.ts';
import { details, paragraphs, table } from './words.ts';

/** Null before the gates were looked at. */
export function cardGates({ gate, submission }: RunState): string | null {
  if (gate === null) return null;
  const open = gate.verdicts.filter((v) => v.outcome !== 'pass');
  const passing = gate.verdicts.filter((v) => v.outcome === 'pass');
  const all = `${passing.length} of ${gate.verdicts.length} launch gates pass`;
  if (submission !== null || open.length === 0)
    return details(submission === null ? all : `${all} (at the launch)`, gateTable(gate.verdicts));
  return paragraphs(gateTable(open), passing.length === 0 ? null : details(all, gateTable(passing)));
}

/** Every verdict as a row: gate, outcome, what was found, what to do and who can. */
export function gateTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { found, remedy } = gateWords(verdict);
    return [
      `\`${verdict.gate}\``,
      outcomeWords(verdict.outcome),
      found,
      remedy === null ? '' : `${remedy} (${whoCan(verdict.remedyBy)})`,
    ];
  });
  return table(['Gate', 'Outcome', 'Found', 'What to do, and who can'], rows);
}

/** The outcome with its sign, never the sign alone. */
export function outcomeWords(outcome: Verdict['outcome']): string {
  switch (outcome) {
    case 'pass':
      return '✅ passes';
    case 'warn':
      return '⚠️ passes, with a warning';
    case 'fail':
      return '❌ fails';
    case 'unknown':
      return '❔ unknown';
    default:
      return assertNever(outcome);
  }
}
