/** Gate: the contract says everything that a launch has to know, in words that mean one thing (policy HR, Launch). */

import { type Gate, given, judging } from '../../gates/gate.ts';
import { type ContractFields, namesOf } from '../fields.ts';
import { openParts } from '../open-parts.ts';

const { block, pass } = judging('contract-complete');

/** What has no value holds back, and so does what nobody can read; what was inferred is told as that. */
export function contractComplete(fields: ContractFields): Gate {
  return {
    id: 'contract-complete',
    evaluate: ({ contract }) => {
      if (contract === undefined) return block('none', 'author');
      return given(contract.read, (values) => {
        const { missing, unclear } = openParts(fields, values);
        const inferred = namesOf(fields).flatMap((name) => {
          const value = values[name];
          return value?.source === 'inferred' ? [`${fields[name]?.label} from ${value.from}`] : [];
        });
        const isRetention = namesOf(fields).some(
          (name) => fields[name]?.isRetention === true && values[name] === undefined,
        );
        if (missing.length + unclear.length === 0)
          return pass('complete', { values: Object.keys(values).length, inferred });
        // rule HR-11
        return isRetention
          ? block('retention-open', 'author', { missing, unclear })
          : block('incomplete', 'author', { missing, unclear });
      });
    },
  };
}
