/** The end of a shift: the lease of every run that this process watches is given back, so that the next need not wait for it. */

import { limits } from '../../domain/limits.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { handedOver } from '../../watch/lease.ts';
import type { LabOpener } from '../open-lab.ts';
import { contained, containedEach, EVERYWHERE, type Trouble, type Where } from '../trouble.ts';
import type { WatchInput } from './watch-input.ts';

/** Records the newest observation once more under a lease that is over. A lost race is no harm: the lease runs out by itself. Gives what single runs met; a lease is no reason to tell people. A push has as many runs as a turn looks at. */
export async function handOver(opener: LabOpener, input: WatchInput): Promise<readonly Trouble[]> {
  const opening = await opener.open();
  if (opening.kind === 'no-config') return [];
  const { store, lab } = opening.open;
  const troubles: Trouble[] = [];
  const given = containedEach(opening.open, troubles, store.current().runs, whereOf, (state) => {
    const draft = handedOver(state, input.holder, lab.now());
    return draft === null ? [] : [{ run: state.run, drafts: [draft] }];
  });
  for (let first = 0; first < given.length; first += limits.looksPerTurnMax) {
    const some = given.slice(first, first + limits.looksPerTurnMax);
    input.saveMemory();
    await contained(opening.open, troubles, EVERYWHERE, async () => {
      const result = await recordAsDecided(opening.open, some);
      lab.log(`handed over ${some.length} run(s): ${result.kind}`);
    });
  }
  return troubles;
}

function whereOf({ run }: { readonly run: string }): Where {
  return { run, thread: null };
}
