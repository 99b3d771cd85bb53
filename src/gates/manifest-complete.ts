/** Gate: everything that decides what will run is known, so that there is one digest to approve. */

import { changed } from '../domain/observed.ts';
import { cannotTell, type Gate, judging } from './gate.ts';

const { block, pass } = judging('manifest-complete');

export const manifestComplete: Gate = {
  id: 'manifest-complete',
  evaluate: ({ manifest, change, lane }) => {
    const missing =
      change.kind === 'known' ? lane.ships.filter((path) => (change.value.trees[path] ?? null) === null) : [];
    if (missing[0] !== undefined)
      return block('not-shipped', 'author', { path: missing[0], count: missing.length });
    return manifest.kind === 'known' ? pass('complete') : cannotTell(manifest.why);
  },
  replay: {
    settings: ({ trees }) => Object.keys(trees),
    worlds: ({ then, facts }) => [
      facts,
      {
        ...facts,
        change: changed(facts.change, (value) => ({
          ...value,
          trees: Object.fromEntries(
            Object.entries(value.trees).filter(([path]) => Object.hasOwn(then.trees, path)),
          ),
        })),
      },
    ],
  },
};
