/** Gate: the PR's before/after table says exactly what the files say (policy DF-18). */

import { cannotTell, type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('delta-declared');

export const deltaDeclared: Gate = {
  id: 'delta-declared',
  evaluate: ({ change, body }) =>
    given(change, ({ delta }) => {
      if (delta.kind === 'structural' || delta.kind === 'unparsable')
        return cannotTell('the delta itself cannot be read');
      return given(body, (value) => {
        const first = value.mismatches[0];
        if (first !== undefined)
          return block(first.kind, 'author', {
            knob: first.knob,
            count: value.mismatches.length,
            row: first.row ?? '',
          });
        if (!value.hasDeltaTable && delta.kind === 'knobs') return block('no-table', 'author');
        return pass('declared', { knobs: delta.kind === 'knobs' ? delta.changes.length : 0 });
      });
    }),
  readsSettings: true,
};
