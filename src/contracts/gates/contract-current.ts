/** Gate: what is launched is what the issue says now, by the runner's own reading of it too. */

import { isSameContract } from '../../domain/launch/contract.ts';
import { contractNow, type Gate, given, judging } from '../../gates/gate.ts';
import { type ContractFields, namesOf } from '../fields.ts';

const { block, pass } = judging('contract-current');

/** Over the fields of a kind. */
export function contractCurrent(fields: ContractFields): Gate {
  return {
    id: 'contract-current',
    evaluate: ({ contract }) =>
      given(contractNow(contract), (now) => {
        const recorded = contract?.recorded ?? {};
        if (isSameContract(recorded, now)) return pass('as-recorded');
        const differs = namesOf(fields).filter(
          (name) => !isSameContract({ ...only(recorded, name) }, { ...only(now, name) }),
        );
        return block('differs', 'author', { names: differs.map((name) => fields[name]?.label ?? name) });
      }),
  };
}

function only<Value>(values: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> {
  const value = values[name];
  return value === undefined ? {} : { [name]: value };
}
