/** The open parts of a contract, by their labels. */

import type { Contract } from '../domain/launch/contract.ts';
import { type ContractFields, namesOf } from './fields.ts';

type OpenParts = { readonly missing: readonly string[]; readonly unclear: readonly string[] };

/** A launch needs both lists to be empty. */
export function openParts(fields: ContractFields, contract: Contract): OpenParts {
  const names = namesOf(fields);
  // rule HR-10
  const missing = names.filter((name) => fields[name]?.needed === true && contract[name] === undefined);
  const labelOf = (name: string): string => fields[name]?.label ?? name;
  return {
    missing: missing.map(labelOf),
    unclear: names.flatMap((name) => {
      const value = contract[name];
      // rule HR-17
      return value?.source === 'unclear' ? [`${labelOf(name)}: ${value.from}`] : [];
    }),
  };
}
