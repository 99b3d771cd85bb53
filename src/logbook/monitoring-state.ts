/** The monitoring policy's state file. */

import type { LogbookEvent } from '../domain/logbook/event.ts';

/** The monitoring policy's `monitoring_state.json`, for other tools; null before the first submission. */
export function projectMonitoringState(events: readonly LogbookEvent[]): string | null {
  const proposal = events.find((event) => event.type === 'proposed');
  const launches = events.filter((event) => event.type === 'submitted');
  const last = launches.at(-1);
  if (proposal === undefined || last === undefined) return null;
  const state = {
    job_id: last.data.jobId,
    cluster: last.data.cluster,
    experiment: proposal.data.experiment,
    // rule ML-10
    restart_count: launches.length - 1,
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}
