/** The answer to `/why`: each gate that does not pass, why, what to do about it, and who can. */

import { GATES, REMEDY_ACTORS, type Verdict } from '../domain/launch/verdict.ts';
import type { Detail } from '../domain/payload.ts';
import type { AnswerFacts } from './answer-view.ts';
import { APPROVAL_SENTENCES } from './approval-gate-words.ts';
import { gateWords } from './gate-words.ts';
import type { PlaceWord } from './place-word.ts';
import { whoCan } from './who-can.ts';
import { code, count, paragraphs, table, text } from './words.ts';

/** The words for `why-told`. */
export function whyWords(d: AnswerFacts<'why-told'>, place: PlaceWord = 'pull request'): string {
  const more = d.count - d.gate.length;
  return paragraphs(
    `${count(d.count, 'gate')} ${d.count === 1 ? 'does' : 'do'} not pass, so nothing is launched:`,
    table(
      ['Gate', 'Why', 'What to do', 'Who can'],
      d.gate.map((_, at) => rowOf(d, at, place)),
    ),
    more > 0 ? `The card shows the other ${more}.` : null,
    isRefusedYet(d.gate) ? 'Approve last: an approval is refused until the other gates pass.' : null,
  );
}

/** Whether an approval is missing and cannot be given yet. */
function isRefusedYet(gates: readonly string[]): boolean {
  return gates.includes('approver-allowed') && gates.some((one) => !Object.hasOwn(APPROVAL_SENTENCES, one));
}

function rowOf(d: AnswerFacts<'why-told'>, at: number, place: PlaceWord): readonly string[] {
  const verdict = verdictAt(d, at);
  const who = d.who[at] ?? '';
  if (verdict === null) return [code(d.gate[at] ?? ''), code(d.code[at] ?? ''), '', text(who)];
  const { found, remedy } = gateWords(verdict, place);
  const role = whoCan(verdict.remedyBy, place);
  return [code(verdict.gate), found, remedy ?? '', who === '' ? role : `${role}: ${text(who)}`];
}

/** Null where another version recorded a gate or a role that this one does not know. */
function verdictAt(d: AnswerFacts<'why-told'>, at: number): Verdict | null {
  const gate = GATES.find((one) => one === d.gate[at]);
  const remedyBy = REMEDY_ACTORS.find((one) => one === d.by[at]);
  if (gate === undefined || remedyBy === undefined) return null;
  // `/why` wrote this text, and `gateWords` checks each fact against its field.
  const found = JSON.parse(d.found[at] ?? '{}') as Detail;
  return { gate, outcome: 'fail', code: d.code[at] ?? '', found, remedyBy };
}
