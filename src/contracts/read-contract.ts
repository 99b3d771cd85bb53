/** Reads a contract in an issue: what is given, what a kind infers from the rest and from what, and what is unclear. */

import type { Contract, ContractIssue, ContractValue } from '../domain/launch/contract.ts';
import { remembered } from '../domain/remembered.ts';
import {
  type ContractFields,
  type Field,
  fieldNamed,
  isSameName,
  namesOf,
  type Values,
  valueIn,
  wantedForSecret,
} from './fields.ts';
import { saidIn } from './said-in-issue.ts';

/** Takes up what has no value yet, and says what from; null says nothing. */
export type Infer<Name extends string> = (name: Name, value: string | null, from: string) => void;

/** How a kind reads an issue. */
export type ContractReading<Name extends string> = {
  readonly fields: ContractFields<Name>;
  /** Names under which people say several things at once. */
  readonly together?: readonly Together<Name>[];
  /** What the command says stands in the place of what the issue says. */
  readonly askedAlone?: boolean;
};

/** One answer that is several: under one of these names, taken apart. */
export type Together<Name extends string> = {
  readonly names: readonly string[];
  readonly apart: (said: string) => readonly (readonly [name: Name, said: string])[];
};

/** What a kind makes of what is given. */
type Inferences<Name extends string> = (infer: Infer<Name>, given: (name: Name) => string | null) => void;

/** What stands under each name, as it was written. */
type Answers<Name extends string> = ReadonlyMap<Name, readonly string[]>;

/**
 * How a kind reads the contract in an issue: the values by their names; a name that has none is missing. `inferences` is
 * asked once, with what is given. Every look reads the same issue several times: its text is taken apart once.
 */
export function contractReader<Name extends string>(
  reading: ContractReading<Name>,
): (issue: ContractIssue, inferences: Inferences<Name>) => Contract {
  const answers = remembered(
    (body: string) => answersIn(body, reading.fields, reading.together ?? []),
    (body) => body,
  );
  return ({ body, asked = [] }, inferences) => {
    const stands = answers(body);
    if (stands === null) return {};
    const values = givenIn(stands, asked, reading);
    const given: Values<Name> = { ...values };
    inferences(
      (name, value, from) => {
        // rule HR-16
        if (values[name] === undefined && value !== null) values[name] = { value, source: 'inferred', from };
      },
      (name) => valueIn(given, name),
    );
    return values as Contract;
  };
}

function givenIn<Name extends string>(
  stands: Answers<Name>,
  asked: NonNullable<ContractIssue['asked']>,
  { fields, askedAlone = false }: ContractReading<Name>,
): Partial<Record<Name, ContractValue>> {
  const values: Partial<Record<Name, ContractValue>> = {};
  for (const name of namesOf(fields)) {
    const said = new Set(asked.flatMap(({ path, after }) => (path === name ? [after] : [])));
    if (said.size === 0 || !askedAlone) for (const one of stands.get(name) ?? []) said.add(one);
    const secret = wantedForSecret([...said].join('\n'));
    // rule HR-06
    if (secret !== null) {
      values[name] = { value: '', source: 'unclear', from: secret };
      continue;
    }
    const [first, ...others] = [...said].map((one) => ({ one, read: fields[name].read(one) }));
    if (first === undefined) continue;
    const isOne = others.every(({ read }) => isSameReading(read, first.read));
    const read = isOne ? first.read : { unclear: 'one answer; there are two' };
    values[name] =
      'value' in read
        ? { value: read.value, source: 'given', from: '' }
        : { value: unclearText(fields[name], first.one), source: 'unclear', from: read.unclear };
  }
  return values;
}

/** The same value in other words is the same answer. */
function isSameReading(one: object, other: object): boolean {
  return 'value' in one && 'value' in other && one.value === other.value;
}

/** Who pastes a secret where its name belongs has not had it written down again. */
function unclearText({ hidesUnclear }: Field, said: string): string {
  return hidesUnclear === true ? '' : said.slice(0, 500);
}

/** What stands under each name, as it was written; a name that is there twice with two answers has both. Null: the text is not parsed. */
function answersIn<Name extends string>(
  markdown: string,
  fields: ContractFields<Name>,
  together: readonly Together<Name>[],
): Answers<Name> | null {
  const compound = (label: string): Together<Name> | undefined =>
    together.find(({ names }) => names.some((name) => isSameName(name, label)));
  const said = saidIn(
    markdown,
    (label) => fieldNamed(fields, label) !== null || compound(label) !== undefined,
  );
  if (said === null) return null;
  const found = new Map<Name, string[]>();
  for (const { name: label, text } of said) {
    const name = fieldNamed(fields, label);
    const answers = name === null ? (compound(label)?.apart(text) ?? []) : [[name, text] as const];
    for (const [one, answer] of answers) {
      const before = found.get(one) ?? [];
      if (!before.includes(answer)) found.set(one, [...before, answer]);
    }
  }
  return found;
}
