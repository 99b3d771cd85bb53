/** Who owns a run's watch. */

import type { Actor } from '../actor.ts';
import { contractDri, isSameLogin } from '../launch/contract.ts';
import { fromRfc3339, type Instant } from '../values.ts';
import type { Offer, WatchEnd } from './events/watch-events.ts';
import type { RunState } from './run-state.ts';

/** The contract's DRI as an account (the author, or the person who accepted); null if there is none. */
export function findAcceptedDri({ contract, proposal, watch }: RunState): Actor | null {
  const dri = contractDri(contract);
  if (dri === null) return null;
  return [watch.owner, proposal.author].find((one) => one !== null && isSameLogin(dri, one.login)) ?? null;
}

/** The handoff offer that can be accepted at this time, or null. */
export function openOffer({ watch: { offer } }: Pick<RunState, 'watch'>, at: Instant): Offer | null {
  return offer?.state === 'offered' && at < (fromRfc3339(offer.until) ?? 0) ? offer : null;
}

/** The owner: who took the watch, else who requested the run, else who last approved its launch. */
export function findOwner({ watch, proposal, order, approvals }: RunState): Actor | null {
  if (watch.owner !== null) return watch.owner;
  if (proposal.requestedBy !== null) return proposal.requestedBy;
  const cited = order?.order.approvals.map(({ user }) => user) ?? [];
  return approvals.findLast(({ actor }) => cited.includes(actor.id))?.actor ?? null;
}

/** The end of the watch if it is not acknowledged yet, or null. */
export function findUnacknowledgedWatchEnd({ watch: { ended }, taken }: RunState): WatchEnd | null {
  // rule ML-04
  return ended !== null && ended.seq > (taken?.seq ?? -1) ? ended : null;
}
