/** Reads a contract in an issue: what is given, what a kind infers from the rest and from what, and what is unclear. */

import type { Contract, ContractIssue, ContractValue } from '../domain/launch/contract.ts';
import { type ContractFields, namesOf, type Values, valueIn } from './fields.ts';
import { readFields } from './read-fields.ts';

/** Takes up what has no value yet, and says what from; null says nothing. */
export type Infer<Name extends string> = (name: Name, value: string | null, from: string) => void;

/** The values by their names; a name that has none is missing. `inferences` is asked once, with what is given; `askedAlone`: what the command says stands in the issue's place. */
export function readContract<Name extends string>(
  { body, asked = [] }: ContractIssue,
  fields: ContractFields<Name>,
  inferences: (infer: Infer<Name>, given: (name: Name) => string | null) => void,
  askedAlone = false,
): Contract {
  const stands = readFields(body, fields);
  if (stands === null) return {};
  const values: Partial<Record<Name, ContractValue>> = {};
  for (const name of namesOf(fields)) {
    const said = new Set(asked.flatMap(({ path, after }) => (path === name ? [after] : [])));
    if (said.size === 0 || !askedAlone) for (const one of stands.get(name) ?? []) said.add(one);
    const [first, ...others] = [...said].map((one) => ({ one, read: fields[name].read(one) }));
    if (first === undefined) continue;
    const isOne = others.every(({ read }) => isSameReading(read, first.read));
    const read = isOne ? first.read : { unclear: 'one answer; there are two' };
    values[name] =
      'value' in read
        ? { value: read.value, source: 'given', from: '' }
        : { value: first.one.slice(0, 500), source: 'unclear', from: read.unclear };
  }
  const given: Values<Name> = { ...values };
  inferences(
    (name, value, from) => {
      if (values[name] === undefined && value !== null) values[name] = { value, source: 'inferred', from };
    },
    (name) => valueIn(given, name),
  );
  return values as Contract;
}

/** The same value in other words is the same answer. */
function isSameReading(one: object, other: object): boolean {
  return 'value' in one && 'value' in other && one.value === other.value;
}
