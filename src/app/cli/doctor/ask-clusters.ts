/** Asks clusters from this machine whether they want to know who calls. */

import { unknown } from '../../../domain/observed.ts';
import { adapterOf, loadAdapters } from '../../../engines/registry.ts';
import type { VerbIo } from '../verb-io.ts';
import type { AsksForKey } from './judge-cluster-keys.ts';
import { isOwnConfig, NOT_OWN } from './own-config.ts';

/** Only what the config of the own checkout names is called (own-config.ts). */
export function createAsksForKey(io: VerbIo, configText: string): AsksForKey {
  return async (cluster) => {
    const { asksForKey } = adapterOf(await loadAdapters(), cluster);
    if (asksForKey === undefined) return null;
    if (!(await isOwnConfig(io, configText))) return unknown(NOT_OWN);
    return asksForKey(cluster);
  };
}
