/** The settings of a hero lane; the issue defines the run itself (docs/policy-coverage.md, the rows HR). */

import { z } from 'zod';
import { cadenceSetting, LANE_KEYS, type LaneConfig } from '../../config/lane-schema.ts';
import { argumentArray, name, orNull, setting } from '../../settings/words.ts';
import { type Cadence, USUAL_CADENCE } from '../../watch/cadence.ts';

/** ferrybot polls a run of weeks every 15 minutes, and makes the first polls as early as for any other run. */
// rule HR-03
const HERO_CADENCE: Cadence = { ...USUAL_CADENCE, pollMs: 900_000 };
/** The contract names the source of a run of months, so the commit may be up to a year old. */
const YEAR_HOURS = 8_760;
/** A run of weeks on preemptible machines is preempted about daily. */
const HERO_PREEMPTIONS = 100;
/** If nothing happens, followers of the issue get one update a day (policy HR-26). */
const UPDATE_HOURS = 24;

/** Options and variables of Levanter, Marin and ferrybot that set where a job starts from. */
const START_OPTIONS = [
  ...['trainer.initialize_from', 'trainer.load_checkpoint_path', 'initialize_from', 'load_checkpoint_path'],
  ...['initialize_from_checkpoint', 'initialize_from_checkpoint_path'],
];

export const heroSettings = z.strictObject({
  kind: z.literal('hero').describe('What a run of this lane is.'),
  ...LANE_KEYS,
  runName: setting(name, '{date}', 'Left out: the contract names the run.'),
  updateHours: LANE_KEYS.updateHours.default(UPDATE_HOURS),
  command: setting(argumentArray, ['false'], 'Left out: the contract has the command.'),
  outputRoot: setting(name, '{run}', 'Left out: the contract pins the output root.'),
  finalStep: setting(LANE_KEYS.finalStep, null, 'Left out: the contract has the final step.'),
  freshnessHours: setting(
    LANE_KEYS.freshnessHours,
    YEAR_HOURS,
    'How old the merge base with the target branch may be.',
  ),
  outputRootFrom: orNull(
    name,
    'How the program derives its output root from the command, such as `s3://models/{run-id}/{version}`: each `{option}` is the value of that option or variable. A contract is accepted if the result is its output root. null: the command names the root.',
  ),
  temporaryRoots: setting(
    z.array(name).max(50),
    ['/tmp', '/var/tmp', '/dev/shm', 'tmp', 'temp', 'ttl='],
    'Places that are emptied by themselves, so no output root may be there: a path, or the name of a folder or bucket (`ttl=`: the start of one).',
  ),
  startOptions: setting(
    z.array(name).min(1).max(50),
    START_OPTIONS,
    'Options and variables of the command that name the checkpoint to start from. Leading dashes, capitals, and dashes for underscores make no difference.',
  ),
  preemptionsMax: LANE_KEYS.preemptionsMax.default(HERO_PREEMPTIONS),
  cadence: cadenceSetting(HERO_CADENCE),
});

/** The lane's option names for the start of a job. */
export function startOptions(lane: LaneConfig): readonly string[] {
  return 'startOptions' in lane && Array.isArray(lane.startOptions) ? lane.startOptions : START_OPTIONS;
}
