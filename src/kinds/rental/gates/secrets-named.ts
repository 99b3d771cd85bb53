/** Gate: the machine's host is a stranger, so that only what the lane names for it reaches it. */

import { valueIn } from '../../../contracts/fields.ts';
import { contractNow, type Gate, given, judging } from '../../../gates/gate.ts';
import { namesIn } from '../contract/apply.ts';

const { block, pass } = judging('secrets-named');

/** `lane` holds what both name; what the issue names beyond that, the lane does not give to strangers. */
export const secretsNamed: Gate = {
  id: 'secrets-named',
  evaluate: ({ contract, lane }) =>
    given(contractNow(contract), (values) => {
      const asked = namesIn(valueIn(values, 'secrets')) ?? [];
      const names = asked.filter((name) => !lane.passSecrets.includes(name));
      return names.length > 0
        ? block('unnamed', 'author', { names })
        : pass('named', { names: lane.passSecrets });
    }),
};
