/** Decides the next unanswered command. */

import { planCleanup } from '../checkpoints/cleanup.ts';
import { sealArtefacts } from '../checkpoints/evidence.ts';
import { searchOfRun } from '../checkpoints/start.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type GateView,
  type RunVerdict,
} from '../commands/decision.ts';
import { namesOtherRun } from '../commands/registry.ts';
import { findMissingCluster, requiredQuorum } from '../config/lane-of-file.ts';
import type { Actor } from '../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Detail } from '../domain/incidents.ts';
import { listHoldsOnRun } from '../domain/launch/hold.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { commandKey, listCurrentApprovals, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { commentId, withCommentContext } from '../domain/marker.ts';
import { isNotAsked, type Need, request } from '../domain/reconcile-request.ts';
import { known as certain, type Digest, type DigestOf, fromRfc3339, type Instant } from '../domain/values.ts';
import { findSecondCard } from './approvals.ts';
import { listInterestedPeople } from './authors.ts';
import {
  answerDraft,
  buildAnsweredDraft,
  buildPlaceContext,
  buildSeenDraft,
  type CheckedItem,
  canOvertake,
  checkItem,
  findBegunSeal,
  requiredPermission,
} from './command-events.ts';
import { listUnreadFacts } from './gate-run.ts';
import type { LaneScopedConfig } from './lane.ts';
import {
  colleaguesFirst,
  commandsSince,
  isAddressedToBot,
  isUntrusted,
  itemKey,
  listPendingItems,
  type PendingItem,
  sortAuthors,
  UNTRUSTED_ANSWERS_PER_THREAD_MAX,
  wasAnsweredBefore,
} from './pending-commands.ts';
import { append, type Step } from './step.ts';

/** Bounds the size of one push during a flood. */
const UNTRUSTED_PER_STEP_MAX = 50;
/** A recorded comment that is missing for this long was deleted; GitHub's list can lag by up to a minute. */
export const COMMENT_DELETED_MS = 60_000;

/** A decided command that starts work outside. The work starts after the command was recorded as seen. */
export type StagedCommand = {
  readonly item: PendingItem;
  readonly actor: Actor;
  readonly decision: Extract<CommandDecision, { kind: 'seal' | 'close' | 'milestone' }>;
};

export type CommandOutcome =
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'staged'; readonly command: StagedCommand }
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'nothing' };

/**
 * The first unanswered item that can be decided. An item that waits for a fact blocks only items that may not overtake it (`canOvertake`).
 */
export function decideCommand(input: CommandInput): CommandOutcome {
  const { facts, state, config } = input;
  const { permissions, journalCommands } = facts;
  if (facts.comments.kind === 'unknown') return { kind: 'wait', why: facts.comments.why };
  const comments = facts.comments.value;
  const approved = new Set(listCurrentApprovals(state).map(({ actor }) => actor.id));
  const needsApprovalOf = ({ id }: Actor): boolean => isBeforeLaunch(state) && !approved.has(id);
  const { otherBots } = config;
  const options = { since: commandsSince(state), otherBots, permissions, needsApprovalOf };
  const pending = listPendingItems(new Map([...journalCommands, ...state.commands]), comments, options).filter(
    ({ parsed, comment }) => isAddressedToBot(parsed, comment, state.actions),
  );
  const unsealed = findWithdrawnSeal(state, comments);
  const unread = listUnreadPermissions(permissions, unsealed, pending);
  if (unread.length > 0) return { kind: 'step', step: request(...unread) };
  const begun = unsealed === null ? null : findBegunSeal(state, facts, unsealed);
  if (begun === 'unasked') return { kind: 'step', step: request('sealTag') };
  const withdrawn = begun === null ? null : unsealed;
  const others = colleaguesFirst(pending, permissions).filter(
    (item) => !journalCommands.has(itemKey(item)) && (withdrawn === null || itemKey(item) !== commandKey(withdrawn)),
  );
  // First in the list: nothing else may end the run until the seal's state is known.
  const items = begun === null || begun === 'unknown' ? others : [begun, ...others];
  const waiting: PendingItem[] = [];
  let rest: CommandOutcome = begun === 'unknown' ? UNCLEAR : outcomeForDeletedComment(input, comments, withdrawn);
  for (const [index, item] of items.entries()) {
    const decided = canOvertake(item, waiting, config) ? decideItem(input, item) : BEHIND_OUTCOME;
    const outcome = decided.kind === 'staged' && begun === 'unknown' ? UNCLEAR : decided;
    if (outcome.kind === 'step') return addUntrustedAnswers(input, item, outcome, items.slice(index + 1));
    if (outcome.kind === 'wait') waiting.push(item);
    if (rest.kind === 'nothing' || (rest.kind === 'wait' && outcome.kind === 'staged')) rest = outcome;
  }
  return rest;
}

/** Authors of pending commands without a read permission, up to the limit per trigger. */
function listUnreadPermissions(
  permissions: RunFacts['permissions'],
  sealed: SeenCommand | null,
  pending: readonly PendingItem[],
): readonly Need[] {
  const people = [...(sealed === null ? [] : [sealed.actor]), ...sortAuthors(pending)];
  // Once the first people are answered, the others move up.
  return [...new Map(people.map((person) => [person.id, person])).values()]
    .slice(0, limits.permissionsPerTriggerMax)
    .filter(({ id }) => !permissions.has(id))
    .map((of) => ({ fact: 'permissions', of }));
}

const UNCLEAR: CommandOutcome = { kind: 'wait', why: 'whether the seal was begun is not known' };
const BEHIND_OUTCOME: CommandOutcome = { kind: 'wait', why: 'an earlier command waits' };

/** Answers recorded commands that were deleted before they were answered. */
function outcomeForDeletedComment(
  { state, now }: CommandInput,
  comments: readonly CommentFacts[],
  begun: SeenCommand | null,
): CommandOutcome {
  const drafts: EventDraft[] = [];
  for (const seen of state.commands.values()) {
    const isLagging = now - (fromRfc3339(seen.at) ?? now) < COMMENT_DELETED_MS;
    if (seen.answer !== null || seen === begun || isLagging) continue;
    if (comments.some(({ surface, id }) => surface === seen.surface && id === seen.comment)) continue;
    drafts.push(buildAnsweredDraft(seen, answer('comment-gone', { name: seen.name })));
  }
  return drafts.length === 0 ? { kind: 'nothing' } : { kind: 'step', step: append(...drafts) };
}

/** Records many outsiders' items in one step, so that a flood does not delay other people. */
function addUntrustedAnswers(
  input: CommandInput,
  first: PendingItem,
  outcome: Extract<CommandOutcome, { kind: 'step' }>,
  later: readonly PendingItem[],
): CommandOutcome {
  const isByUntrusted = (item: PendingItem): boolean =>
    isUntrusted(input.facts.permissions.get(item.comment.author.id));
  if (outcome.step.kind !== 'append' || !isByUntrusted(first)) return outcome;
  const drafts = [...outcome.step.drafts];
  const wereAnsweredBefore = (item: PendingItem): boolean => wasAnsweredBefore(input.state.commands.values(), item);
  const told = new Map(wereAnsweredBefore(first) ? [] : [[commentKey(first), commentId(first.comment)]]);
  for (const item of later.filter(isByUntrusted).slice(0, UNTRUSTED_PER_STEP_MAX)) {
    const name = commentId(item.comment);
    const place = commentKey(item);
    const isMuted = (told.get(place) ?? name) !== name || wereAnsweredBefore(item);
    if (!isMuted && !told.has(place) && told.size >= UNTRUSTED_ANSWERS_PER_THREAD_MAX) break;
    const next = decideItem(input, item, isMuted);
    if (next.kind !== 'step' || next.step.kind !== 'append' || !next.step.drafts.every(isCommandDraft)) break;
    if (!isMuted) told.set(place, name);
    drafts.push(...next.step.drafts);
  }
  return { kind: 'step', step: appendBoth(drafts, outcome.step.journal) };
}

/** The key of one person in one thread. */
function commentKey({ comment }: PendingItem): string {
  return `${comment.thread} ${comment.author.id}`;
}

function isCommandDraft({ type }: EventDraft): boolean {
  return type === 'command-seen' || type === 'command-answered';
}

/** `wereTold`: this step already answers the person in this thread. */
function decideItem(input: CommandInput, item: PendingItem, wereTold = false): CommandOutcome {
  return withCommentContext(item.comment, () => {
    const { state, config, facts, now } = input;
    const isMuted = wereTold || wasAnsweredBefore(state.commands.values(), item);
    const heard = checkItem(item, facts.permissions.get(item.comment.author.id), {
      ...{ needs: requiredPermission(item, config), isMuted, now },
    });
    if (heard.kind === 'wait') return heard;
    if (heard.kind === 'answer') return toAnswerOutcome(input, item, heard.answer, heard.extra);
    const decision = namesOtherRun(heard, state.run)
      ? ({ kind: 'hand-over' } as const)
      : heard.definition.decide(buildContext(input, item, heard));
    return toOutcome(input, item, decision, heard.extra);
  });
}

function toOutcome(input: CommandInput, item: PendingItem, decision: CommandDecision, more: Detail): CommandOutcome {
  if (decision.kind === 'need') return { kind: 'step', step: decision };
  if (decision.kind === 'answer') return toAnswerOutcome(input, item, decision, more);
  if (decision.kind === 'hand-over') return { kind: 'step', step: appendBoth([], [buildSeenDraft(item)]) };
  if (!input.state.commands.has(itemKey(item))) return { kind: 'step', step: append(buildSeenDraft(item)) };
  return { kind: 'staged', command: { item, actor: item.comment.author, decision } };
}

function toAnswerOutcome(
  input: CommandInput,
  item: PendingItem,
  { code, detail, drafts, journal }: AnswerDecision,
  more: Detail = {},
): CommandOutcome {
  const seen = input.state.commands.has(itemKey(item)) ? [] : [buildSeenDraft(item)];
  const answer = answerDraft(item, { code, detail: { ...detail, ...more } });
  return { kind: 'step', step: appendBoth([...seen, ...drafts, answer], journal) };
}

// The context for deciding a command: the run, the gates' verdicts, and facts that are read only on demand.

export type CommandInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly gates: GateView | null;
  /** False if this turn does not judge the gates unless a command needs them. */
  readonly areGatesDue: boolean;
  readonly shownSince: CommandContext['shownSince'];
  readonly verdict: RunVerdict;
  readonly repository: string;
  readonly digestOf: DigestOf;
};

function buildContext(
  input: CommandInput,
  item: PendingItem,
  heard: Extract<CheckedItem, { kind: 'command' }>,
): CommandContext {
  return {
    ...buildPlaceContext(heard, item.comment, input),
    get quorum() {
      return requiredQuorum(input.config);
    },
    state: input.state,
    get missingCluster() {
      return findMissingCluster(input.state, input.config);
    },
    laneHere: input.state.proposal.lane,
    get actions() {
      return listActions(input);
    },
    get holds() {
      return listHoldsOnRun(input.state, input.facts.journalHolds);
    },
    artefacts: () => findArtefacts(input),
    cleanup: (asked) =>
      isNotAsked(input.facts.checkpoints)
        ? request('checkpoints')
        : planCleanup(cleanupInput(input, item.comment.author), asked),
    search: () => searchCheckpoints(input),
    shownSince: input.shownSince,
    secondCard: (digest) => findSecondCardFor(input, item, digest),
    get isJobShown() {
      return isJobShown(input, item);
    },
    get gates() {
      return input.gates;
    },
    get verdict() {
      return input.verdict;
    },
    people: input.facts.people,
    unread: input.areGatesDue ? listUnreadFacts(input.facts) : ['gates'],
    get authors() {
      return listInterestedPeople(input.state.proposal, input.facts);
    },
  };
}

/** Whether the person saw the adopted job's notice. An edited notice no longer proves that. */
function isJobShown({ state, facts }: CommandInput, { comment }: PendingItem): boolean {
  const { run, description } = state;
  if (description === null || facts.comments.kind === 'unknown') return false;
  return facts.comments.value.some(({ marker, editedAt, createdAt, thread }) => {
    const isIt = marker?.run === run && marker.kind === 'notice' && marker.key === String(description.seq);
    return isIt && marker.isIntact && editedAt === null && thread === comment.thread && createdAt <= comment.createdAt;
  });
}

function findSecondCardFor(
  { state, facts: { comments, permissions } }: CommandInput,
  { comment: approval }: PendingItem,
  digest: Digest,
): ReturnType<CommandContext['secondCard']> {
  if (comments.kind === 'unknown') return comments;
  return findSecondCard({ state, digest, approval }, comments.value, permissions);
}

function findArtefacts({ state, facts, config }: CommandInput): ReturnType<CommandContext['artefacts']> {
  if (config.kind.isCritical !== true) return null;
  const { checkpoints } = facts;
  return isNotAsked(checkpoints) ? request('checkpoints') : sealArtefacts(state, config.lane, checkpoints);
}

function searchCheckpoints({ state, facts, config }: CommandInput): ReturnType<CommandContext['search']> {
  const { searchedRoots: searched } = facts;
  if (isNotAsked(searched) && config.checkpoints !== null) return request('searchedRoots');
  return searchOfRun(state, config.checkpoints, searched.kind === 'known' ? searched.value : []);
}

function cleanupInput(
  { state, facts, repository, digestOf }: CommandInput,
  askedBy: Actor,
): Parameters<typeof planCleanup>[0] {
  const { recordedRuns: runs, checkpoints: found } = facts;
  return { state, runs, found, repository, digestOf, requestedBy: askedBy };
}

/** Cluster changes proposed here or outside a run. */
function listActions({ state, facts: { clusterActions: others } }: CommandInput): CommandContext['actions'] {
  return others.kind === 'known' ? certain([...state.actions, ...others.value]) : others;
}

/** The oldest unanswered `/seal` in an edited or deleted comment. A command is recorded only if its author may seal. */
function findWithdrawnSeal(state: RunState, comments: readonly CommentFacts[]): SeenCommand | null {
  for (const seen of state.commands.values())
    if (seen.name === 'seal' && seen.answer === null) {
      const comment = comments.find(({ surface, id }) => surface === seen.surface && id === seen.comment);
      if (comment === undefined || comment.editedAt !== null) return seen;
    }
  return null;
}

/** A step that records events in the run and in the repository journal in one push. */
function appendBoth(drafts: readonly EventDraft[], journal: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal };
}
