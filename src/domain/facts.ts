/** What the outside world looks like at one moment, as plain values: the arguments of every decision. */

import type { Actor, Permission } from './actor.ts';
import type { BranchWork, TextVersion } from './authorship.ts';
import type { MutationRecord } from './care/mutation-state.ts';
import type { FoundCheckpoints, SearchedRoot } from './checkpoint/stored.ts';
import type { Surface } from './command.ts';
import type { Digest, Instant, RunId, Sha } from './ids.ts';
import type { BodyFacts, ChangeFacts, CheckFacts, TargetFacts } from './launch/change-facts.ts';
import type { FixerStanding } from './launch/fixer.ts';
import type { Hold } from './launch/hold.ts';
import type { ImageLook } from './launch/image.ts';
import type { SmallFix } from './launch/small-fix.ts';
import type { RunState, SeenCommand } from './logbook/run-state.ts';
import type { VerifiedMarker } from './marker.ts';
import type { Observed } from './observed.ts';

export type {
  BodyFacts,
  ChangeFacts,
  CheckFacts,
  FileChange,
  Mismatch,
} from './launch/change-facts.ts';

/** A pull request as GitHub shows it now. `versions`: its body and every earlier one, newest first. */
export type PullFacts = TargetFacts & {
  readonly nodeId: string;
  readonly title: string;
  readonly body: string;
  readonly bodyDigest: Digest;
  readonly author: Actor;
  readonly authorIsBot: boolean;
  readonly versions: readonly TextVersion[];
  readonly headSha: Sha;
  readonly headBranch: string;
  readonly labels: readonly string[];
};

export type IssueFacts = {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly updatedAt: Instant;
  /** When its text was written or last edited; labels and reactions are no update that anybody reads. */
  readonly writtenAt: Instant;
  /** Its text and every earlier one, newest first. */
  readonly versions: readonly TextVersion[];
};

/**
 * A comment or review. `editedAt` null = never edited; `bodyDigest` = SHA-256 of the exact text; `commit`: what a review
 * was written on, null for what is no review or where GitHub does not say.
 */
export type CommentFacts = {
  readonly surface: Surface;
  readonly id: number;
  readonly nodeId: string;
  readonly thread: number;
  readonly author: Actor;
  readonly authorIsBot: boolean;
  /** Written under one of ferrybot's names here, which any workflow of the repository may use too. */
  readonly byUs: boolean;
  /** Written by the very App whose token this process has. */
  readonly byOwnApp: boolean;
  /** Its marker, where the comment is ours and the marker's seal verified: nothing else of a marker is believed. */
  readonly marker: VerifiedMarker | null;
  readonly body: string;
  readonly bodyDigest: Digest;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly editedAt: Instant | null;
  readonly minimized: boolean;
  readonly commit: Sha | null;
};

/**
 * A text that stood where one of ours belongs. `marker` null: not ours, or deleted from the history (`isDeleted`); `by`:
 * the login of who left it, null where GitHub does not say.
 */
export type ShownVersion = {
  readonly editedAt: Instant;
  readonly isDeleted: boolean;
  readonly by: string | null;
  readonly body: string;
  readonly marker: VerifiedMarker | null;
};

/** The text that shows a proposed change of a cluster, newest version first. `comment` null: the description of its thread. */
export type ProposalText = {
  readonly comment: number | null;
  readonly versions: readonly ProposalVersion[];
};

/**
 * `shows`: this proposal, as one of our own processes wrote it; another state of the same text of ours; or what somebody else
 * wrote. `sealedAt`: by the writer's clock.
 */
export type ProposalVersion = Pick<ShownVersion, 'editedAt' | 'isDeleted' | 'by'> & {
  readonly shows: 'this' | 'other' | 'foreign';
  readonly sealedAt: Instant | null;
};

/** By the proposal's digest, those that are open; null = no thread shows it. */
export type ProposalTexts = ReadonlyMap<Digest, Observed<ProposalText | null>>;

/** The newest `.github/ferrybot.yml` of the default branch; where it is not valid an older one stays in force. */
export type ConfigHealth = {
  readonly isValid: boolean;
  readonly problems: number;
  /** The first problem as text, with its line; empty and 0 where there is none. */
  readonly first: string;
  readonly line: number;
  /** The commit whose config is in force. */
  readonly inForce: Sha;
  /** When the newest stopped being valid, RFC 3339; null while it is. */
  readonly since: string | null;
  /** The lane of the run that asks, where the config in force has no such lane any more; else null. */
  readonly missingLane: string | null;
};

/** Somebody with a role on the repository. */
export type PersonFacts = { readonly actor: Actor; readonly permission: Permission };

/** A workflow run that control dispatched, as GitHub shows it. */
export type WorkflowRunFacts = {
  readonly id: number;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'other';
  readonly conclusion: string | null;
  readonly createdAt: Instant;
  readonly url: string;
};

/** The closure log on the target branch: `text` null = the file is not there yet. */
export type ClosureLogFacts = { readonly base: Sha; readonly text: string | null };

/** Everything a decision about one run may look at. */
export type RunFacts = {
  readonly pull: Observed<PullFacts>;
  readonly issue: Observed<IssueFacts>;
  readonly comments: Observed<readonly CommentFacts[]>;
  /** When the threads were read: what was written later is not in them. */
  readonly readAt: Instant;
  /** The card's texts since it was shown, newest first. */
  readonly cardHistory: Observed<readonly ShownVersion[]>;
  /** What shows the proposed changes of the cluster that stand in this run's record. */
  readonly proposalTexts: ProposalTexts;
  /** Approving comments that the threads do not show, by `commentName`, each asked for by its id; null = GitHub has none. */
  readonly cited: ReadonlyMap<string, Observed<CommentFacts | null>>;
  readonly change: Observed<ChangeFacts>;
  /** Paths that differ from what the failed attempt launched. */
  readonly changedSince: Observed<readonly string[]>;
  /** What others than the bot did on the branch. */
  readonly branchWork: Observed<BranchWork>;
  readonly body: Observed<BodyFacts>;
  /** Checks on the pull request's head. */
  readonly checks: Observed<readonly CheckFacts[]>;
  readonly configHealth: Observed<ConfigHealth>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
  /** Who works here. */
  readonly people: Observed<readonly PersonFacts[]>;
  /** The runs of every lane, newest first; `runsOfLane` picks those of one. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** The holds of the repository journal; unknown where the journal does not verify. */
  readonly journalHolds: Observed<readonly Hold[]>;
  /** Changes of a cluster that were proposed for no run; unknown where the journal does not verify. */
  readonly clusterMutations: Observed<readonly MutationRecord[]>;
  /** Commands of these threads that stand in the repository journal, because they concern more than this run. */
  readonly handedOver: ReadonlyMap<string, SeenCommand>;
  /** Workflow runs that control started, by the id that the dispatch returned; null = GitHub has no such run any more. */
  readonly workflowRuns: ReadonlyMap<number, Observed<WorkflowRunFacts | null>>;
  /** What the failed job of a workflow run says of its failure, by the id of the run; left out where nobody asked. */
  readonly failedJobs?: ReadonlyMap<number, Observed<string>> | undefined;
  readonly closureLog: Observed<ClosureLogFacts>;
  /** What a registry says of the container that the contract names. */
  readonly containerImage: Observed<ImageLook>;
  /** What puts a slip right that the newest attempt died of. */
  readonly smallFix: Observed<SmallFix>;
  /** What the lab's own fixer said where that puts nothing right. */
  readonly fixer: Observed<FixerStanding>;
  /** What lies below the run's roots. */
  readonly checkpoints: Observed<FoundCheckpoints>;
  /** Roots that say what the run begins from or goes on from, as they were listed. */
  readonly searchedRoots: Observed<readonly SearchedRoot[]>;
  /** What the tag of the run's seal points to, null where there is none. */
  readonly sealTag: Observed<Sha | null>;
};

/** The metrics of a sealed ferry, for the comparison of the next. */
export type SealedMetrics = {
  readonly run: RunId;
  readonly date: string;
  readonly metrics: Readonly<Record<string, string>>;
};
