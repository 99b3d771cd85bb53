/** Gate: what changes is known for what it is; a structural change cannot be counted, so nobody can have reviewed its knobs. */

import { assertNever } from '../../../domain/assert.ts';
import { type Gate, given, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('delta-readable');

export const deltaReadable: Gate = {
  id: 'delta-readable',
  evaluate: ({ change }) =>
    given(change, ({ delta }) => {
      switch (delta.kind) {
        case 'none':
          return pass('no-change');
        case 'knobs':
          return pass('countable', { knobs: delta.changes.length });
        case 'structural':
          return block('structural', 'author', {
            line: delta.line,
            side: delta.side,
            statement: delta.statement,
          });
        case 'unparsable':
          return block('unparsable', 'author', {
            line: delta.line,
            side: delta.side,
            message: delta.message,
          });
        default:
          return assertNever(delta);
      }
    }),
};
