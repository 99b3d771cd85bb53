/**
 * The cluster of `npm start -- --engine iris`: checks that Iris is installed, and opens a private one on this machine.
 */

import type { LabFolder } from '../lab-folder.ts';
import { openPrivateCluster } from '../private-cluster.ts';
import type { ClusterOutcome } from '../rehearsal-cluster.ts';
import {
  closeCluster,
  controllerAddress,
  endProcesses,
  hasLivingJob,
  isIrisInstalled,
  isReady,
  PORTS,
  startCluster,
} from './cluster.ts';
import { irisLabConfig } from './iris-config.ts';

/** Starts the cluster of a lab, or reuses it if it still runs. */
export async function openIrisCluster(folder: LabFolder): Promise<ClusterOutcome> {
  if (!isIrisInstalled())
    return {
      ok: false,
      code: 'no-iris',
      message: 'there is no Iris in .tools/iris: run npm run setup:iris first (about 600 MB, a minute or three)',
      exitCode: 2,
    };
  return openPrivateCluster(folder, folder.irisCluster, {
    engine: 'iris',
    title: 'Iris',
    ports: PORTS,
    ...{ isReady, hasLivingJob },
    start: startCluster,
    endProcesses: endProcesses,
    close: closeCluster,
    seed: (record) => ({
      token: null,
      configure: (config) => irisLabConfig(config, { controller: controllerAddress(record), outputs: folder.outputs }),
    }),
  });
}
