/** The settings that a lane of hero runs has; what a run is of stands in its issue (docs/policy-coverage.md, the rows HR). */

import { z } from 'zod';
import { cadenceSetting, type LaneConfig, laneKeys } from '../../config/lane-schema.ts';
import { argumentArray, name, setting } from '../../settings/words.ts';
import { type Cadence, USUAL_CADENCE } from '../../watch/cadence.ts';

/** A run of weeks is looked at every quarter of an hour, and first as soon as any other. */
// rule HR-03
const HERO_CADENCE: Cadence = { ...USUAL_CADENCE, pollMs: 900_000 };
/** The source of a run of months is named by its contract, and grows no older than that. */
const YEAR_HOURS = 8_760;
/** Who follows a run of weeks in its issue hears of it once a day where nothing happens (policy HR-26). */
const UPDATE_HOURS = 24;

/** Options and variables of Levanter, Marin and ours that say where a job begins. */
const START_OPTIONS = [
  ...['trainer.initialize_from', 'trainer.load_checkpoint_path', 'initialize_from', 'load_checkpoint_path'],
  ...['initialize_from_checkpoint', 'initialize_from_checkpoint_path'],
];

/** A lane of hero runs. */
export const heroSettings = z.strictObject({
  kind: z.literal('hero').describe('What a run of this lane is.'),
  ...laneKeys,
  runName: setting(name, '{date}', 'Left out: the contract names the run.'),
  updateHours: laneKeys.updateHours.default(UPDATE_HOURS),
  command: setting(argumentArray, ['false'], 'Left out: the contract has the command.'),
  outputRoot: setting(name, '{run}', 'Left out: the contract pins the output root.'),
  finalStep: setting(laneKeys.finalStep, null, 'Left out: the contract has the final step.'),
  freshnessHours: setting(
    laneKeys.freshnessHours,
    YEAR_HOURS,
    'How old the merge base with the target branch may be.',
  ),
  startOptions: setting(
    z.array(name).min(1).max(50),
    START_OPTIONS,
    'Options and variables of the command that name the checkpoint to start from. Leading dashes, capitals, and dashes for underscores make no difference.',
  ),
  cadence: cadenceSetting(HERO_CADENCE),
});

/** The lane's names for where a job begins. */
export function startOptionsOf(lane: LaneConfig): readonly string[] {
  return 'startOptions' in lane && Array.isArray(lane.startOptions) ? lane.startOptions : START_OPTIONS;
}
