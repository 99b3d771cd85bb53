/** A `/propose` that waits: what it asks for, read from the command as it was recorded. */

import { namedRun } from '../commands/named-run.ts';
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

/** Commands by which people ask for a run. */
const ASKING = ['propose', 'rent', 'watch', 'resume-as'];

/** Whether a command asks for a run. */
function asksForRun({ name }: Pick<SeenCommand, 'name'>): boolean {
  return ASKING.includes(name);
}

/** Whether it may only make a run of the very issue that it is said in. */
export function isOfItsIssue({ name }: Pick<SeenCommand, 'name'>): boolean {
  return name === 'rent';
}

/** What `/watch` is answered by whoever takes the job over, and not where it is heard. */
const GIVEN_THERE: ReadonlySet<string> = new Set([
  'adopt-asked',
  'adopt-held',
  'adopt-place',
  'adopt-failed',
]);

/** Whether this answer was given by whoever did the work: it is told in one place alone. */
export function isGivenLater(command: SeenCommand): boolean {
  if (command.name === 'watch') return GIVEN_THERE.has(command.answer?.code ?? '');
  return asksForRun(command) || namedRun(command) !== null;
}

/** Runs that people asked for and that are not answered yet, oldest first. */
export function waitingRequests(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => asksForRun(command) && command.answer === null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Commands that name the run that they are of and are not answered yet, oldest first. */
export function waitingNamed(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => command.answer === null && namedRun(command) !== null)
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
