/** Decides whether the thread of a run is told that the cluster of its job was taken out of the config, or put back. */

import { missingCluster } from '../config/engine-traits.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { LabConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

/** Reports once when the cluster of a run's job leaves the config, and once when it returns. */
export function decideMissingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): Step | null {
  const missing = missingCluster(state, config);
  const told = toldMissing(state);
  if (missing === told) return null;
  const [cluster] = watchedClusters(state);
  // A later attempt on another cluster does not mean that the first one returned.
  if (cluster === undefined || (missing === null && cluster !== told)) return null;
  const code = missing === null ? 'cluster-back' : 'cluster-missing';
  return append(incidentDraft('control', code, { cluster }));
}

/** The cluster last reported as missing, if not reported as back. */
function toldMissing({ incidents }: RunState): string | null {
  const last = incidents.findLast(({ code }) => code === 'cluster-missing' || code === 'cluster-back');
  return last?.code === 'cluster-missing' ? last.detail.cluster : null;
}
