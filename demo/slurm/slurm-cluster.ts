/**
 * The cluster of `npm start -- --engine slurm`: checks that the programs are installed, and opens a private cluster.
 */

import { join } from 'node:path';
import type { LabFolder } from '../lab-folder.ts';
import { openPrivateCluster } from '../private-cluster.ts';
import type { ClusterOutcome } from '../rehearsal-cluster.ts';
import { closeCluster, hasLivingJob, isReady, missingPrograms, startCluster } from './cluster.ts';
import { configurationPath, PORTS } from './cluster-files.ts';
import { endProcesses } from './cluster-processes.ts';
import { slurmLabConfig } from './slurm-config.ts';

/** Starts the cluster of a lab, or reuses it if it still runs. */
export async function openSlurmCluster(folder: LabFolder): Promise<ClusterOutcome> {
  const missing = missingPrograms();
  if (missing.length > 0)
    return {
      ok: false,
      code: 'no-slurm',
      message: `there is no ${missing.join(', ')}: run npm run setup:slurm first (Debian packages, half a minute)`,
      exitCode: 2,
    };
  return openPrivateCluster(folder, folder.slurmCluster, {
    engine: 'slurm',
    title: 'Slurm cluster',
    ports: PORTS,
    ...{ isReady, hasLivingJob },
    start: startCluster,
    endProcesses: endProcesses,
    close: closeCluster,
    seed: (record) => ({
      token: null,
      configure: (config) =>
        slurmLabConfig(config, {
          folder: join(folder.jobs, 'slurm'),
          conf: configurationPath(record),
          outputs: folder.outputs,
        }),
    }),
  });
}
