// A second lane for the example lab, as `npm start -- --lanes 2` has it, perhaps with a schedule of its own.

import { withSecondLane } from '../../demo/second-lane.ts';

/** Changes the example lab's config; `schedule` is the line of the second lane. */
export function twoLanes(schedule = 'schedule: {}'): (config: string) => string {
  return (config) => {
    const [before = '', canary = ''] = withSecondLane(config).split('  canary:\n');
    return `${before}  canary:\n${canary.replace(/^ {4}schedule:\n(?: {6}.*\n)*/m, `    ${schedule}\n`)}`;
  };
}
