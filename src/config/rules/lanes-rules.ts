/** Rules between lanes: no two of them may be taken for each other in a tracker or on a disk. */

import { type ConfigIssue, error } from '../../settings/problem.ts';
import type { LaneOfFile } from '../lane-of-file.ts';
import type { LanesRule } from './rule.ts';

/** Two runs of one day in two lanes would have one name in the tracker. */
const runNamesAreApart: LanesRule = (lanes) =>
  repeated(lanes, ({ lane }) => JSON.stringify([lane.runName, lane.tracker])).map(({ laneName }) =>
    error(
      'run-name-shared',
      ['lanes', laneName, 'runName'],
      'another lane names its runs the same: put the name of the lane into it',
    ),
  );

/** `{run}` holds the name of the lane; a date, or the name of a run in the tracker, does not. */
const outputRootsAreApart: LanesRule = (lanes) =>
  repeated(lanes, ({ lane }) => lane.outputRoot.replaceAll('{runName}', lane.runName))
    .filter(({ lane }) => !lane.outputRoot.includes('{run}'))
    .map(
      ({ laneName }): ConfigIssue =>
        error(
          'output-shared',
          ['lanes', laneName, 'outputRoot'],
          "another lane's runs would write to the same place: put {run} into it",
        ),
    );

export const LANES_RULES: readonly LanesRule[] = [runNamesAreApart, outputRootsAreApart];

/** The second and later lanes with the same key. */
function repeated(lanes: readonly LaneOfFile[], keyOf: (lane: LaneOfFile) => string): readonly LaneOfFile[] {
  const keys = lanes.map(keyOf);
  return lanes.filter((_, index) => keys.indexOf(keys[index] ?? '') !== index);
}
