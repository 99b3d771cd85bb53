/**
 * Gate: the run writes where its command says, where no other run of the record does unless its contract says that it goes
 * on from that one, and where nothing lies that is not of its own line (policy HR-08, HR-34, HR-37).
 */

import { type Gate, given, judging } from '../../gates/gate.ts';
import { isPinnedBy } from '../pinned-root.ts';

const { block, pass } = judging('output-root-own');

export const outputRootOwn: Gate = {
  id: 'output-root-own',
  evaluate: ({ manifest, rootHolder, rootContents }) =>
    given(manifest, ({ outputRoot: root, command }) =>
      given(rootHolder, (holder) => {
        if (holder !== null)
          return block('taken', 'author', { root: holder.mine, run: holder.run, theirs: holder.root });
        if (!isPinnedBy(command, root)) return block('not-in-command', 'author', { root });
        if (rootContents === undefined) return pass('own', { root });
        return given(rootContents, ({ looked, foreign }) =>
          foreign === null ? pass('own', { root, looked }) : block('used', 'author', { root, path: foreign }),
        );
      }),
    ),
};
