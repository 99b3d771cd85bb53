/** Whether the folder for job records will still be there when the next job of the runner looks for it. */

import { isAbsolute, relative } from 'node:path';
import { traitsOf } from '../config/engine-traits.ts';
import type { LabConfig } from '../run/lane-scope.ts';

/**
 * Null where it will; otherwise what to do. Jobs of this machine have their records there: a folder that ends with the job
 * would make every later look find no job, and the watch conclude nothing for ever.
 */
export function stateDirectoryProblem(
  config: LabConfig,
  cluster: string,
  directory: string,
  temporary: string,
): string | null {
  if (traitsOf(config, cluster)?.jobsRunHere !== true) return null;
  if (directory === '') return `the cluster ${cluster} keeps its job records on this machine: ${ADVICE}`;
  if (!isAbsolute(directory)) return `${directory} is not absolute: ${ADVICE}`;
  const inside = relative(temporary, directory);
  return !(inside.startsWith('..') || isAbsolute(inside))
    ? `${directory} lies in the runner's temporary folder, which is emptied after each job: ${ADVICE}`
    : null;
}

const ADVICE =
  'set the repository variable FERRYBOT_STATE_DIR to an absolute folder of the runner that outlives its jobs, and give it to the launch and the watch workflow as state-directory';
