/** The card's gates: what holds the run back in the open, everything else folded. */

import { assertNever } from '../domain/assert.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { gateWords } from './gate-words.ts';
import type { RenderInput } from './input.ts';
import { type PlaceWord, placeWord } from './place-word.ts';
import { whoCan } from './who-can.ts';
import { details, paragraphs, table } from './words.ts';

/** Null before the gates were looked at. */
export function cardGates({ state, approvals }: Pick<RenderInput, 'state' | 'approvals'>): string | null {
  const { gate } = state;
  const place = placeWord(state);
  if (gate === null) return null;
  const passing = gate.verdicts.filter((v) => v.outcome === 'pass');
  const all = `${passing.length} of ${gate.verdicts.length} launch gates pass`;
  if (!isBeforeLaunch(state)) return details(`${all} (at the launch)`, gateTable(gate.verdicts, place));
  const open = [...gate.verdicts, ...approvals].filter((v) => v.outcome !== 'pass' && !isWaiting(v));
  const rest = [...gate.verdicts, ...approvals].filter((v) => !open.includes(v));
  if (open.length === 0) return details(all, gateTable(rest, place));
  return paragraphs(gateTable(open, place), rest.length === 0 ? null : details(all, gateTable(rest, place)));
}

/** Approvals that nobody gave yet are what a run waits for, and nothing that is wrong with it. */
function isWaiting({ gate, code }: Verdict): boolean {
  return gate === 'approver-allowed' && code === 'too-few';
}

/** Every verdict as a row: gate, outcome, what was found, what to do and who can. */
export function gateTable(verdicts: readonly Verdict[], place: PlaceWord = 'pull request'): string {
  const rows = verdicts.map((verdict) => {
    const { found, remedy } = gateWords(verdict, place);
    return [
      `\`${verdict.gate}\``,
      isWaiting(verdict) ? '⏳ waits for people' : outcomeWords(verdict.outcome),
      found,
      remedy === null ? '' : `${remedy} (${whoCan(verdict.remedyBy, place)})`,
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
