/** All commands, in help order. A new command needs a definition and one line here. */

import { isRunId, type RunId } from '../domain/values.ts';
import { approve } from './approve.ts';
import { approveLaunch } from './approve-launch.ts';
import { cleanupCheckpoints, rejectCheckpoint, relaunch, resumeAs, rollback } from './attempts.ts';
import { hold, revoke, stop, unhold } from './brakes.ts';
import type { CommandDefinition } from './decision.ts';
import { help, status, why } from './read-only.ts';
import { keep, propose, rent, teardown } from './requests.ts';
import { ack, seal, sealMilestone } from './sealing.ts';
import { accept, handoff, stopWatching, until, watch } from './watching.ts';

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = [
  approveLaunch,
  approve,
  revoke,
  hold,
  unhold,
  status,
  why,
  stop,
  teardown,
  keep,
  relaunch,
  rejectCheckpoint,
  cleanupCheckpoints,
  rollback,
  resumeAs,
  ack,
  handoff,
  accept,
  until,
  stopWatching,
  watch,
  seal,
  sealMilestone,
  propose,
  rent,
  help,
];

/** The definition by name (without the slash), or null. */
export function findCommand(name: string): CommandDefinition | null {
  return COMMAND_DEFINITIONS.find((definition) => definition.name === name) ?? null;
}

type CommandCall = { readonly name: string; readonly args: Readonly<Record<string, string>> };

/** The run in the argument `run`; null if absent, or if the command cannot name a run. */
export function runArgument({ name, args }: CommandCall): RunId | null {
  const { run } = args;
  if (run === undefined || !isRunId(run) || findCommand(name)?.decideNamed === undefined) return null;
  return run;
}

/** Whether the command names a run other than `run`. */
export function namesOtherRun(given: CommandCall, run: string | null): boolean {
  const named = runArgument(given);
  return named !== null && named !== run;
}
