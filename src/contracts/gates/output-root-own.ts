/** Gate: the run writes where no other run of the record does, unless its contract says that it goes on from that one. */

import { type Gate, given, judging } from '../../gates/gate.ts';

const { block, pass } = judging('output-root-own');

export const outputRootOwn: Gate = {
  id: 'output-root-own',
  evaluate: ({ manifest, rootHolder }) =>
    given(manifest, ({ outputRoot: root }) =>
      given(rootHolder, (holder) =>
        holder === null
          ? pass('own', { root })
          : block('taken', 'author', { root: holder.mine, run: holder.run, theirs: holder.root }),
      ),
    ),
};
