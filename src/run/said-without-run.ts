/** Which comments concern ferrybot in threads without an active run. */

import { namesWiderHold } from '../commands/meant-hold.ts';
import { namedRun } from '../commands/named-run.ts';
import { definitionOf } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import { type JournalState, questionIn } from '../domain/logbook/journal-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { PendingItem } from './pending-commands.ts';
import { isOfItsIssue } from './propose-request.ts';

/** Whether ferrybot posted a proposal or question there, or received a lane hold. */
export function isSpokenIn(journal: JournalState, thread: number): boolean {
  return (
    journal.mutations.some(({ proposal }) => proposal.thread === thread) ||
    questionIn(journal, thread) !== undefined ||
    [...journal.commands.values()].some((one) => one.thread === thread && holdsLane(one.name))
  );
}

/** Whether ferrybot answers it even if the thread does not otherwise concern ferrybot. */
export function concerns(
  item: PendingItem,
  thread: { readonly isOpenPull: boolean; readonly isOpenIssue: boolean },
): boolean {
  return (
    isConsent(item) ||
    isLaneBrake(item) ||
    isAboutLane(item) ||
    isAdopting(item) ||
    namesRun(item) ||
    (thread.isOpenPull && isProposing(item)) ||
    (thread.isOpenIssue && isRenting(item))
  );
}

/** Outsiders' lane commands are ignored in foreign threads. */
export function isAside(item: PendingItem, permissions: ReadonlyMap<number, Observed<Permission>>): boolean {
  const held = permissions.get(item.comment.author.id);
  return isAboutLane(item) && held?.kind === 'known' && !permits(held.value, 'triage');
}

/** A consent in the wrong thread gets an answer, so that nobody waits in vain. */
export function isConsent({ said }: PendingItem): boolean {
  return (said.kind === 'command' || said.kind === 'edited') && said.name === 'approve';
}

/** Labels can be removed, so explicit holds count in every thread. */
function isLaneBrake({ said }: PendingItem): boolean {
  return said.kind === 'command' && holdsLane(said.name) && namesWiderHold(said.args);
}

/** People ask about a lane, and lift its hold, in any thread. */
function isAboutLane({ said }: PendingItem): boolean {
  if (said.kind !== 'command') return false;
  return said.name === 'unhold'
    ? namesWiderHold(said.args)
    : said.name === 'status' && said.args['lane'] !== undefined;
}

/** A person's pull request is unknown to ferrybot until this command. */
function isProposing({ said }: PendingItem): boolean {
  return said.kind === 'command' && said.name === 'propose';
}

/** The issue needs no label. */
function isRenting({ said }: PendingItem): boolean {
  return said.kind === 'command' && isOfItsIssue(said);
}

/** The job is unknown to ferrybot until this command. */
function isAdopting({ said }: PendingItem): boolean {
  return said.kind === 'command' ? said.name === 'watch' : said.kind === 'error' && said.word === '/watch';
}

/** Valid in every thread, because the run's threads may be gone. Also answers mistakes. */
function namesRun({ said, comment }: PendingItem): boolean {
  if (said.kind === 'command') return namedRun(said) !== null;
  const mayName = said.kind === 'error' && definitionOf(said.word.slice(1))?.decideNamed !== undefined;
  return mayName && comment.body.includes('run=');
}

/** Commands that hold more than the thread's run. */
function holdsLane(name: string): boolean {
  const definition = definitionOf(name);
  return definition?.holdsBack === true && definition.decideWithoutRun !== undefined;
}
