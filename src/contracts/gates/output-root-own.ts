/**
 * Gate: the run writes where its command says, where no other run of the record does unless its contract says that it goes
 * on from that one, in the region where it runs as far as names tell, and where nothing lies that is not of its own line (policy HR-08, HR-34, HR-37).
 */

import { saidIn } from '../../domain/launch/contract.ts';
import { type Gate, given, judging } from '../../gates/gate.ts';
import { isPinnedBy } from '../pinned-root.ts';
import { regionIn, regionOfBucket } from '../region.ts';

const { block, pass } = judging('output-root-own');

export const outputRootOwn: Gate = {
  id: 'output-root-own',
  evaluate: ({ manifest, rootHolder, rootContents, contract }) =>
    given(manifest, ({ outputRoot: root, command, cluster }) =>
      given(rootHolder, (holder) => {
        if (holder !== null)
          return block('taken', 'author', { root: holder.mine, run: holder.run, theirs: holder.root });
        if (!isPinnedBy(command, root)) return block('not-in-command', 'author', { root });
        const there = regionOfBucket(root);
        const wanted = regionIn(saidIn(contract?.recorded ?? null, 'region') ?? cluster);
        if (there !== null && wanted !== null && there !== wanted)
          return block('other-region', 'author', { root, there, wanted });
        const region = there === null ? {} : { region: there };
        if (rootContents === undefined) return pass('own', { root, ...region });
        return given(rootContents, ({ looked, foreign }) =>
          foreign === null
            ? pass('own', { root, looked, ...region })
            : block('used', 'author', { root, path: foreign }),
        );
      }),
    ),
};
