/** What a command is given to decide with: the run, the gates' answer, and facts that it asks for where it goes by them. */

import { planCleanup } from '../checkpoints/cleanup.ts';
import { ownSearch } from '../checkpoints/resume.ts';
import { sealArtefacts } from '../checkpoints/seal-artefacts.ts';
import type { CommandContext, GateView, RunVerdict } from '../commands/decision.ts';
import { policyOf } from '../commands/policy.ts';
import { missingCluster } from '../config/engine-traits.ts';
import { quorumOf } from '../config/quorum.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Digest, DigestOf, Instant } from '../domain/ids.ts';
import { holdsOver } from '../domain/launch/hold.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { known as certain } from '../domain/observed.ts';
import { adoptingLanes } from '../run/adoptable.ts';
import { interestedIn } from './authors.ts';
import { cardLeftUntil } from './decide-shown.ts';
import { unreadFacts } from './gate-run.ts';
import { type LaneScopedConfig, proposingLanes } from './lane-scope.ts';
import type { PendingItem } from './pending-commands.ts';
import { secondCard } from './second-card.ts';
import { showingsAt } from './shown-text.ts';

export type CommandInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly gates: GateView | null;
  readonly isCardUnread: boolean;
  readonly verdict: RunVerdict;
  readonly repository: string;
  readonly digestOf: DigestOf;
};

/** The context of one item by a person with this permission. */
export function contextOf(
  input: CommandInput,
  item: PendingItem,
  permission: Permission,
  args: Readonly<Record<string, string>>,
): CommandContext {
  return {
    state: input.state,
    missingCluster: missingCluster(input.state, input.config),
    now: input.now,
    actor: item.comment.author,
    permission,
    comment: item.comment,
    args,
    journalHolds: input.facts.journalHolds,
    recordedRuns: input.facts.recordedRuns,
    lanes: Object.keys(input.config.lanes),
    proposing: proposingLanes(input.config),
    laneHere: input.state.proposal.lane,
    adoptable: adoptingLanes(input.config).map(({ lane }) => lane.cluster),
    ...careContextOf(input),
    artefacts: () => artefactsOf(input),
    cleanup: (asked) =>
      isNotAsked(input.facts.checkpoints)
        ? need('checkpoints')
        : planCleanup(cleanupInput(input, item.comment.author), asked),
    search: () => searchOf(input),
    cardLeftUntil: cardLeftUntil(input.state, input.now),
    isCardUnread: input.isCardUnread,
    secondCard: (digest) => secondCardOf(input, item, digest),
    isJobShown: isJobShown(input, item),
    showings: showingsAt(input.facts.proposalTexts, item.comment.createdAt),
    gates: input.gates,
    verdict: input.verdict,
    policy: policyOf(input.config, quorumOf(input.config)),
    people: input.facts.people,
    unread: unreadFacts(input.facts),
    interested: interestedIn(input.state.proposal, input.facts),
  };
}

/** An edited notice no longer proves what the person saw. */
function isJobShown({ state, facts }: CommandInput, { comment }: PendingItem): boolean {
  const { run, description } = state;
  if (description === null || facts.comments.kind === 'unknown') return false;
  return facts.comments.value.some(({ marker, editedAt, createdAt, thread }) => {
    const isIt = marker?.run === run && marker.kind === 'notice' && marker.key === String(description.seq);
    return (
      isIt &&
      marker.isIntact &&
      editedAt === null &&
      thread === comment.thread &&
      createdAt <= comment.createdAt
    );
  });
}

function secondCardOf(
  { state, facts: { comments, permissions } }: CommandInput,
  { comment: approval }: PendingItem,
  digest: Digest,
): ReturnType<CommandContext['secondCard']> {
  if (comments.kind === 'unknown') return comments;
  return secondCard({ state, digest, approval }, comments.value, permissions);
}

function artefactsOf({ state, facts, config }: CommandInput): ReturnType<CommandContext['artefacts']> {
  if (config.kind.isCritical !== true) return null;
  const { checkpoints } = facts;
  return isNotAsked(checkpoints) ? need('checkpoints') : sealArtefacts(state, config.lane, checkpoints);
}

function searchOf({ state, facts, config }: CommandInput): ReturnType<CommandContext['search']> {
  const { searchedRoots: searched } = facts;
  if (isNotAsked(searched) && config.checkpoints !== null) return need('searchedRoots');
  return ownSearch(state, config.checkpoints, searched.kind === 'known' ? searched.value : []);
}

function cleanupInput(
  { state, facts, repository, digestOf }: CommandInput,
  askedBy: Actor,
): Parameters<typeof planCleanup>[0] {
  const { recordedRuns: runs, checkpoints: found } = facts;
  return { state, runs, found, repository, digestOf, askedBy };
}

/** Cluster changes proposed here or outside a run, and holds on this run. */
function careContextOf({ state, facts }: CommandInput): Pick<CommandContext, 'mutations' | 'holds'> {
  const { clusterMutations: others, journalHolds } = facts;
  return {
    mutations: others.kind === 'known' ? certain([...state.mutations, ...others.value]) : others,
    holds: holdsOver(state, journalHolds),
  };
}
