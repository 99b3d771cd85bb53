/** State rows of conversations: issues, pull requests, comments, reviews, reactions, edits. */

export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export type Reaction = {
  readonly id: number;
  readonly userId: number;
  readonly content: ReactionContent;
  readonly createdAtMs: number;
};

/** One entry of the edit history; the first entry is the original text. */
export type Edit = { readonly id: number; readonly editorId: number; readonly atMs: number; readonly body: string };

/** Common fields of authored texts: issue, comment, review, review comment. */
export type Authored = {
  readonly id: number;
  readonly authorId: number;
  /** The App that wrote it, with an installation or workflow token; null for people. */
  readonly viaAppId: number | null;
  readonly body: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Empty until the first edit, then the original and every later text, oldest first. */
  readonly edits: readonly Edit[];
  readonly reactions: readonly Reaction[];
};

export type Label = {
  readonly id: number;
  readonly name: string;
  /** Six hexadecimal digits without `#`. */
  readonly color: string;
  readonly description: string | null;
};

/** A label was added or removed. */
export type LabelEvent = {
  readonly id: number;
  readonly actorId: number;
  readonly event: 'labeled' | 'unlabeled';
  readonly label: Pick<Label, 'name' | 'color'>;
  readonly atMs: number;
};

export const threadEventNames = [
  'assigned',
  'unassigned',
  'milestoned',
  'demilestoned',
  'closed',
  'reopened',
  'locked',
  'unlocked',
  'pinned',
  'unpinned',
  'renamed',
  'merged',
  'review_requested',
  'review_request_removed',
] as const;

/** A change of a thread that its timeline shows. */
export type ThreadEvent = {
  readonly id: number;
  readonly repoId: number;
  readonly number: number;
  readonly actorId: number;
  readonly event: (typeof threadEventNames)[number];
  readonly atMs: number;
  /** The person who was assigned, or requested as a reviewer. */
  readonly subjectId: number | null;
  /** The milestone's title, or the thread's old and new title. */
  readonly titles: readonly string[];
  readonly commitSha: string | null;
  readonly viaAppId: number | null;
};

export type Milestone = {
  readonly id: number;
  readonly repoId: number;
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'open' | 'closed';
  readonly dueAtMs: number | null;
  readonly creatorId: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly closedAtMs: number | null;
};

export type Issue = Authored & {
  readonly repoId: number;
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly stateReason: 'completed' | 'not_planned' | 'duplicate' | 'reopened' | null;
  readonly locked: boolean;
  readonly lockReason: string | null;
  /** Names of the repository's labels, in the order in which they were added. */
  readonly labels: readonly string[];
  /** Oldest first; absent in states saved by older versions. */
  readonly labelEvents?: readonly LabelEvent[];
  readonly assigneeIds: readonly number[];
  readonly milestoneId?: number;
  /** Who pinned the issue; absent if it is not pinned. */
  readonly pinnedById?: number;
  readonly commentIds: readonly number[];
  readonly closedAtMs: number | null;
  readonly closedById: number | null;
  /** Present when this number is a pull request. */
  readonly pull: Pull | null;
};

export type Pull = {
  readonly id: number;
  readonly headRepoId: number;
  readonly headRef: string;
  /** Tip of the head branch; frozen when the pull request is closed. */
  readonly headSha: string;
  readonly baseRef: string;
  /** Last known tip of the base branch; frozen when the pull request is closed. */
  readonly baseSha: string;
  readonly draft: boolean;
  readonly mergedAtMs: number | null;
  readonly mergedById: number | null;
  readonly mergeCommitSha: string | null;
  /** The current test merge; null = head and base conflict. Absent in states saved by older versions. */
  readonly testMergeSha?: string | null;
  readonly requestedReviewerIds: readonly number[];
  readonly reviewIds: readonly number[];
  readonly reviewCommentIds: readonly number[];
};

export type Comment = Authored & {
  readonly repoId: number;
  readonly issueNumber: number;
  /** Set by `minimizeComment`: OUTDATED, RESOLVED, SPAM, … in lower case, as in GraphQL's `minimizedReason`. */
  readonly minimizedReason: string | null;
};

export type Review = Authored & {
  readonly repoId: number;
  readonly issueNumber: number;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly commitSha: string;
  readonly submittedAtMs: number | null;
};

export type ReviewComment = Authored & {
  readonly repoId: number;
  readonly issueNumber: number;
  readonly reviewId: number;
  readonly path: string;
  /** Line of the new file (RIGHT) or the old one (LEFT); null for a comment on the whole file. */
  readonly line: number | null;
  /** First line of a multi-line comment. */
  readonly startLine?: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commitSha: string;
  readonly diffHunk: string;
  readonly inReplyToId: number | null;
  /** As for a comment; absent in states saved by older versions. */
  readonly minimizedReason?: string | null;
};
