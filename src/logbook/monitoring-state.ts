/** The state file of the monitoring policy (`monitoring_state.json`), as a copy of what the record says: nobody reads it back. */

import type { LogbookEvent } from '../domain/logbook/event.ts';

/** Its text with the fields of the policy; null before a job was submitted. */
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
