/** The watch of a run as the fold of its events: whose it is, to whom it is offered, where it is to end, and whether it has. */

import type { Actor } from '../actor.ts';
import type { EventDataByType, EventOf } from './event.ts';

type Said = { readonly at: string; readonly seq: number };
export type Offer = EventDataByType['handoff'] & Said & { readonly by: Actor | null };
type WatchBound = EventDataByType['watch-bounded'] & Said & { readonly actor: Actor };
export type WatchEnd = EventDataByType['watch-ended'] & Said & { readonly actor: Actor | null };

export type WatchState = {
  /** Who has said that the watch is theirs. */
  readonly owner: Actor | null;
  /** The newest offer, whatever came of it. */
  readonly offer: Offer | null;
  readonly bound: WatchBound | null;
  /** Of the newest attempt: the job goes on, and nobody watches how. */
  readonly ended: WatchEnd | null;
};

/** Nobody has said a word about it: it is watched until the job has ended. */
export const NO_WATCH: WatchState = { owner: null, offer: null, bound: null, ended: null };

export type WatchEvent = EventOf<'handoff' | 'watch-bounded' | 'watch-ended' | 'watch-resumed'>;

/** What an event adds. */
export function watchAfter(watch: WatchState, event: WatchEvent): WatchState {
  const said = { at: event.at, seq: event.seq };
  const actor = event.actor ?? null;
  switch (event.type) {
    case 'handoff':
      return {
        ...watch,
        offer: { ...event.data, ...said, by: actor },
        // rule ML-03
        owner: event.data.state === 'accepted' ? event.data.to : watch.owner,
      };
    case 'watch-bounded':
      return actor === null ? watch : { ...watch, bound: { ...event.data, ...said, actor } };
    case 'watch-ended':
      return { ...watch, ended: { ...event.data, ...said, actor } };
    case 'watch-resumed':
      return { ...watch, bound: null, ended: null };
  }
}

/** Another attempt is watched anew: a stopping point that was reached has done its work, and so has an offer that ran out. */
export function watchOfNextAttempt(watch: WatchState, at: string): WatchState {
  const { offer, ended, bound } = watch;
  const isStale = offer?.state === 'offered' && offer.until <= at;
  return { ...watch, offer: isStale ? null : offer, bound: ended === null ? bound : null, ended: null };
}
