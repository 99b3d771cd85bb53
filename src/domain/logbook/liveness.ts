/** A run is live while it holds resources, not only while its job runs. */

import { awaitsDescription } from './adoption.ts';
import { holdingsOf } from './holdings.ts';
import { offerWanted } from './renting.ts';
import { isOver, type RunState } from './run-state.ts';

/** Whether the run occupies its lane: from a claimable order until it holds nothing. */
export function isLive(state: RunState): boolean {
  return isHolding(state) || (!isOver(state) && state.end === null && state.order?.status === 'open');
}

/** A run that holds something can be neither sealed nor closed. */
export function isHolding(state: RunState): boolean {
  return holdingsOf(state).length > 0;
}

/** Clusters whose watch must observe the run's holdings, look up its job, or search an offer. */
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
