/** The launch gates on the card and in the answer to `/why`: what fails and who can fix it, and the contract (policy HR, Launch). */

import { type ContractFields, type Field, namesOf } from '../contracts/fields.ts';
import type { Contract, ContractValue } from '../domain/launch/contract.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import {
  GATES,
  type GateId,
  REMEDY_ACTORS,
  type RemedyActor,
  type Verdict,
} from '../domain/launch/verdict.ts';
import type { Detail } from '../domain/payload.ts';
import { assertNever } from '../domain/values.ts';
import { APPROVAL_SENTENCES } from './approval-words.ts';
import { gateWords } from './gate-words.ts';
import type { AnswerFacts, RenderInput } from './input.ts';
import { code, count, details, type PlaceWord, paragraphs, placeWord, table, text } from './words.ts';

/** Who can supply what is missing. */
export function whoCan(actor: RemedyActor, place: PlaceWord = 'pull request'): string {
  switch (actor) {
    case 'author':
      return place === 'issue'
        ? 'people who can edit this issue or push to its branch'
        : 'people who can edit this pull request';
    case 'maintainer':
      return 'a maintainer';
    case 'approver':
      return 'an approver';
    case 'anyone':
      return 'the named person';
    case 'lab':
      return 'the maintainers of `.github/ferrybot.yml`';
    case 'time':
      return 'it clears by itself';
    default:
      return assertNever(actor);
  }
}

/** Null before the gates were evaluated. */
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

/** A run that waits for approvals has no problem. */
function isWaiting({ gate, code }: Verdict): boolean {
  return gate === 'approver-allowed' && code === 'too-few';
}

/** Every verdict as a row: gate, outcome, what was found, what to do and who can. */
export function gateTable(verdicts: readonly Verdict[], place: PlaceWord = 'pull request'): string {
  const rows = verdicts.map((verdict) => {
    const { found, remedy } = gateWords(verdict, place);
    return [
      `\`${verdict.gate}\``,
      isWaiting(verdict) ? '⏳ waits for people' : OUTCOMES[verdict.outcome],
      found,
      remedy === null ? '' : `${remedy} (${whoCan(verdict.remedyBy, place)})`,
    ];
  });
  return table(['Gate', 'Outcome', 'Found', 'What to do, and who can'], rows);
}

const OUTCOMES: Readonly<Record<Verdict['outcome'], string>> = {
  pass: '✅ passes',
  warn: '⚠️ passes, with a warning',
  fail: '❌ fails',
  unknown: '❔ unknown',
};

const COMPLETE = 'contract-complete' satisfies GateId;

/** Null for a run that has no contract. */
export function cardContract({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  const fields = config.kind.contracts?.fields;
  const { contract, gate } = state;
  if (fields === undefined || contract === null) return null;
  const verdicts = gate?.verdicts ?? [];
  const shown = new Set<string>();
  // Optional values without a value are left out.
  const rows = namesOf(fields).flatMap((name) => {
    const [field, value] = [fields[name], contract[name]];
    if (field === undefined || (value === undefined && !field.needed)) return [];
    const isGiven = value !== undefined && value.source !== 'unclear';
    const check = isGiven
      ? checkWords(field, verdicts, placeWord(state), shown)
      : outcomeOf(verdicts.find((one) => one.gate === COMPLETE));
    return [[field.label, value === undefined ? '' : code(value.value), sourceWords(value), check]];
  });
  return details(
    `What the launch rests on: ${tally(fields, contract)}`,
    table(['By the contract', 'Value', 'Source', 'Checked'], rows, rows.length),
  );
}

function outcomeOf(verdict: Verdict | undefined): string {
  return verdict === undefined ? '' : `${OUTCOMES[verdict.outcome]} (\`${verdict.gate}\`)`;
}

function sourceWords(value: ContractValue | undefined): string {
  if (value === undefined) return '**missing**';
  switch (value.source) {
    case 'given':
      return 'given';
    case 'inferred':
      return `inferred from ${text(value.from)}`;
    case 'unclear':
      return `**unclear**: wanted is ${text(value.from)}`;
  }
}

/** What the gate found, such as the step in a checkpoint's own file, at the first value that it checks. */
function checkWords(
  { checkedBy }: Field,
  verdicts: readonly Verdict[],
  place: PlaceWord,
  shown: Set<string>,
): string {
  const verdict = verdicts.find(({ gate }) => gate === checkedBy);
  // An incomplete contract lacks another value, not this one.
  if (verdict === undefined || (verdict.gate === COMPLETE && verdict.outcome === 'fail')) return '';
  if (shown.has(verdict.gate)) return `${outcomeOf(verdict)}, as above`;
  shown.add(verdict.gate);
  return `${outcomeOf(verdict)}: ${gateWords(verdict, place).found}`;
}

function tally(fields: ContractFields, contract: Contract): string {
  const values = Object.values(contract);
  const countOf = (source: ContractValue['source']): number =>
    values.filter((one) => one.source === source).length;
  const missing = namesOf(fields).filter(
    (name) => fields[name]?.needed === true && contract[name] === undefined,
  ).length;
  return `${countOf('given')} given, ${countOf('inferred')} inferred, ${countOf('unclear')} unclear, ${missing} missing`;
}

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

/** Null for a gate or a role that this version does not know. */
function verdictAt(d: AnswerFacts<'why-told'>, at: number): Verdict | null {
  const gate = GATES.find((one) => one === d.gate[at]);
  const remedyBy = REMEDY_ACTORS.find((one) => one === d.by[at]);
  if (gate === undefined || remedyBy === undefined) return null;
  // `/why` wrote this text, and `gateWords` checks each fact against its field.
  const found = JSON.parse(d.found[at] ?? '{}') as Detail;
  return { gate, outcome: 'fail', code: d.code[at] ?? '', found, remedyBy };
}
