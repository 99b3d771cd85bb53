/** Incidents that stay open while a workflow of ours does not do its work: people are reminded of them until it has. */

import type { Instant } from '../domain/ids.ts';
import type { Incident } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { needsWatch } from './decide-watch.ts';

/** The comment of an open incident is updated so often, and the people on call are mentioned again. */
export const WAIT_UPDATE_MS = 10 * 60 * 1_000;
export const WAIT_MENTION_MS = 60 * 60 * 1_000;

/** Whether the incident is a stop that is not confirmed yet, or the silence of a watch that still is not there. */
export function isWaitOpen(state: RunState, incident: Incident, now: Instant): boolean {
  if (state.end !== null) return false;
  switch (incident.code) {
    case 'stop-unconfirmed':
      return state.stop !== null && incident.seq > state.stop.seq;
    case 'monitor-stale':
      return needsWatch(state, now) && incident.seq > ((state.observation ?? state.submission)?.seq ?? 0);
    default:
      return false;
  }
}
