/** Gate: an optimisation rests on a bottleneck that was measured in a run which went well; nobody speculates with rented hours (policy VA, Efficiency and Risk Rules). */

import { valueIn } from '../../../contracts/fields.ts';
import { contractNow, type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('bottleneck-measured');

export const bottleneckMeasured: Gate = {
  id: 'bottleneck-measured',
  evaluate: ({ contract, passes }) =>
    given(contractNow(contract), (values) => {
      const said = valueIn(values, 'optimisation') ?? 'none';
      const [, measured, baseline] = /^(.*); baseline (\S+)$/.exec(said) ?? [];
      if (measured === undefined || baseline === undefined) return pass('none');
      return given(passes, (runs) =>
        // rule VA-28
        runs.includes(baseline)
          ? pass('measured', { measured, baseline })
          : block('no-baseline', 'author', { baseline }),
      );
    }),
};
