/** What is said in threads that belong to no active run, and which of it concerns ferrybot there. */

import { namesWiderHold } from '../commands/meant-hold.ts';
import { namedRun } from '../commands/named-run.ts';
import { definitionOf } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import { type JournalState, questionIn } from '../domain/logbook/journal-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { PendingItem } from './pending-commands.ts';
import { isOfItsIssue } from './propose-request.ts';

/** Whether ferrybot proposed or asked something there, or was told there to hold a lane back. */
export function isSpokenIn(journal: JournalState, thread: number): boolean {
  return (
    journal.mutations.some(({ proposal }) => proposal.thread === thread) ||
    questionIn(journal, thread) !== undefined ||
    [...journal.commands.values()].some((one) => one.thread === thread && holdsLane(one.name))
  );
}

/** Whether it is answered where ferrybot has nothing else to do. */
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

/** A thread that is none of ours is no place for strangers to have filled. */
export function isAside(item: PendingItem, permissions: ReadonlyMap<number, Observed<Permission>>): boolean {
  const held = permissions.get(item.comment.author.id);
  return isAboutLane(item) && held?.kind === 'known' && !permits(held.value, 'triage');
}

/** Who consents in the wrong place is told so: nobody waits for a machine that nothing is done about. */
export function isConsent({ said }: PendingItem): boolean {
  return (said.kind === 'command' || said.kind === 'edited') && said.name === 'approve';
}

/** Whoever may write can take a label away: a hold that names what it blocks is heard in every thread. */
function isLaneBrake({ said }: PendingItem): boolean {
  return said.kind === 'command' && holdsLane(said.name) && namesWiderHold(said.args);
}

/** People ask how a lane has done, and lift its hold, where they talk about it. */
function isAboutLane({ said }: PendingItem): boolean {
  if (said.kind !== 'command') return false;
  return said.name === 'unhold'
    ? namesWiderHold(said.args)
    : said.name === 'status' && said.args['lane'] !== undefined;
}

/** Somebody's own pull request has nothing that tells ferrybot of it before somebody asks there. */
function isProposing({ said }: PendingItem): boolean {
  return said.kind === 'command' && said.name === 'propose';
}

/** An issue need not carry a label before somebody asks in it. */
function isRenting({ said }: PendingItem): boolean {
  return said.kind === 'command' && isOfItsIssue(said);
}

/** A job that somebody has launched is known to nobody here before somebody asks. */
function isAdopting({ said }: PendingItem): boolean {
  return said.kind === 'command' ? said.name === 'watch' : said.kind === 'error' && said.word === '/watch';
}

/** What names its run is heard wherever it is said: its own threads may be gone. A slip in it is told as well. */
function namesRun({ said, comment }: PendingItem): boolean {
  if (said.kind === 'command') return namedRun(said) !== null;
  const mayName = said.kind === 'error' && definitionOf(said.word.slice(1))?.decideNamed !== undefined;
  return mayName && comment.body.includes('run=');
}

/** Commands that hold back more than the run of a thread. */
function holdsLane(name: string): boolean {
  const definition = definitionOf(name);
  return definition?.holdsBack === true && definition.decideWithoutRun !== undefined;
}
