/** A `/propose` that waits: what it asks for, read from the command as it was recorded. */

import type { JournalState } from '../domain/logbook/journal-state.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';

/** Knobs by the names that were said, in order; `objective` null = nothing was said about it. */
export type Ask = {
  readonly knobs: readonly (readonly [name: string, value: string])[];
  readonly objective: string | null;
  /** The lane that it names; null = it names none. */
  readonly lane: string | null;
};

/** The keys of arguments that are no knobs. */
const OBJECTIVE = 'objective';
const LANE = 'lane';

/** Proposals that people asked for and that are not answered yet, oldest first. */
export function waitingRequests(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => command.name === 'propose' && command.answer === null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** What a command asks for. */
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
