/** The launch gates on the card and in the answer to `/why`: what fails and who can fix it, and the contract (policy HR, Launch). */

import { type ContractFields, type Field, fieldNames } from '../contracts/fields.ts';
import type { Contract, ContractValue } from '../domain/launch/contract.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { type GateId, listOpenVerdicts, type RemedyActor, type Verdict } from '../domain/launch/verdict.ts';
import { assertNever } from '../domain/values.ts';
import { APPROVAL_SENTENCES, gateWords } from './gate-words.ts';
import type { AnswerFacts, RenderInput } from './input.ts';
import { code, count, folded, paragraphs, type ThreadKind, table, text, threadKind } from './words.ts';

/** The people who can fix what a gate found, in words. */
export function remedyActorName(actor: RemedyActor, place: ThreadKind = 'pull request'): string {
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

/** Null before the first evaluation of the gates. */
export function cardGates({ state, approvals }: Pick<RenderInput, 'state' | 'approvals'>): string | null {
  const { gate } = state;
  const place = threadKind(state);
  if (gate === null) return null;
  const passing = gate.verdicts.filter((v) => v.outcome === 'pass');
  const all = `${passing.length} of ${gate.verdicts.length} launch gates pass`;
  if (!isBeforeLaunch(state)) return folded(`${all} (at the launch)`, gateTable(gate.verdicts, place));
  const open = [...gate.verdicts, ...approvals].filter((v) => v.outcome !== 'pass' && !isWaitingVerdict(v));
  const rest = [...gate.verdicts, ...approvals].filter((v) => !open.includes(v));
  if (open.length === 0) return folded(all, gateTable(rest, place));
  return paragraphs(gateTable(open, place), rest.length === 0 ? null : folded(all, gateTable(rest, place)));
}

/** Missing approvals are no problem of the run. */
function isWaitingVerdict({ gate, code }: Verdict): boolean {
  return gate === 'approver-allowed' && code === 'too-few';
}

/** Every verdict as a row: gate, outcome, what was found, what to do and who can. */
export function gateTable(verdicts: readonly Verdict[], place: ThreadKind = 'pull request'): string {
  const rows = verdicts.map((verdict) => {
    const { found, remedy } = gateWords(verdict, place);
    return [
      `\`${verdict.gate}\``,
      isWaitingVerdict(verdict) ? '⏳ waits for people' : OUTCOMES[verdict.outcome],
      found,
      remedy === null ? '' : `${remedy} (${remedyActorName(verdict.remedyBy, place)})`,
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
  // Omit optional fields without a value.
  const rows = fieldNames(fields).flatMap((name) => {
    const [field, value] = [fields[name], contract[name]];
    if (field === undefined || (value === undefined && !field.needed)) return [];
    const isGiven = value !== undefined && value.source !== 'unclear';
    const check = isGiven
      ? describeCheck(field, verdicts, threadKind(state), shown)
      : outcomeSymbol(verdicts.find((one) => one.gate === COMPLETE));
    return [[field.label, value === undefined ? '' : code(value.value), describeSource(value), check]];
  });
  return folded(
    `What the launch rests on: ${countFields(fields, contract)}`,
    table(['By the contract', 'Value', 'Source', 'Checked'], rows, rows.length),
  );
}

function outcomeSymbol(verdict: Verdict | undefined): string {
  return verdict === undefined ? '' : `${OUTCOMES[verdict.outcome]} (\`${verdict.gate}\`)`;
}

function describeSource(value: ContractValue | undefined): string {
  if (value === undefined) return '**missing**';
  switch (value.source) {
    case 'given':
      return value.from === '' ? 'given' : `given, as in ${text(value.from)}`;
    case 'inferred':
      return `inferred from ${text(value.from)}`;
    case 'unclear':
      return `**unclear**: wanted is ${text(value.from)}`;
  }
}

/** The gate's finding, such as the step in a checkpoint's own file. Shown only at the first value that the gate checks. */
function describeCheck(
  { checkedBy }: Field,
  verdicts: readonly Verdict[],
  place: ThreadKind,
  shown: Set<string>,
): string {
  const verdict = verdicts.find(({ gate }) => gate === checkedBy);
  // An incomplete contract lacks another value, not this one.
  if (verdict === undefined || (verdict.gate === COMPLETE && verdict.outcome === 'fail')) return '';
  if (shown.has(verdict.gate)) return `${outcomeSymbol(verdict)}, as above`;
  shown.add(verdict.gate);
  return `${outcomeSymbol(verdict)}: ${gateWords(verdict, place).found}`;
}

function countFields(fields: ContractFields, contract: Contract): string {
  const values = Object.values(contract);
  const countSource = (source: ContractValue['source']): number => values.filter((one) => one.source === source).length;
  const missing = fieldNames(fields).filter(
    (name) => fields[name]?.needed === true && contract[name] === undefined,
  ).length;
  return `${countSource('given')} given, ${countSource('inferred')} inferred, ${countSource('unclear')} unclear, ${missing} missing`;
}

/** What blocks the launch now, with the people who could act at the time of the question. */
export function renderWhy(
  people: AnswerFacts<'why-told'>,
  { state, approvals }: Pick<RenderInput, 'state' | 'approvals'>,
): string {
  const open = listOpenVerdicts([...(state.gate?.verdicts ?? []), ...approvals]);
  const place = threadKind(state);
  const names: { readonly [role in RemedyActor]?: string } = { ...people, lab: people.maintainer };
  const rows = open.map((verdict) => {
    const { found, remedy } = gateWords(verdict, place);
    const [role, who = ''] = [remedyActorName(verdict.remedyBy, place), names[verdict.remedyBy]];
    return [code(verdict.gate), found, remedy ?? '', who === '' ? role : `${role}: ${text(who)}`];
  });
  const isRefusedYet =
    open.some(({ gate }) => gate === 'approver-allowed') &&
    open.some(({ gate }) => !Object.hasOwn(APPROVAL_SENTENCES, gate));
  return paragraphs(
    `${count(open.length, 'gate')} ${open.length === 1 ? 'does' : 'do'} not pass, so nothing is launched:`,
    table(['Gate', 'Why', 'What to do', 'Who can'], rows),
    open.some(({ gate }) => gate === 'approver-allowed') ? excludedWords(people) : null,
    isRefusedYet ? 'Approve last: an approval is refused until the other gates pass.' : null,
  );
}

/** Who contributed to the change and can therefore not approve it, and what to do if nobody else is left. */
function excludedWords({ excluded, approver }: AnswerFacts<'why-told'>): string | null {
  if (excluded === '') return null;
  const why = `${text(excluded)} contributed to this change, also by *Update branch*, and cannot approve it.`;
  return approver === ''
    ? `${why} Nobody else may approve. To go on, give another person the permission or list them in \`approvals.users\`; or close this proposal and let another person propose it again with \`/propose\`.`
    : `${why} ${text(approver)} can.`;
}
