// A second lane for the example lab, as in `npm start -- --lanes 2`, optionally with its own schedule.

import { addSecondLane } from '../../demo/second-lane.ts';

/** Changes the example lab's config; `schedule` is the line of the second lane. */
export function twoLanes(schedule = 'schedule: {}'): (config: string) => string {
  return (config) => {
    const [before = '', canary = ''] = addSecondLane(config).split('  canary:\n');
    return `${before}  canary:\n${canary.replace(/^ {4}schedule:\n(?: {6}.*\n)*/m, `    ${schedule}\n`)}`;
  };
}
