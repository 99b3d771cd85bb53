/** Parses a recorded `/propose` that waits. */

import { namedRun } from '../commands/named-run.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';

/** Knobs in order; `objective` null = not given. */
export type Ask = {
  readonly knobs: readonly (readonly [name: string, value: string])[];
  readonly objective: string | null;
  /** The named lane, or null. */
  readonly lane: string | null;
};

/** Arguments that are not knobs. */
const OBJECTIVE = 'objective';
const LANE = 'lane';

/** Commands that request a run. */
const ASKING = ['propose', 'rent', 'watch', 'resume-as'];

function asksForRun({ name }: Pick<SeenCommand, 'name'>): boolean {
  return ASKING.includes(name);
}

/** Whether the command applies only to its own issue. */
export function isOfItsIssue({ name }: Pick<SeenCommand, 'name'>): boolean {
  return name === 'rent';
}

/** Unanswered requests for a run, oldest first. */
export function waitingRequests(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => asksForRun(command) && command.answer === null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Unanswered commands that name their run, oldest first. */
export function waitingNamed(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => command.answer === null && namedRun(command) !== null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Parses the request. */
export function askOf({ args }: Pick<SeenCommand, 'args'>): Ask {
  return {
    knobs: Object.entries(args).filter(([name]) => name !== OBJECTIVE && name !== LANE),
    objective: args[OBJECTIVE] ?? null,
    lane: args[LANE] ?? null,
  };
}

/** Whether a run came from this command. */
export function isFrom(
  request:
    | { readonly surface: SeenCommand['surface']; readonly comment: number; readonly index: number }
    | undefined,
  command: SeenCommand,
): boolean {
  return request !== undefined && commandKey(request) === commandKey(command);
}
