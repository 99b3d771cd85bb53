/** Gate: everything that decides what will run is known, so that there is one digest to approve. */

import { cannotTell, type Gate, pass } from './gate.ts';

export const manifestComplete: Gate = {
  id: 'manifest-complete',
  evaluate: ({ manifest }) => (manifest.kind === 'known' ? pass('complete') : cannotTell(manifest.why)),
};
