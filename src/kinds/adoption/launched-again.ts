/** What an adopted job would be launched again as: its own command, at the commit that it says. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { type CommandLine, readCommandLine } from '../../contracts/command-line.ts';
import type { PinnedSource } from '../../domain/launch/contract.ts';
import type { Description } from '../../domain/logbook/run-state.ts';
import { HIDDEN } from '../../domain/written-secrets.ts';

/** What the engine says was started; null where it is no command that can be launched, or not all of it is known. */
export function startedBy({ entrypoint }: Pick<Description, 'entrypoint'>): CommandLine | null {
  return entrypoint === null || entrypoint.includes(HIDDEN) ? null : readCommandLine(entrypoint);
}

/** What cannot be launched leaves the lane's own value, which the gate lets nobody launch. */
export function settingsOf(lane: LaneConfig, job: Description): LaneConfig {
  const line = startedBy(job);
  return line === null
    ? lane
    : { ...lane, command: [...line.command], environment: { ...lane.environment, ...line.environment } };
}

/** The commit that the job claims, where a branch of the repository has it; which one it was pushed to it does not say. */
export function sourceOf({ commit, commitIsHere }: Description): PinnedSource | null {
  return commit === null || !commitIsHere ? null : { commit, branch: null };
}
