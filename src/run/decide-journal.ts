/** Commands on threads without an active run: commands for lanes take effect, others get an answer. */

import { namesWiderHold } from '../commands/brakes.ts';
import { type AnswerDecision, answer, type CommandDecision } from '../commands/decision.ts';
import { findCommand, runArgument } from '../commands/registry.ts';
import { findMissingCluster } from '../config/lane-of-file.ts';
import { type Permission, permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { applyToHolds, findQuestion, type JournalState } from '../domain/logbook/journal-state.ts';
import { isOver, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { commentId, withCommentContext } from '../domain/marker.ts';
import { known as certain, fromRfc3339, type Instant, type Observed, type RunId, toRfc3339 } from '../domain/values.ts';
import {
  answerDraft,
  buildPlaceContext,
  buildSeenDraft,
  type CheckedItem,
  checkItem,
  requiredPermission,
} from './command-events.ts';
import { configForRun, type LabConfig } from './lane.ts';
import { itemKey, type PendingItem, UNTRUSTED_ANSWERS_PER_THREAD_MAX, wasAnsweredBefore } from './pending-commands.ts';
import { belongsToOwnIssue } from './proposals.ts';

type JournalInput = {
  /** Unanswered items of one thread, oldest first. */
  readonly items: readonly PendingItem[];
  /** Commands of this thread in any record, and those in the journal. */
  readonly knownCommands: ReadonlyMap<string, SeenCommand>;
  readonly journal: ReadonlyMap<string, SeenCommand>;
  readonly facts: Pick<RunFacts, 'permissions' | 'journalHolds' | 'recordedRuns' | 'clusterActions' | 'proposalTexts'>;
  readonly config: LabConfig;
  readonly laneHere: string | null;
  readonly noRunAnswer: 'no-run-here' | 'run-over' | 'logbook-broken';
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
    const name = commentId(item.comment);
    const { id } = item.comment.author;
    const isFull = !told.has(id) && told.size >= UNTRUSTED_ANSWERS_PER_THREAD_MAX;
    const isMuted = isFull || (told.get(id) ?? name) !== name || wasAnsweredBefore(input.knownCommands.values(), item);
    const before = { ...input, facts };
    const decided = withCommentContext(item.comment, () => {
      const needs = requiredPermissionHere(item, input.config);
      return buildDrafts(item, before, checkItem(item, permission, { needs, isMuted, now: input.now }));
    });
    if (!isColleague && !isMuted && decided.length > 0) told.set(id, name);
    drafts.push(...decided);
    facts = {
      ...facts,
      journalHolds: holdsWithDrafts(facts.journalHolds, decided, input.now),
      clusterActions: actionsWithDrafts(facts.clusterActions, decided, input.now),
    };
  }
  return drafts;
}

/** The holds after these drafts, for the next command of the thread. */
function holdsWithDrafts(
  holds: RunFacts['journalHolds'],
  drafts: readonly EventDraft[],
  now: Instant,
): RunFacts['journalHolds'] {
  if (holds.kind === 'unknown') return holds;
  return certain(drafts.reduce((all, draft) => applyToHolds(all, { ...draft, at: toRfc3339(now) }), holds.value));
}

/** Adds these drafts' consents, so that a repeated consent in one comment is answered as already given. */
function actionsWithDrafts(
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
function requiredPermissionHere(item: PendingItem, config: LabConfig): Permission | null {
  const { parsed } = item;
  if (parsed.kind !== 'command') return null;
  const worksHere = findCommand(parsed.name)?.decideWithoutRun !== undefined || runArgument(parsed) !== null;
  return worksHere ? requiredPermission(item, config) : null;
}

function buildDrafts(item: PendingItem, input: JournalInput, heard: CheckedItem): readonly EventDraft[] {
  if (heard.kind === 'wait') return [];
  const seen = input.journal.has(itemKey(item)) ? [] : [buildSeenDraft(item)];
  const decision = heard.kind === 'answer' ? heard.answer : decideItem(item, input, heard);
  // Recorded now, answered later.
  if (decision.kind === 'hand-over') return seen;
  const { code, detail, journal } = decision;
  return [...seen, ...journal, answerDraft(item, { code, detail: { ...detail, ...heard.extra } })];
}

function decideItem(
  { comment }: PendingItem,
  input: JournalInput,
  heard: Extract<CheckedItem, { kind: 'command' }>,
): Extract<CommandDecision, { kind: 'answer' | 'hand-over' }> {
  const { facts, laneHere, noRunAnswer } = input;
  const { definition, name } = heard;
  if (runArgument(heard) !== null) return { kind: 'hand-over' };
  const here = definition.decideWithoutRun?.({
    ...buildPlaceContext(heard, comment, input),
    laneHere,
    actions: facts.clusterActions,
    holds: facts.journalHolds,
  });
  return here ?? answer(noRunAnswer, { name });
}

/** Whether ferrybot posted a proposal or question in the thread, or a person set a lane hold there. */
export function hasAnsweredIn(journal: JournalState, thread: number): boolean {
  return (
    journal.actions.some(({ proposal }) => proposal.thread === thread) ||
    findQuestion(journal, thread) !== undefined ||
    [...journal.commands.values()].some((one) => one.thread === thread && isLaneHold(one.name))
  );
}

/** Whether ferrybot answers the item in a thread that otherwise does not concern it. */
export function concernsThread(
  item: PendingItem,
  thread: { readonly isOpenPull: boolean; readonly isOpenIssue: boolean },
): boolean {
  const { parsed, comment } = item;
  if (parsed.kind === 'error') {
    const mayName = findCommand(parsed.word.slice(1))?.decideNamed !== undefined;
    return parsed.word === '/watch' || (mayName && comment.body.includes('run='));
  }
  // A consent in the wrong thread gets an answer, so that its author does not wait in vain.
  if (isApprove(item) || isLaneCommand(item)) return true;
  if (parsed.kind !== 'command') return false;
  const { name, args } = parsed;
  // Valid in every thread: a run's threads may be gone, and a hold must not depend on labels, which can be removed.
  if (name === 'watch' || runArgument(parsed) !== null || (isLaneHold(name) && namesWiderHold(args))) return true;
  return (thread.isOpenPull && name === 'propose') || (thread.isOpenIssue && belongsToOwnIssue(parsed));
}

/** True for a lane command by a person without permissions: it is ignored in threads that do not concern ferrybot. */
export function isChat(item: PendingItem, permissions: ReadonlyMap<number, Observed<Permission>>): boolean {
  const held = permissions.get(item.comment.author.id);
  return isLaneCommand(item) && held?.kind === 'known' && !permits(held.value, 'triage');
}

/** Whether it approves a proposed change. */
export function isApprove({ parsed }: PendingItem): boolean {
  return (parsed.kind === 'command' || parsed.kind === 'edited') && parsed.name === 'approve';
}

/** People ask about a lane, and lift its hold, in any thread. */
function isLaneCommand({ parsed }: PendingItem): boolean {
  if (parsed.kind !== 'command') return false;
  return parsed.name === 'unhold'
    ? namesWiderHold(parsed.args)
    : parsed.name === 'status' && parsed.args['lane'] !== undefined;
}

/** Commands that hold more than the thread's run. */
function isLaneHold(name: string): boolean {
  const definition = findCommand(name);
  return definition?.isBrake === true && definition.decideWithoutRun !== undefined;
}

type NamedInput = {
  readonly command: SeenCommand;
  readonly run: RunId;
  /** Every run with a verified record. */
  readonly states: readonly RunState[];
  readonly permission: Observed<Permission>;
  readonly config: LabConfig;
  readonly now: Instant;
};

/** Decides a command that names its run, in any thread. Null while the permission is unreadable, up to the patience. */
export function decideNamed({ command, run, states, permission, config, now }: NamedInput): AnswerDecision | null {
  const { name, args } = command;
  const definition = findCommand(name);
  if (definition?.decideNamed === undefined) throw new Error(`/${name} names no run`);
  const comment = { createdAt: fromRfc3339(command.at) ?? now };
  const needs = definition.permission(config);
  const heard = checkItem({ comment, parsed: { kind: 'command', name, args } }, permission, {
    ...{ needs, isMuted: false, now },
  });
  if (heard.kind !== 'command') return heard.kind === 'wait' ? null : heard.answer;
  const state = states.find((one) => one.run === run);
  if (state === undefined) {
    const live = states.filter(isLive).map((one) => one.run);
    return answer('named-run-unknown', { run, live: live.slice(0, limits.shownRowsMax) });
  }
  if (isOver(state)) return answer('run-over', { run });
  return definition.decideNamed({
    state,
    missingCluster: findMissingCluster(state, configForRun(config, state)),
    policy: config,
    quorum: config.approvals.quorum,
    permission: heard.permission,
    actor: command.actor,
    args,
    comment: { id: command.comment, surface: command.surface },
  });
}
