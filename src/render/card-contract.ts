/**
 * What a launch rests on by the contract of its run, value by value: given, inferred and from what, unclear or missing, and
 * which gate holds a value against what is really there (policy HR, Launch).
 */

import { type ContractFields, type Field, namesOf } from '../contracts/fields.ts';
import type { Contract, ContractValue } from '../domain/launch/contract.ts';
import type { GateId, Verdict } from '../domain/launch/verdict.ts';
import { outcomeWords } from './card-gates.ts';
import { gateWords } from './gate-words.ts';
import type { RenderInput } from './input.ts';
import { type PlaceWord, placeWord } from './place-word.ts';
import { code, details, table, text } from './words.ts';

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
