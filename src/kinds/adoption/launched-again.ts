/** What an adopted job would be launched again as: its own command, at the commit that it says. */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { type CommandLine, commandLineOf } from '../../contracts/command-line.ts';
import type { PinnedSource } from '../../domain/launch/contract.ts';
import type { Description } from '../../domain/logbook/run-state.ts';
import { HIDDEN } from '../../domain/written-secrets.ts';

/** What the engine says was started: as a command, or why it is none that can be launched. */
export function startedBy({
  entrypoint,
}: Pick<Description, 'entrypoint'>): CommandLine | 'no-entrypoint' | 'hidden' | 'needs-shell' | 'too-long' {
  if (entrypoint === null) return 'no-entrypoint';
  // It is not all that was started.
  return entrypoint.includes(HIDDEN) ? 'hidden' : commandLineOf(entrypoint);
}

/** What cannot be launched leaves the lane's own value, which the gate lets nobody launch. */
export function settingsOf(lane: LaneConfig, job: Description): LaneConfig {
  const line = startedBy(job);
  return typeof line === 'string'
    ? lane
    : { ...lane, command: [...line.command], environment: { ...lane.environment, ...line.environment } };
}

/** The commit that the job claims, where a branch of the repository has it; which one it was pushed to it does not say. */
export function sourceOf({ commit, commitIsHere }: Description): PinnedSource | null {
  return commit === null || !commitIsHere ? null : { commit, branch: null };
}
