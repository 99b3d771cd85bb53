/** Gate: an identical rerun is allowed only to confirm a regression that the PR declares (policy DF-13). */

import { newDelta } from '../../../domain/launch/base.ts';
import { cannotTell, type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('identical-rerun');

export const identicalRerun: Gate = {
  id: 'identical-rerun',
  evaluate: ({ change, body }) =>
    given(change, (value) => {
      const delta = newDelta(value);
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be read');
      if (delta.kind === 'knobs') return pass('something-changes');
      return given(body, ({ objectiveKind }) =>
        // rule DF-13
        objectiveKind === 'regression'
          ? pass('declared-regression')
          : block('identical-undeclared', 'author', { against: value.base?.run }),
      );
    }),
  readsSettings: true,
};
