/** The settings of a lane of adopted jobs: what a job runs is what its cluster says of it. */

import { z } from 'zod';
import { type LaneConfig, laneKeys } from '../../config/lane-schema.ts';
import { fixerSettings } from '../../settings/fixer-schema.ts';
import { argumentArray, name, path } from '../../settings/words.ts';

/** A job is launched again at the commit that it says, however old that is by then. */
const YEAR_HOURS = 8_760;

export const adoptionSettings = z.strictObject({
  kind: z.literal('adoption').describe('What a run of this lane is.'),
  ...laneKeys,
  runName: name.default('{date}').describe('Left out: a job that somebody has launched has its own name.'),
  command: argumentArray.default(['false']).describe('Left out: the job says what it runs.'),
  outputRoot: name.default('{run}').describe('Left out: the job writes where it was told to.'),
  finalStep: laneKeys.finalStep.default(null).describe('Left out: the log of the job says it.'),
  freshnessHours: laneKeys.freshnessHours
    .default(YEAR_HOURS)
    .describe('How old the merge base with the target branch may be where a job is launched again.'),
  fixScope: z
    .array(path)
    .max(20)
    .default([])
    .describe(
      'Files and folders in which ferrybot puts right, by itself, a slip that a job died of: one commit a run, on a branch of its own, launched only where people approve it. []: nowhere.',
    ),
  fixer: fixerSettings,
});

export type AdoptionLane = z.infer<typeof adoptionSettings>;

/** The settings of a lane of this kind: the schema that gave them stands above. */
export function adoptionLane(lane: LaneConfig): AdoptionLane {
  if (!isAdoptionLane(lane))
    throw new Error(`a lane of the kind ${lane.kind} is asked for an adoption's settings`);
  return lane;
}

function isAdoptionLane(lane: LaneConfig): lane is AdoptionLane {
  return lane.kind === 'adoption';
}
