/** The launch gates for people: what fails on the card and in the answer to `/why`, who can fix it, and the contract that a launch rests on (policy HR, Launch). */

import { type ContractFields, type Field, namesOf } from '../contracts/fields.ts';
import { assertNever } from '../domain/assert.ts';
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
import { APPROVAL_SENTENCES } from './approval-gate-words.ts';
import { gateWords } from './gate-words.ts';
import type { AnswerFacts, RenderInput } from './input.ts';
import { code, count, details, type PlaceWord, paragraphs, placeWord, table, text } from './words.ts';

/** Who can supply what is missing. */
export function whoCan(actor: RemedyActor, place: PlaceWord = 'pull request'): string {
  switch (actor) {
    case 'author':
      return place === 'issue'
        ? 'whoever can edit this issue or push to its branch'
        : 'whoever can edit this pull request';
    case 'maintainer':
      return 'a maintainer';
    case 'approver':
      return 'whoever may approve';
    case 'anyone':
      // What it says to do has the person's name.
      return 'whom it names';
    case 'lab':
      return 'whoever keeps `.github/ferrybot.yml`';
    case 'time':
      return 'nobody: it clears by itself';
    default:
      return assertNever(actor);
  }
}

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

function outcomeWords(outcome: Verdict['outcome']): string {
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

const COMPLETE = 'contract-complete' satisfies GateId;

/** Null for a run that has no contract. */
export function cardContract({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  const fields = config.kind.contracts?.fields;
  const { contract, gate } = state;
  if (fields === undefined || contract === null) return null;
  const rows = listedRows(fields, contract, gate?.verdicts ?? [], placeWord(state));
  return details(
    `What the launch rests on: ${tally(fields, contract)}`,
    table(['By the contract', 'Value', 'Where it is from', 'Held against reality'], rows, rows.length),
  );
}

/** What nobody has to say and nobody said is left out. */
function listedRows(
  fields: ContractFields,
  contract: Contract,
  verdicts: readonly Verdict[],
  place: PlaceWord,
): readonly (readonly string[])[] {
  const told = new Set<string>();
  return namesOf(fields).flatMap((name) => {
    const [field, said] = [fields[name], contract[name]];
    if (field === undefined || (said === undefined && !field.needed)) return [];
    return [
      [
        field.label,
        said === undefined ? '' : code(said.value),
        sourceWords(said),
        isSaid(said)
          ? checkWords(field, verdicts, place, told)
          : outcomeOf(verdicts.find(({ gate }) => gate === COMPLETE)),
      ],
    ];
  });
}

/** What is missing or unclear there is nothing to hold against: what another gate has in its place is no answer about it. */
function isSaid(said: ContractValue | undefined): boolean {
  return said !== undefined && said.source !== 'unclear';
}

function outcomeOf(verdict: Verdict | undefined): string {
  return verdict === undefined ? '' : `${outcomeWords(verdict.outcome)} (\`${verdict.gate}\`)`;
}

function sourceWords(said: ContractValue | undefined): string {
  if (said === undefined) return '**missing**';
  switch (said.source) {
    case 'given':
      return 'given';
    case 'inferred':
      return `inferred from ${text(said.from)}`;
    case 'unclear':
      return `**unclear**: wanted is ${text(said.from)}`;
  }
}

/** With what was found there, such as the step that a checkpoint's own file says: at the first value that rests on that gate. */
function checkWords(
  { checkedBy }: Field,
  verdicts: readonly Verdict[],
  place: PlaceWord,
  told: Set<string>,
): string {
  const verdict = verdicts.find(({ gate }) => gate === checkedBy);
  // Where the contract is not whole, this value is not what it lacks.
  if (verdict === undefined || (verdict.gate === COMPLETE && verdict.outcome === 'fail')) return '';
  const said = outcomeOf(verdict);
  if (told.has(verdict.gate)) return `${said}, as above`;
  told.add(verdict.gate);
  return `${said}: ${gateWords(verdict, place).found}`;
}

function tally(fields: ContractFields, contract: Contract): string {
  const said = Object.values(contract);
  const countOf = (source: ContractValue['source']): number =>
    said.filter((one) => one.source === source).length;
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

/** Null where another version recorded a gate or a role that this one does not know. */
function verdictAt(d: AnswerFacts<'why-told'>, at: number): Verdict | null {
  const gate = GATES.find((one) => one === d.gate[at]);
  const remedyBy = REMEDY_ACTORS.find((one) => one === d.by[at]);
  if (gate === undefined || remedyBy === undefined) return null;
  // `/why` wrote this text, and `gateWords` checks each fact against its field.
  const found = JSON.parse(d.found[at] ?? '{}') as Detail;
  return { gate, outcome: 'fail', code: d.code[at] ?? '', found, remedyBy };
}
