/** The end of a shift: the lease of every run that this process watches is given back, so that the next need not wait for it. */

import type { EventDataByType } from '../../domain/logbook/event.ts';
import { released } from '../../watch/lease.ts';
import type { LabOpener } from '../open-lab.ts';
import { contained, type Trouble } from '../trouble.ts';
import type { WatchInput } from './tick.ts';

/** Records the newest observation once more under a lease that is over. A lost race is no harm: the lease runs out by itself. Gives what single runs met; a lease is no reason to tell people. */
export async function handOver(opener: LabOpener, input: WatchInput): Promise<readonly Trouble[]> {
  const opening = await opener.open();
  if (opening.kind === 'no-config') return [];
  const { keeper, lab } = opening.open;
  const troubles: Trouble[] = [];
  for (const state of keeper.current().runs) {
    const last = state.observation;
    if (state.end !== null || last === null || last.lease.holder !== input.holder) continue;
    const { at: _at, seq: _seq, ...data } = last;
    await contained(opening.open, troubles, { run: state.run, thread: null }, async () => {
      const given: EventDataByType['observed'] = { ...data, lease: released(last.lease, lab.now()) };
      const result = await keeper.append(
        state.run,
        [{ type: 'observed', role: 'watch', data: given }],
        lab.now(),
      );
      lab.log(`handed over: ${result.kind}`, { run: state.run });
    });
  }
  return troubles;
}
