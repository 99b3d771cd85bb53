/** The cluster of a rehearsal: for the engine in the options; a kept lab keeps its engine. */

import { existsSync } from 'node:fs';
import { openIrisCluster } from './iris/iris-cluster.ts';
import type { LabFolder } from './lab-folder.ts';
import type { StartOptions } from './options.ts';
import { openRayCluster } from './ray/ray-cluster.ts';
import type { ClusterOutcome, RehearsalCluster } from './rehearsal-cluster.ts';
import { openSlurmCluster } from './slurm/slurm-cluster.ts';

const NONE: RehearsalCluster = { seed: null, close: async () => null };

/** Opens the cluster if the engine has one. A kept lab keeps the engine that it started with. */
export async function openCluster(engine: StartOptions['engine'], folder: LabFolder): Promise<ClusterOutcome> {
  const keptEngine = engineOf(folder);
  if (existsSync(folder.world) && keptEngine !== engine)
    return {
      ok: false,
      code: 'other-engine',
      message: `the lab in ${folder.root} began with --engine ${keptEngine}; choose that, or another folder`,
      exitCode: 1,
    };
  switch (engine) {
    case 'local':
      return { ok: true, cluster: NONE };
    case 'ray':
      return openRayCluster(folder);
    case 'slurm':
      return openSlurmCluster(folder);
    case 'iris':
      return openIrisCluster(folder);
  }
}

function engineOf(folder: LabFolder): StartOptions['engine'] {
  if (existsSync(folder.rayHead)) return 'ray';
  if (existsSync(folder.slurmCluster)) return 'slurm';
  return existsSync(folder.irisCluster) ? 'iris' : 'local';
}
