/** The config that a run is judged by: that of the lane which its record names. */

import { configOfRun, type LaneScopedConfig } from '../config/lane-scope.ts';
import type { LabConfig } from '../config/schema.ts';
import type { RunState } from '../domain/logbook/run-state.ts';

/** The config for this run; also where its lane was taken out of the config since. */
export function configFor(config: LabConfig, { proposal, submission }: RunState): LaneScopedConfig {
  const { lane, kind = '', experiment, runName } = proposal;
  return configOfRun(config, { lane, kind, experiment, runName, cluster: submission?.cluster ?? null });
}
