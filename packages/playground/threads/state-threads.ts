/** Rows of the playground's state that people talk in: issues, pull requests, comments, reviews, reactions, edits. */

export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export type Reaction = {
  readonly id: number;
  readonly userId: number;
  readonly content: ReactionContent;
  readonly createdAtMs: number;
};

/** One entry of the edit history; the first entry holds the text as it was written. */
export type Edit = {
  readonly id: number;
  readonly editorId: number;
  readonly atMs: number;
  readonly body: string;
};

/** What every text with an author carries: issue, comment, review, review comment. */
export type Authored = {
  readonly id: number;
  readonly authorId: number;
  /** The App that wrote it with an installation or workflow token; null for people. */
  readonly viaAppId: number | null;
  readonly body: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Empty until the text was edited, then the original and every later text, oldest first. */
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

/** A label was put on or taken off. */
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

/** Something that was done to a thread and that its timeline tells. */
export type ThreadEvent = {
  readonly id: number;
  readonly repoId: number;
  readonly number: number;
  readonly actorId: number;
  readonly event: (typeof threadEventNames)[number];
  readonly atMs: number;
  /** Who was assigned, or asked for a review. */
  readonly subjectId: number | null;
  /** The milestone's title, or the old and the new one of the thread. */
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
  /** Names of labels of the repository, in the order they were added. */
  readonly labels: readonly string[];
  /** Oldest first; states that were kept before have none. */
  readonly labelEvents?: readonly LabelEvent[];
  readonly assigneeIds: readonly number[];
  readonly milestoneId?: number;
  /** Who pinned it above the list; absent: it is not pinned. */
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
  /** Tip of the base branch when last looked at; frozen when the pull request is closed. */
  readonly baseSha: string;
  readonly draft: boolean;
  readonly mergedAtMs: number | null;
  readonly mergedById: number | null;
  readonly mergeCommitSha: string | null;
  /** The merge that would be made now; null = head and base are in conflict. Absent in a state of before it was kept. */
  readonly testMergeSha?: string | null;
  readonly requestedReviewerIds: readonly number[];
  readonly reviewIds: readonly number[];
  readonly reviewCommentIds: readonly number[];
};

export type Comment = Authored & {
  readonly repoId: number;
  readonly issueNumber: number;
  /** Set by `minimizeComment`: OUTDATED, RESOLVED, SPAM, … in lower case as GraphQL's `minimizedReason`. */
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
  /** Line of the new file (RIGHT) or the old one (LEFT); null on a comment about the whole file. */
  readonly line: number | null;
  /** First line of a comment on several. */
  readonly startLine?: number;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commitSha: string;
  readonly diffHunk: string;
  readonly inReplyToId: number | null;
  /** As of a comment; absent in a state of before it was kept. */
  readonly minimizedReason?: string | null;
};
