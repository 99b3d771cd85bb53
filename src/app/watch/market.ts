/** The watch looks at the market for a manifest that waits for its approval: nobody else has the key of the account. */

import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import { marketWanted } from '../../domain/logbook/renting.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type OpenLab, openForRun } from '../open-lab.ts';
import type { WatchInput } from './watch-input.ts';

type Seen = EventDataByType['market-seen'];

/** Records what would be rented now. Nobody is told of it apart: the card shows it. */
export async function lookAtMarket(open: OpenLab, input: WatchInput, shopping: RunState): Promise<void> {
  const { lab, store } = open;
  const wanted = marketWanted(shopping);
  if (wanted === null || wanted.cluster !== input.cluster) return;
  const data: Seen = { digest: wanted.digest, ...(await marketOf(open, input, shopping)) };
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const state = store.current().runs.find((one) => one.run === shopping.run);
    if (state === undefined || marketWanted(state)?.digest !== wanted.digest) return;
    const result = await store.append(state.run, [{ type: 'market-seen', role: 'watch', data }], lab.now());
    if (result.kind === 'appended') return;
    if (result.kind !== 'conflict')
      throw new Error(`what the market has for ${state.run} could not be recorded: ${result.message}`);
    await store.load();
  }
}

/** By what the run asks for, within what its cluster allows: what a launch would rent by. */
async function marketOf(open: OpenLab, input: WatchInput, state: RunState): Promise<Omit<Seen, 'digest'>> {
  const account = input.engineOf(openForRun(open, state).config, input.cluster)?.rented;
  const none = { fits: 0, unfit: {}, offer: null };
  if (account === undefined) return { ...none, unread: 'this cluster rents from no market' };
  const read = await account.market();
  if (read.kind === 'read') return read.market;
  return { ...none, unread: cutText(input.redact(read.message), limits.messageCharactersMax) };
}
