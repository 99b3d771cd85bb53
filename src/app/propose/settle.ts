/** What is owed around proposals in one wake: half-made ones completed, `/propose` carried out, and its answers told. */

import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { commandKey, type SeenCommand } from '../../domain/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import type { Wake } from '../../domain/wake.ts';
import { publishAnswers } from '../control/journal.ts';
import type { OpenLab } from '../open-lab.ts';
import { completeBegun } from './complete-begun.ts';
import { carryOutRequests } from './requests.ts';

/** Completes what the schedule began and a crash cut short. */
export async function completeProposals(open: OpenLab): Promise<void> {
  try {
    await completeBegun(open, limits.publishGraceMs);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    open.lab.log(`a proposal that was begun waits: ${error.message}`);
  }
}

/** Carries out every `/propose` that waits. Gives wakes for the threads that changed by it: their runs are to be looked at. */
export async function settleRequests(open: OpenLab): Promise<readonly Wake[]> {
  const answered = await carryOutRequests(open);
  const runs = open.keeper.current().runs;
  const touched = answered.flatMap((command) => [
    command.thread,
    ...runs
      .filter(({ proposal }) => proposal.request?.comment === command.comment)
      .map((run) => run.proposal.pull),
  ]);
  return [...new Set(touched)].map((thread) => ({ kind: 'thread', thread }));
}

/**
 * Tells the answers that stand in the journal. `told` holds the commands whose answer this process has seen in its
 * thread: a crash between the record and the comment is made good by the next process.
 */
export async function tellRequests(open: OpenLab, told: Set<string>): Promise<void> {
  const owed = [...open.keeper.current().journal.commands.values()].filter((command) =>
    isOwed(command, told, open.lab.now()),
  );
  for (const [thread, commands] of Map.groupBy(owed, (command) => command.thread)) {
    if (!(await publishAnswers(open, thread))) continue;
    for (const command of commands) told.add(commandKey(command));
  }
}

function isOwed(command: SeenCommand, told: ReadonlySet<string>, now: number): boolean {
  return (
    command.name === 'propose' &&
    command.answer !== null &&
    now - (fromRfc3339(command.answer.at) ?? 0) < limits.overLookMs &&
    !told.has(commandKey(command))
  );
}
