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
    journal.actions.some(({ proposal }) => proposal.thread === thread) ||
    questionIn(journal, thread) !== undefined ||
    [...journal.commands.values()].some((one) => one.thread === thread && holdsLane(one.name))
  );
}

/** Whether ferrybot answers it even if the thread does not otherwise concern ferrybot. */
export function concerns(
  item: PendingItem,
  thread: { readonly isOpenPull: boolean; readonly isOpenIssue: boolean },
): boolean {
  const { said, comment } = item;
  if (said.kind === 'error') {
    const mayName = definitionOf(said.word.slice(1))?.decideNamed !== undefined;
    return said.word === '/watch' || (mayName && comment.body.includes('run='));
  }
  // A consent in the wrong thread gets an answer, so that nobody waits in vain.
  if (isConsent(item) || isAboutLane(item)) return true;
  if (said.kind !== 'command') return false;
  const { name, args } = said;
  // Valid in every thread: a run's threads may be gone, and a hold must not depend on labels, which can be removed.
  if (name === 'watch' || namedRun(said) !== null || (holdsLane(name) && namesWiderHold(args))) return true;
  return (thread.isOpenPull && name === 'propose') || (thread.isOpenIssue && isOfItsIssue(said));
}

/** Outsiders' lane commands are ignored in foreign threads. */
export function isAside(item: PendingItem, permissions: ReadonlyMap<number, Observed<Permission>>): boolean {
  const held = permissions.get(item.comment.author.id);
  return isAboutLane(item) && held?.kind === 'known' && !permits(held.value, 'triage');
}

/** Whether it approves a proposed change. */
export function isConsent({ said }: PendingItem): boolean {
  return (said.kind === 'command' || said.kind === 'edited') && said.name === 'approve';
}

/** People ask about a lane, and lift its hold, in any thread. */
function isAboutLane({ said }: PendingItem): boolean {
  if (said.kind !== 'command') return false;
  return said.name === 'unhold'
    ? namesWiderHold(said.args)
    : said.name === 'status' && said.args['lane'] !== undefined;
}

/** Commands that hold more than the thread's run. */
function holdsLane(name: string): boolean {
  const definition = definitionOf(name);
  return definition?.holdsBack === true && definition.decideWithoutRun !== undefined;
}
