/** What stands in the way of the newest order, as it was recorded. */

import { type IncidentOf, incidentsWith } from '../incidents.ts';
import type { RunState } from '../logbook/run-state.ts';

export type LaunchTrouble = IncidentOf<'launch-failed'> | IncidentOf<'launch-waiting'>;

/** The newest word on the dispatched launch of an order that no runner has claimed; null: nothing is wrong with it. */
export function launchTrouble({ order, incidents }: RunState): LaunchTrouble | null {
  if (order === null || order.status !== 'open') return null;
  const troubles = [
    ...incidentsWith(incidents, 'launch-failed'),
    ...incidentsWith(incidents, 'launch-waiting'),
  ];
  return (
    troubles
      .filter(({ detail }) => detail.orderDigest === order.digest)
      .toSorted((a, b) => b.seq - a.seq)[0] ?? null
  );
}

/** Why the newest order ended without a claim; null where it did not. */
export function whyNotLaunched({ order, incidents }: RunState): string | null {
  if (order?.status !== 'failed') return null;
  const ended = [...incidentsWith(incidents, 'launch-failed'), ...incidentsWith(incidents, 'runner-refused')];
  return ended.findLast(({ detail }) => detail.orderDigest === order.digest)?.detail.why ?? null;
}
