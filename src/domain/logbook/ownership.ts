/** Whose the watch of a run is, what may follow in its record, and of which end nobody has taken note. */

import type { Actor } from '../actor.ts';
import type { Instant } from '../ids.ts';
import { isSameLogin, personInCharge } from '../launch/contract.ts';
import { fromRfc3339 } from '../time.ts';
import type { EventOf } from './event.ts';
import type { RunState } from './run-state.ts';
import type { Offer, WatchEnd, WatchEvent, WatchState } from './watch-state.ts';

/** Who is in charge by the contract, as an account: whoever wrote it or has accepted it; null where no contract says. */
export function inChargeByContract({ contract, proposal, watch }: RunState): Actor | null {
  const dri = personInCharge(contract);
  if (dri === null) return null;
  return [watch.owner, proposal.author].find((one) => one !== null && isSameLogin(dri, one.login)) ?? null;
}

/** The rule that the event breaks, or null. All of it is about a job that runs, but for who is in charge from the start. */
export function illegalWatch(state: RunState, event: WatchEvent): string | null {
  const { submission, end, watch } = state;
  if (isBeforeAny(state) && state.contract !== null && event.type === 'handoff')
    return illegalCharge(state, event);
  if (submission === null || end !== null) return `${event.type} without a job that runs`;
  if (event.type === 'handoff') return illegalHandoff(watch, event);
  if (event.type === 'watch-resumed') return illegalResumption(watch, event);
  if (watch.ended !== null) return `${event.type} after the end of the watch`;
  if (event.type === 'watch-bounded')
    return event.actor === undefined ? 'watch-bounded names no person' : null;
  if (event.data.attempt !== submission.attempt) return 'watch-ended of another attempt';
  if (event.data.cause === 'person') {
    if (event.actor === undefined) return 'watch-ended by nobody';
    // Control alone reads what people say.
    return event.role === 'control' ? null : `watch-ended in the name of a person by ${event.role}`;
  }
  return watch.bound === null ? 'watch-ended at a stopping point that nobody named' : null;
}

/** Nothing of the run was ever submitted. */
function isBeforeAny({ submission, attempts }: RunState): boolean {
  return submission === null && attempts.length === 0;
}

/** Before the launch the contract is the offer, and only who it names can take it. */
function illegalCharge({ contract }: RunState, { data, actor }: EventOf<'handoff'>): string | null {
  const dri = personInCharge(contract);
  if (data.state !== 'accepted' || actor?.id !== data.to.id) return 'a handoff before the job was submitted';
  return dri !== null && isSameLogin(dri, data.to.login)
    ? null
    : 'accepted by somebody whom no contract names';
}

function illegalResumption({ ended }: WatchState, { data, actor }: EventOf<'watch-resumed'>): string | null {
  if (ended === null || ended.attempt !== data.attempt) return 'watch-resumed though it goes on';
  return actor === undefined ? 'watch-resumed names no person' : null;
}

/** Only who was asked can say yes, and to the offer that stands. */
function illegalHandoff({ offer }: WatchState, { data, actor }: EventOf<'handoff'>): string | null {
  if (data.state === 'offered') return actor === undefined ? 'a watch that nobody offered' : null;
  if (offer?.state !== 'offered' || offer.to.id !== data.to.id || offer.until !== data.until)
    return `${data.state} what was not offered`;
  return data.state === 'accepted' && actor?.id !== offer.to.id ? 'accepted by somebody else' : null;
}

/** The offer that somebody may accept at this moment. */
export function openOffer({ watch: { offer } }: Pick<RunState, 'watch'>, at: Instant): Offer | null {
  return offer?.state === 'offered' && at < (fromRfc3339(offer.until) ?? 0) ? offer : null;
}

/** Whose the watch is: who has taken it, before that who asked for the run, and else who approved its launch last. */
export function ownerOf({ watch, proposal, order, approvals }: RunState): Actor | null {
  if (watch.owner !== null) return watch.owner;
  if (proposal.requestedBy !== null) return proposal.requestedBy;
  const cited = order?.order.approvals.map(({ user }) => user) ?? [];
  return approvals.findLast(({ actor }) => cited.includes(actor.id))?.actor ?? null;
}

/** The end of the watch that nobody has taken note of yet. */
export function untakenWatchEnd({ watch: { ended }, taken }: RunState): WatchEnd | null {
  // rule ML-04
  return ended !== null && ended.seq > (taken?.seq ?? -1) ? ended : null;
}
