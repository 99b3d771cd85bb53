/** The outside world at one moment, as plain values: the arguments of every decision. */

import type { ActionRecord } from './actions/action.ts';
import type { Actor, BranchWork, Permission, Surface, TextVersion } from './actor.ts';
import type { FoundCheckpoints, SearchedRoot } from './checkpoint/stored.ts';
import type { BodyFacts, ChangeFacts, CheckFacts, TargetFacts } from './launch/change-facts.ts';
import type { ImageObservation } from './launch/contract.ts';
import type { Hold } from './launch/hold.ts';
import type { FixerStatus, SmallFix } from './launch/small-fix.ts';
import type { RunState, SeenCommand } from './logbook/run-state.ts';
import type { VerifiedMarker } from './marker.ts';
import type { Digest, Instant, Observed, RunId, Sha } from './values.ts';

export type {
  BodyFacts,
  ChangeFacts,
  CheckFacts,
  FileChange,
  Mismatch,
} from './launch/change-facts.ts';

/** `versions`: the current body and every earlier one, newest first. */
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
  /** When the text was written or last edited; labels and reactions do not count. */
  readonly writtenAt: Instant;
  /** The current text and every earlier one, newest first. */
  readonly versions: readonly TextVersion[];
};

/**
 * A comment or review. `editedAt`: null if never edited. `bodyDigest`: SHA-256 of the exact text. `commit`: the reviewed commit, or null.
 */
export type CommentFacts = {
  readonly surface: Surface;
  readonly id: number;
  readonly nodeId: string;
  readonly thread: number;
  readonly author: Actor;
  readonly authorIsBot: boolean;
  /** Posted under a login that ferrybot uses here; other workflows of the repository may use it too. */
  readonly isByOwnLogin: boolean;
  /** Posted by the App that this process's token belongs to. */
  readonly byOwnApp: boolean;
  /** The verified marker of one of ferrybot's comments. Unverified markers are ignored. */
  readonly marker: VerifiedMarker | null;
  readonly body: string;
  readonly bodyDigest: Digest;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly editedAt: Instant | null;
  readonly minimized: boolean;
  readonly commit: Sha | null;
  /** A review with *Approve*. GitHub counts it for the merge; it approves no launch. */
  readonly approves?: true;
};

/**
 * An earlier text of one of ferrybot's comments. `marker`: null if unverified or deleted from the history.
 * `by`: the editor's login, if known.
 */
export type ShownVersion = {
  readonly editedAt: Instant;
  readonly isDeleted: boolean;
  readonly by: string | null;
  readonly body: string;
  readonly marker: VerifiedMarker | null;
};

/** Versions of the text that shows a proposed cluster change, newest first. `comment` null: the thread's description shows it. */
export type ProposalText = { readonly comment: number | null; readonly versions: readonly ProposalVersion[] };

/** `shows`: this proposal, another text by ferrybot, or a text by a person. `sealedAt`: by the writer's clock. */
export type ProposalVersion = {
  readonly editedAt: Instant;
  readonly shows: 'this' | 'other' | 'foreign';
  readonly sealedAt: Instant | null;
};

/** Open proposals by digest; null if no thread shows the proposal. */
export type ProposalTexts = ReadonlyMap<Digest, Observed<ProposalText | null>>;

/** The state of `.github/ferrybot.yml` on the default branch. While the newest version is invalid, an older one stays in force. */
export type ConfigHealth = {
  readonly isValid: boolean;
  readonly problems: number;
  /** The first problem and its line; empty and 0 if there is none. */
  readonly first: string;
  readonly line: number;
  /** Commit of the config in force. */
  readonly inForce: Sha;
  /** When the newest version became invalid, RFC 3339; null while it is valid. */
  readonly since: string | null;
  /** The run's lane, if the config in force no longer has it. */
  readonly missingLane: string | null;
};

/** A person with a role in the repository. */
export type PersonFacts = { readonly actor: Actor; readonly permission: Permission };

export type WorkflowRunFacts = {
  readonly id: number;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'other';
  readonly conclusion: string | null;
  readonly createdAt: Instant;
  readonly url: string;
};

/** `text` is null if the file does not exist yet. */
export type ClosureLogFacts = { readonly base: Sha; readonly text: string | null };

/** Everything that a decision about one run may read. */
export type RunFacts = {
  readonly pull: Observed<PullFacts>;
  readonly issue: Observed<IssueFacts>;
  readonly comments: Observed<readonly CommentFacts[]>;
  /** When the threads were read; later comments are missing. */
  readonly readAt: Instant;
  /** The card's versions, newest first. */
  readonly cardHistory: Observed<readonly ShownVersion[]>;
  /** The texts of the cluster changes proposed in this run's record. */
  readonly proposalTexts: ProposalTexts;
  /** Approving comments missing from the threads, by `commentId`, fetched by id; null if GitHub has none. */
  readonly cited: ReadonlyMap<string, Observed<CommentFacts | null>>;
  readonly change: Observed<ChangeFacts>;
  /** Paths that differ from what the failed attempt launched. */
  readonly changedSince: Observed<readonly string[]>;
  /** Contributions to the branch by anyone except the bot. */
  readonly branchWork: Observed<BranchWork>;
  readonly body: Observed<BodyFacts>;
  /** Checks on the pull request's head. */
  readonly checks: Observed<readonly CheckFacts[]>;
  readonly configHealth: Observed<ConfigHealth>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
  /** People with a role in the repository. */
  readonly people: Observed<readonly PersonFacts[]>;
  /** Runs of all lanes, newest first; `runsInLane` filters them. */
  readonly recordedRuns: Observed<readonly RunState[]>;
  /** Holds in the repository journal; unknown if the journal does not verify. */
  readonly journalHolds: Observed<readonly Hold[]>;
  /** Cluster changes proposed outside a run; unknown if the journal does not verify. */
  readonly clusterActions: Observed<readonly ActionRecord[]>;
  /** Commands from these threads that the repository journal records, because they affect more than this run. */
  readonly journalCommands: ReadonlyMap<string, SeenCommand>;
  /** Workflow runs that control dispatched, by id; null if GitHub no longer has the run. */
  readonly workflowRuns: ReadonlyMap<number, Observed<WorkflowRunFacts | null>>;
  /** The error message of a failed workflow run's job, by run id; absent if not requested. */
  readonly failedJobs?: ReadonlyMap<number, Observed<string>> | undefined;
  readonly closureLog: Observed<ClosureLogFacts>;
  /** The registry's answer for the contract's container image. */
  readonly containerImage: Observed<ImageObservation>;
  /** A generated fix for the newest attempt's failure. */
  readonly smallFix: Observed<SmallFix>;
  /** The state of the lab's fixer, which control requests if there is no small fix. */
  readonly fixer: Observed<FixerStatus>;
  /** Checkpoints below the run's roots. */
  readonly checkpoints: Observed<FoundCheckpoints>;
  /** Listings of the roots that the run starts or resumes from. */
  readonly searchedRoots: Observed<readonly SearchedRoot[]>;
  /** The commit of the run's seal tag; null if the tag does not exist. */
  readonly sealTag: Observed<Sha | null>;
};

/** A sealed ferry's metrics, to compare the next one with. */
export type SealedMetrics = {
  readonly run: RunId;
  readonly date: string;
  readonly metrics: Readonly<Record<string, string>>;
};
