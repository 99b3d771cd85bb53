/** An adopted run: ferrybot watches a job that a person launched by hand, and relaunches it if the failure and the approvals allow. */

import { z } from 'zod';
import { LANE_KEYS, type LaneConfig, settingsReader } from '../../config/lane-schema.ts';
import { type CommandLine, commandSettings, readCommandLine } from '../../contracts/fields.ts';
import { USUAL_RESPONSES } from '../../domain/failure-class.ts';
import type { PinnedSource } from '../../domain/launch/contract.ts';
import { isPathCovered } from '../../domain/launch/manifest.ts';
import type { Description } from '../../domain/logbook/run-state.ts';
import { HIDDEN } from '../../domain/written-secrets.ts';
import { defineGate, ifKnown } from '../../gates/gate.ts';
import { defineKind } from '../../run/kind.ts';
import { argumentArray, fixerSettings, name, path, setting } from '../../settings/words.ts';

/** A relaunch uses the commit that the job reports, so the lane accepts a commit up to a year old. */
const YEAR_HOURS = 8_760;

const adoptionSettings = z.strictObject({
  kind: z.literal('adoption').describe('What a run of this lane is.'),
  ...LANE_KEYS,
  runName: setting(name, '{date}', 'Omit it: an adopted job has its own name.'),
  command: setting(argumentArray, ['false'], 'Omit it: the job defines its command.'),
  outputRoot: setting(name, '{run}', 'Omit it: the job defines its output root.'),
  finalStep: setting(LANE_KEYS.finalStep, null, 'Omit it: the log of the job has it.'),
  freshnessHours: setting(
    LANE_KEYS.freshnessHours,
    YEAR_HOURS,
    'How old the merge base with the target branch may be where a job is launched again.',
  ),
  fixScope: setting(
    z.array(path).max(20),
    [],
    'Files and folders in which ferrybot fixes a small error of a failed job: one commit per run, on a separate branch, launched only after an approval. []: nowhere.',
  ),
  fixer: fixerSettings,
});

type AdoptionLane = z.infer<typeof adoptionSettings>;

const adoptionLane = settingsReader<AdoptionLane>('adoption', 'fixScope');

/** The command line that the engine reports for the job. Null if it cannot be launched or is partly redacted. */
function parseEntrypoint({ entrypoint }: Pick<Description, 'entrypoint'>): CommandLine | null {
  return entrypoint === null || entrypoint.includes(HIDDEN) ? null : readCommandLine(entrypoint);
}

/** If the job's command is unknown, keep the lane's default command, which the gate `entrypoint-known` blocks. */
function laneSettings(lane: LaneConfig, job: Description): LaneConfig {
  return { ...lane, ...commandSettings(parseEntrypoint(job), lane) };
}

/** The commit that the job reports, if a branch of this repository has it. The job does not report its branch. */
function pinnedSource({ commit, commitIsHere }: Description): PinnedSource | null {
  return commit === null || !commitIsHere ? null : { commit, branch: null };
}

/** Requires the job's complete command, and its commit in this repository: ferrybot cannot relaunch anything else. */
const entrypointKnownGate = defineGate('entrypoint-known', ({ adoptedJob: job, change }, { block, pass }) => {
  if (job === undefined) return block('not-told', 'author');
  const { commit, commitIsHere } = job;
  if (parseEntrypoint(job) === null || commit === null) return block('not-repeatable', 'author');
  if (!commitIsHere) return block('commit-missing', 'author', { commit });
  // The job gets the files at `headSha`, so `headSha` must be the job's commit.
  return ifKnown(change, ({ headSha }) =>
    headSha === commit ? pass('known', { commit }) : block('commit-missing', 'author', { commit }),
  );
});

export const adoptionKind = defineKind({
  name: 'adoption',
  settings: adoptionSettings,
  rules: [],
  fixes: (lane) => {
    const { fixScope, fixer } = adoptionLane(lane);
    const isInScope = (path: string): boolean => fixScope.some((folder) => isPathCovered(folder, path));
    return { fixable: [], mayFix: fixScope.length === 0 ? null : isInScope, fixer, preApproved: [] };
  },
  gates: [entrypointKnownGate],
  // These responses apply to approved attempts. After the job that a person launched by hand, ferrybot starts nothing by itself.
  responses: { ...USUAL_RESPONSES, stopped: 'ask' },
  adoption: { settings: laneSettings, source: pinnedSource },
});
