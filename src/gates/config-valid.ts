/** Gate: the rules that this run is judged by are the newest ones of the default branch, and those are valid. */

import { block, type Gate, given, pass } from './gate.ts';

export const configValid: Gate = {
  id: 'config-valid',
  evaluate: ({ configHealth }) =>
    given(configHealth, ({ isValid, problems, first, line, inForce, since }) =>
      isValid
        ? pass('valid')
        : block('invalid', 'lab', {
            count: problems,
            first,
            line,
            inForce: inForce.slice(0, 12),
            since: since ?? '',
          }),
    ),
};
