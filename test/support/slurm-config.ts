/** A Slurm cluster of a config in which nothing is said but what a test says. */

import { type SlurmCluster, slurmSchema } from '../../src/engines/slurm/definition.ts';

/** `settings` with everything else as it is by itself. */
export function slurmConfig(settings: Readonly<Record<string, unknown>>): SlurmCluster {
  return slurmSchema.parse({ engine: 'slurm', acceleratorHoursPerRun: '1', ...settings });
}
