/** Whether a run is live: what it holds in the world decides, and not the status of its job alone. */

import { awaitsDescription } from './adoption.ts';
import { holdingsOf } from './holdings.ts';
import { offerWanted } from './renting.ts';
import { isOver, type RunState } from './run-state.ts';

/** Whether the run holds its lane: from an order that may be claimed at any moment until nothing of it is left in the world. */
export function isLive(state: RunState): boolean {
  return isHolding(state) || (!isOver(state) && state.end === null && state.order?.status === 'open');
}

/** Whether something of the run is in the world, or may be: it is neither sealed nor closed meanwhile. */
export function isHolding(state: RunState): boolean {
  return holdingsOf(state).length > 0;
}

/** The clusters on which somebody has to look at what the run holds, to ask what a job is, or which offer it would rent. */
export function watchedClusters(state: RunState): readonly string[] {
  const { adopts } = state.proposal;
  const asked = adopts !== undefined && awaitsDescription(state) ? [adopts.cluster] : [];
  const offer = offerWanted(state);
  const shopped = offer === null ? [] : [offer.cluster];
  return [
    ...asked,
    ...shopped,
    ...holdingsOf(state).flatMap((held) => ('cluster' in held ? [held.cluster] : [])),
  ];
}
