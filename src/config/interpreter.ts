/** Which Python reads the files of a lane. */

import type { LaneConfig } from './lane-schema.ts';

/** The job's own interpreter, where its command begins with one: by name, or by a path that means the same everywhere. */
const PYTHON = /^(?:\/.*\/)?python[\d.]*$/;

/** By the lane's command, else the one that is found as `python3`. */
export function interpreterOf({ command }: LaneConfig): string {
  const [program = ''] = command;
  return PYTHON.test(program) ? program : 'python3';
}
