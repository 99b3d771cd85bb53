/** Recorded problems of the newest order. */

import { type IncidentOf, incidentsWith } from '../incidents.ts';
import type { RunState } from '../logbook/run-state.ts';

export type LaunchTrouble = IncidentOf<'launch-failed'> | IncidentOf<'launch-waiting'>;

/** The newest recorded problem with the dispatched launch of an unclaimed order, or null. */
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

/** Why the newest order failed before a claim, or null. */
export function whyNotLaunched({ order, incidents }: RunState): string | null {
  if (order?.status !== 'failed') return null;
  const ended = [...incidentsWith(incidents, 'launch-failed'), ...incidentsWith(incidents, 'runner-refused')];
  return ended.findLast(({ detail }) => detail.orderDigest === order.digest)?.detail.why ?? null;
}
