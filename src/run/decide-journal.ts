/** Commands on threads without an active run: commands for lanes take effect, others get an answer. */

import { namesWiderHold } from '../commands/brakes.ts';
import { answer, type CommandDecision } from '../commands/decision.ts';
import { definitionOf, namedRun } from '../commands/registry.ts';
import { type Permission, permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { holdsAfter, type JournalState, questionIn } from '../domain/logbook/journal-state.ts';
import type { SeenCommand } from '../domain/logbook/run-state.ts';
import { aboutComment, commentName } from '../domain/marker.ts';
import { known as certain, type Instant, type Observed, toRfc3339 } from '../domain/values.ts';
import { answerDraft, type HeardItem, hearItem, neededFor, placeContext, seenDraft } from './command-events.ts';
import type { LabConfig } from './lane.ts';
import { itemKey, type PendingItem, UNTRUSTED_ANSWERS_PER_THREAD_MAX, wasToldBefore } from './pending-commands.ts';
import { isOfItsIssue } from './proposals.ts';

type JournalInput = {
  /** Unanswered items of one thread, oldest first. */
  readonly items: readonly PendingItem[];
  /** Commands of this thread in any record, and those in the journal. */
  readonly known: ReadonlyMap<string, SeenCommand>;
  readonly journal: ReadonlyMap<string, SeenCommand>;
  readonly facts: Pick<RunFacts, 'permissions' | 'journalHolds' | 'recordedRuns' | 'clusterActions' | 'proposalTexts'>;
  readonly config: LabConfig;
  /** The lane of the thread's earlier run, or null. */
  readonly laneHere: string | null;
  /** Answer to a command that needs a run. */
  readonly otherwise: 'no-run-here' | 'run-over' | 'logbook-broken';
  readonly now: Instant;
};

/** Drafts for the journal. An item waits while its author's permission is unreadable. */
export function decideJournal(input: JournalInput): readonly EventDraft[] {
  const drafts: EventDraft[] = [];
  let { facts } = input;
  const told = new Map<number, string>();
  for (const item of input.items) {
    const permission = facts.permissions.get(item.comment.author.id);
    const isColleague = permission?.kind === 'known' && permits(permission.value, 'triage');
    const name = commentName(item.comment);
    const { id } = item.comment.author;
    const isFull = !told.has(id) && told.size >= UNTRUSTED_ANSWERS_PER_THREAD_MAX;
    const isMuted = isFull || (told.get(id) ?? name) !== name || wasToldBefore(input.known.values(), item);
    const before = { ...input, facts };
    const decided = aboutComment(item.comment, () => {
      const needs = neededHere(item, input.config);
      return draftsFor(item, before, hearItem(item, permission, { needs, isMuted, now: input.now }));
    });
    if (!isColleague && !isMuted && decided.length > 0) told.set(id, name);
    drafts.push(...decided);
    facts = {
      ...facts,
      journalHolds: after(facts.journalHolds, decided, input.now),
      clusterActions: consentedTo(facts.clusterActions, decided, input.now),
    };
  }
  return drafts;
}

/** The holds after these drafts, for the next command of the thread. */
function after(holds: RunFacts['journalHolds'], drafts: readonly EventDraft[], now: Instant): RunFacts['journalHolds'] {
  if (holds.kind === 'unknown') return holds;
  return certain(drafts.reduce((all, draft) => holdsAfter(all, { ...draft, at: toRfc3339(now) }), holds.value));
}

/** Adds these drafts' consents, so that a repeated consent in one comment is answered as already given. */
function consentedTo(
  actions: RunFacts['clusterActions'],
  drafts: readonly EventDraft[],
  now: Instant,
): RunFacts['clusterActions'] {
  if (actions.kind === 'unknown') return actions;
  const at = toRfc3339(now);
  return certain(
    actions.value.map((one) => {
      const consents = drafts.flatMap((draft) =>
        draft.type === 'action-approved' && draft.data.proposal === one.digest
          ? [{ source: draft.data.source, actor: draft.actor ?? null, at, seq: NOT_WRITTEN }]
          : [],
      );
      return consents.length === 0 ? one : { ...one, approvals: [...one.approvals, ...consents] };
    }),
  );
}

/** The entry number of a consent that is not in the record yet. */
const NOT_WRITTEN = -1;

/** The permission for commands that take effect here. For other commands everyone gets an answer. */
function neededHere(item: PendingItem, config: LabConfig): Permission | null {
  const { said } = item;
  if (said.kind !== 'command') return null;
  const worksHere = definitionOf(said.name)?.decideWithoutRun !== undefined || namedRun(said) !== null;
  return worksHere ? neededFor(item, config) : null;
}

function draftsFor(item: PendingItem, input: JournalInput, heard: HeardItem): readonly EventDraft[] {
  if (heard.kind === 'wait') return [];
  const seen = input.journal.has(itemKey(item)) ? [] : [seenDraft(item)];
  const decision = heard.kind === 'answer' ? heard.answer : decided(item, input, heard);
  // Recorded now, answered later.
  if (decision.kind === 'hand-over') return seen;
  const { code, detail, journal } = decision;
  return [...seen, ...journal, answerDraft(item, { code, detail: { ...detail, ...heard.mark } })];
}

function decided(
  { comment }: PendingItem,
  input: JournalInput,
  heard: Extract<HeardItem, { kind: 'command' }>,
): Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> {
  const { facts, laneHere, otherwise } = input;
  const { definition, name } = heard;
  if (namedRun(heard) !== null) return { kind: 'hand-over' };
  const here = definition.decideWithoutRun?.({
    ...placeContext(heard, comment, input),
    laneHere,
    actions: facts.clusterActions,
    holds: facts.journalHolds,
  });
  return here ?? answer(otherwise, { name });
}

/** Whether ferrybot posted a proposal or question in the thread, or a person set a lane hold there. */
export function isSpokenIn(journal: JournalState, thread: number): boolean {
  return (
    journal.actions.some(({ proposal }) => proposal.thread === thread) ||
    questionIn(journal, thread) !== undefined ||
    [...journal.commands.values()].some((one) => one.thread === thread && holdsLane(one.name))
  );
}

/** Whether ferrybot answers the item in a thread that otherwise does not concern it. */
export function concerns(
  item: PendingItem,
  thread: { readonly isOpenPull: boolean; readonly isOpenIssue: boolean },
): boolean {
  const { said, comment } = item;
  if (said.kind === 'error') {
    const mayName = definitionOf(said.word.slice(1))?.decideNamed !== undefined;
    return said.word === '/watch' || (mayName && comment.body.includes('run='));
  }
  // A consent in the wrong thread gets an answer, so that its author does not wait in vain.
  if (isConsent(item) || isAboutLane(item)) return true;
  if (said.kind !== 'command') return false;
  const { name, args } = said;
  // Valid in every thread: a run's threads may be gone, and a hold must not depend on labels, which can be removed.
  if (name === 'watch' || namedRun(said) !== null || (holdsLane(name) && namesWiderHold(args))) return true;
  return (thread.isOpenPull && name === 'propose') || (thread.isOpenIssue && isOfItsIssue(said));
}

/** True for a lane command by a person without permissions: it is ignored in threads that do not concern ferrybot. */
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
  return said.name === 'unhold' ? namesWiderHold(said.args) : said.name === 'status' && said.args['lane'] !== undefined;
}

/** Commands that hold more than the thread's run. */
function holdsLane(name: string): boolean {
  const definition = definitionOf(name);
  return definition?.holdsBack === true && definition.decideWithoutRun !== undefined;
}
