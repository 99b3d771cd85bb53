/** Whose the watch of a run is, what may follow in its record, and of which end nobody has taken note. */

import type { Actor } from '../actor.ts';
import type { Instant } from '../ids.ts';
import { fromRfc3339 } from '../time.ts';
import type { EventOf } from './event.ts';
import type { RunState } from './run-state.ts';
import type { Offer, WatchEnd, WatchEvent, WatchState } from './watch-state.ts';

/** The rule that the event breaks, or null. All of it is about a job that runs. */
export function illegalWatch({ submission, end, watch }: RunState, event: WatchEvent): string | null {
  if (submission === null || end !== null) return `${event.type} without a job that runs`;
  if (event.type === 'handoff') return illegalHandoff(watch, event);
  if (event.type === 'watch-resumed') return illegalResumption(watch, event);
  if (watch.ended !== null) return `${event.type} after the end of the watch`;
  if (event.type === 'watch-bounded')
    return event.actor === undefined ? 'watch-bounded names no person' : null;
  if (event.data.attempt !== submission.attempt) return 'watch-ended of another attempt';
  if (event.data.cause === 'person') return event.actor === undefined ? 'watch-ended by nobody' : null;
  return watch.bound === null ? 'watch-ended at a stopping point that nobody named' : null;
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
  return ended !== null && ended.seq > (taken?.seq ?? -1) ? ended : null;
}
