/** Gate: what changes is known for what it is; a structural change cannot be counted, so nobody can have reviewed its knobs. */

import { assertNever } from '../../../domain/assert.ts';
import { newDelta } from '../../../domain/launch/base.ts';
import type { Delta } from '../../../domain/launch/delta.ts';
import { type Gate, given, type Judgement, judging } from '../../../gates/gate.ts';

const { block, pass } = judging('delta-readable');

/** Against the target branch and against the pass that it starts from: people read both. */
export const deltaReadable: Gate = {
  id: 'delta-readable',
  evaluate: ({ change }) =>
    given(change, (value) => {
      const judged = judge(value.delta);
      return judged.outcome === 'pass' && !isCountable(newDelta(value)) ? judge(newDelta(value)) : judged;
    }),
  readsSettings: true,
};

function isCountable({ kind }: Delta): boolean {
  return kind === 'none' || kind === 'knobs';
}

function judge(delta: Delta): Judgement {
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
}
