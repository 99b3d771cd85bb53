/** What a contract leaves open, by the names that people know. */

import type { Contract } from '../../../domain/launch/contract.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from './fields.ts';

export type OpenParts = { readonly missing: readonly string[]; readonly unclear: readonly string[] };

/** Nothing is launched while one of these stands. */
export function openParts(contract: Contract): OpenParts {
  const missing = FIELD_NAMES.filter((name) => FIELDS[name].needed && contract[name] === undefined);
  return {
    missing: missing.map((name) => FIELDS[name].label),
    unclear: FIELD_NAMES.flatMap((name: FieldName) => {
      const value = contract[name];
      return value?.source === 'unclear' ? [`${FIELDS[name].label}: ${value.from}`] : [];
    }),
  };
}
