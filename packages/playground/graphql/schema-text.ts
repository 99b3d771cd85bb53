/** The part of GitHub's GraphQL schema that the playground serves (docs.github.com/graphql/reference), by its own names. */

import { rootSchema } from './root-schema.ts';
import { worksSchema } from './works-schema.ts';

const REPOSITORIES =
  'repositories(first: Int, last: Int, after: String, before: String, affiliations: [RepositoryAffiliation], ownerAffiliations: [RepositoryAffiliation] = [OWNER, COLLABORATOR], isArchived: Boolean, isFork: Boolean, isLocked: Boolean, hasIssuesEnabled: Boolean, privacy: RepositoryPrivacy, visibility: RepositoryVisibility, orderBy: RepositoryOrder): RepositoryConnection!';

const interfacesAndScalars = /* GraphQL */ `
  scalar DateTime
  scalar URI
  scalar GitObjectID
  scalar GitTimestamp
  scalar GitRefname
  scalar BigInt
  scalar Base64String
  interface Node { id: ID! }
  interface Actor { login: String!, url: URI!, avatarUrl(size: Int): URI! }
  interface RepositoryOwner { id: ID!, login: String!, url: URI!, avatarUrl(size: Int): URI!, ${REPOSITORIES} }
  union Reactor = Bot | Organization | User
  type UserConnection { totalCount: Int!, nodes: [User], pageInfo: PageInfo! }
  type Team implements Node { id: ID!, name: String!, slug: String!, organization: Organization! }
  type User implements Node & Actor & RepositoryOwner { ${REPOSITORIES}, id: ID!, databaseId: Int, login: String!, name: String, email: String!, url: URI!, avatarUrl(size: Int): URI! }
  type Bot implements Node & Actor { id: ID!, databaseId: Int, login: String!, url: URI!, avatarUrl(size: Int): URI! }
  enum TeamOrderField { NAME }
  input TeamOrder { direction: OrderDirection!, field: TeamOrderField! }
  type TeamConnection { totalCount: Int!, nodes: [Team], pageInfo: PageInfo! }
  type Organization implements Node & Actor & RepositoryOwner { ${REPOSITORIES}, teams(first: Int, last: Int, after: String, before: String, orderBy: TeamOrder, query: String): TeamConnection!, id: ID!, databaseId: Int, login: String!, name: String, url: URI!, avatarUrl(size: Int): URI! }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  enum OrderDirection { ASC DESC }
`;

const repository = /* GraphQL */ `
  enum RepositoryPermission { ADMIN MAINTAIN WRITE TRIAGE READ }
  enum RepositoryAffiliation { COLLABORATOR ORGANIZATION_MEMBER OWNER }
  enum RepositoryPrivacy { PRIVATE PUBLIC }
  enum RepositoryVisibility { INTERNAL PRIVATE PUBLIC }
  enum RepositoryOrderField { CREATED_AT NAME PUSHED_AT STARGAZERS UPDATED_AT }
  input RepositoryOrder { direction: OrderDirection!, field: RepositoryOrderField! }
  type RepositoryConnection { totalCount: Int!, totalDiskUsage: Int!, nodes: [Repository], edges: [RepositoryEdge], pageInfo: PageInfo! }
  type RepositoryEdge { cursor: String!, node: Repository }
  type PinnedIssue implements Node { id: ID!, databaseId: Int, issue: Issue!, pinnedBy: Actor!, repository: Repository! }
  type PinnedIssueConnection { totalCount: Int!, nodes: [PinnedIssue], pageInfo: PageInfo! }
  type Repository implements Node {
    id: ID!, databaseId: Int, name: String!, nameWithOwner: String!, url: URI!, isPrivate: Boolean!, isFork: Boolean!
    visibility: RepositoryVisibility!, isArchived: Boolean!, createdAt: DateTime!, updatedAt: DateTime!, pushedAt: DateTime
    pinnedIssues(first: Int, last: Int, after: String, before: String): PinnedIssueConnection
    description: String, hasIssuesEnabled: Boolean!, hasWikiEnabled: Boolean!, parent: Repository
    mergeCommitAllowed: Boolean!, rebaseMergeAllowed: Boolean!, squashMergeAllowed: Boolean!
    owner: RepositoryOwner!, viewerPermission: RepositoryPermission, defaultBranchRef: Ref
    ref(qualifiedName: String!): Ref
    refs(refPrefix: String!, first: Int, last: Int, after: String, before: String): RefConnection
    object(expression: String, oid: GitObjectID): GitObject
    issue(number: Int!): Issue
    pullRequest(number: Int!): PullRequest
    issueOrPullRequest(number: Int!): IssueOrPullRequest
    issues(first: Int, last: Int, after: String, before: String, states: [IssueState!], labels: [String!], orderBy: IssueOrder, filterBy: IssueFilters): IssueConnection!
    pullRequests(first: Int, last: Int, after: String, before: String, states: [PullRequestState!], headRefName: String, baseRefName: String, labels: [String!], orderBy: IssueOrder): PullRequestConnection!
    label(name: String!): Label
    labels(first: Int, last: Int, after: String, before: String, orderBy: LabelOrder, query: String): LabelConnection
    assignableUsers(first: Int, last: Int, after: String, before: String, query: String): UserConnection!
    milestone(number: Int!): Milestone
    milestones(first: Int, last: Int, after: String, before: String, orderBy: MilestoneOrder, states: [MilestoneState!]): MilestoneConnection
    deployments(first: Int, last: Int, after: String, before: String, environments: [String!], orderBy: DeploymentOrder): DeploymentConnection!
    releases(first: Int, last: Int, after: String, before: String, orderBy: ReleaseOrder): ReleaseConnection!
    release(tagName: String!): Release
    latestRelease: Release
    collaborators(first: Int, last: Int, after: String, before: String): RepositoryCollaboratorConnection
  }
  type RepositoryCollaboratorConnection { totalCount: Int!, nodes: [User], edges: [RepositoryCollaboratorEdge], pageInfo: PageInfo! }
  type RepositoryCollaboratorEdge { cursor: String!, permission: RepositoryPermission!, node: User! }
  enum IssueOrderField { CREATED_AT UPDATED_AT COMMENTS }
  input IssueOrder { field: IssueOrderField!, direction: OrderDirection! }
  input IssueFilters { assignee: String, createdBy: String, mentioned: String, labels: [String!], states: [IssueState!] }
  union IssueOrPullRequest = Issue | PullRequest
  enum LabelOrderField { CREATED_AT NAME }
  input LabelOrder { direction: OrderDirection!, field: LabelOrderField! }
  type Label implements Node { id: ID!, name: String!, color: String!, description: String, url: URI!, isDefault: Boolean!, createdAt: DateTime, updatedAt: DateTime }
  type LabelConnection { totalCount: Int!, nodes: [Label], pageInfo: PageInfo! }
`;

const git = /* GraphQL */ `
  interface GitObject { id: ID!, oid: GitObjectID! }
  type GitActor { name: String, email: String, date: GitTimestamp, user: User }
  type Commit implements Node & GitObject {
    id: ID!, oid: GitObjectID!, message: String!, messageHeadline: String!, messageBody: String!, url: URI!
    authoredDate: DateTime!, committedDate: DateTime!, author: GitActor, committer: GitActor, tree: Tree!
    associatedPullRequests(first: Int, last: Int, after: String, before: String, orderBy: PullRequestOrder): PullRequestConnection
    parents(first: Int, last: Int, after: String, before: String): CommitConnection!
    history(first: Int, last: Int, after: String, before: String, path: String, since: GitTimestamp, until: GitTimestamp): CommitHistoryConnection!
    checkSuites(first: Int, last: Int, after: String, before: String): CheckSuiteConnection, status: Status, statusCheckRollup: StatusCheckRollup
  }
  type CommitHistoryConnection { totalCount: Int!, nodes: [Commit], pageInfo: PageInfo! }
  type CommitConnection { totalCount: Int!, nodes: [Commit], pageInfo: PageInfo! }
  type Blob implements Node & GitObject { id: ID!, oid: GitObjectID!, byteSize: Int!, isBinary: Boolean, text: String }
  type TreeEntry { name: String!, path: String, mode: Int!, type: String!, oid: GitObjectID!, object: GitObject }
  type Tree implements Node & GitObject { id: ID!, oid: GitObjectID!, entries: [TreeEntry!] }
  type Tag implements Node & GitObject { id: ID!, oid: GitObjectID!, name: String!, message: String, target: GitObject!, tagger: GitActor }
  type BranchProtectionRule implements Node { id: ID!, requiresStrictStatusChecks: Boolean!, requiredApprovingReviewCount: Int }
  type Ref implements Node { id: ID!, name: String!, prefix: String!, target: GitObject, branchProtectionRule: BranchProtectionRule }
  type RefConnection { totalCount: Int!, nodes: [Ref], pageInfo: PageInfo! }
`;

const checks = /* GraphQL */ `
  enum CheckStatusState { REQUESTED QUEUED IN_PROGRESS COMPLETED WAITING PENDING }
  enum CheckConclusionState { ACTION_REQUIRED TIMED_OUT CANCELLED FAILURE SUCCESS NEUTRAL SKIPPED STARTUP_FAILURE STALE }
  enum StatusState { EXPECTED ERROR FAILURE PENDING SUCCESS }
  enum CheckRunType { ALL LATEST }
  input CheckRunFilter { checkType: CheckRunType, checkName: String }
  type App implements Node { id: ID!, databaseId: Int, slug: String!, name: String! }
  type Workflow implements Node { id: ID!, databaseId: Int, name: String! }
  type WorkflowRun implements Node { id: ID!, databaseId: Int, event: String!, file: WorkflowRunFile, workflow: Workflow! }
  type WorkflowRunFile implements Node { id: ID!, path: String! }
  type CheckRun implements Node {
    id: ID!, databaseId: Int, name: String!, status: CheckStatusState!, conclusion: CheckConclusionState, startedAt: DateTime, completedAt: DateTime, detailsUrl: URI, checkSuite: CheckSuite!
    isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
  }
  type CheckRunConnection { totalCount: Int!, nodes: [CheckRun], pageInfo: PageInfo! }
  type CheckSuite implements Node {
    id: ID!, databaseId: Int, status: CheckStatusState!, conclusion: CheckConclusionState, createdAt: DateTime!, app: App, workflowRun: WorkflowRun
    checkRuns(first: Int, last: Int, after: String, before: String, filterBy: CheckRunFilter): CheckRunConnection
  }
  type CheckSuiteConnection { totalCount: Int!, nodes: [CheckSuite], pageInfo: PageInfo! }
  type StatusContext implements Node { id: ID!, context: String!, state: StatusState!, description: String, targetUrl: URI, createdAt: DateTime!, updatedAt: DateTime!, isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean! }
  union StatusCheckRollupContext = CheckRun | StatusContext
  type StatusCheckRollupContextConnection { totalCount: Int!, nodes: [StatusCheckRollupContext], pageInfo: PageInfo! }
  type StatusCheckRollup implements Node { id: ID!, state: StatusState!, contexts(first: Int, last: Int, after: String, before: String): StatusCheckRollupContextConnection! }
  type Status implements Node { id: ID!, state: StatusState!, contexts: [StatusContext!]! }
`;

const threads = /* GraphQL */ `
  enum LockReason { OFF_TOPIC RESOLVED SPAM TOO_HEATED }
  enum PullRequestOrderField { CREATED_AT UPDATED_AT }
  input PullRequestOrder { direction: OrderDirection!, field: PullRequestOrderField! }
  interface Labelable { labels(first: Int, last: Int, after: String, before: String, orderBy: LabelOrder = { field: CREATED_AT, direction: ASC }): LabelConnection }
  interface Lockable { activeLockReason: LockReason, locked: Boolean! }
  enum IssueState { OPEN CLOSED }
  enum PullRequestState { OPEN CLOSED MERGED }
  enum PullRequestReviewState { PENDING COMMENTED APPROVED CHANGES_REQUESTED DISMISSED }
  enum MergeableState { MERGEABLE CONFLICTING UNKNOWN }
  enum CommentAuthorAssociation { OWNER COLLABORATOR MEMBER CONTRIBUTOR FIRST_TIME_CONTRIBUTOR FIRST_TIMER MANNEQUIN NONE }
  enum ReactionContent { THUMBS_UP THUMBS_DOWN LAUGH HOORAY CONFUSED HEART ROCKET EYES }
  enum ReportedContentClassifiers { ABUSE DUPLICATE OFF_TOPIC OUTDATED RESOLVED SPAM }
  type UserContentEdit implements Node { id: ID!, createdAt: DateTime!, editedAt: DateTime!, updatedAt: DateTime!, editor: Actor, diff: String, deletedAt: DateTime }
  type UserContentEditConnection { totalCount: Int!, nodes: [UserContentEdit], pageInfo: PageInfo! }
  type ReactorConnection { totalCount: Int!, nodes: [Reactor] }
  type ReactingUserConnection { totalCount: Int!, nodes: [User] }
  type ReactionGroup { content: ReactionContent!, createdAt: DateTime, viewerHasReacted: Boolean!, reactors(first: Int): ReactorConnection!, users(first: Int): ReactingUserConnection! }
  type Reaction implements Node { id: ID!, databaseId: Int, content: ReactionContent!, createdAt: DateTime!, user: User }
  interface Comment {
    id: ID!, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!
    lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
  }
  interface Minimizable { isMinimized: Boolean!, minimizedReason: String, viewerCanMinimize: Boolean! }
  type IssueComment implements Node & Comment & Minimizable {
    id: ID!, databaseId: Int, fullDatabaseId: BigInt, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!
    updatedAt: DateTime!, lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    isMinimized: Boolean!, minimizedReason: String, viewerCanMinimize: Boolean!, url: URI!, reactionGroups: [ReactionGroup!], issue: Issue!, pullRequest: PullRequest
  }
  type IssueCommentConnection { totalCount: Int!, nodes: [IssueComment], edges: [IssueCommentEdge], pageInfo: PageInfo! }
  type IssueCommentEdge { cursor: String!, node: IssueComment }
  enum IssueStateReason { REOPENED NOT_PLANNED COMPLETED DUPLICATE }
  enum IssueClosedStateReason { COMPLETED NOT_PLANNED DUPLICATE }
  type Project implements Node { id: ID!, name: String! }
  type ProjectV2 implements Node { id: ID!, title: String! }
  type ProjectV2Item implements Node { id: ID!, project: ProjectV2! }
  type ProjectV2ItemConnection { totalCount: Int!, nodes: [ProjectV2Item], pageInfo: PageInfo! }
  type ProjectColumn implements Node { id: ID!, name: String! }
  type ProjectCard implements Node { id: ID!, project: Project!, column: ProjectColumn }
  type ProjectCardConnection { totalCount: Int!, nodes: [ProjectCard], pageInfo: PageInfo! }
  type Issue implements Node & Comment & Labelable & Lockable {
    activeLockReason: LockReason, isPinned: Boolean
    timelineItems(first: Int, last: Int, after: String, before: String, itemTypes: [IssueTimelineItemsItemType!]): IssueTimelineItemsConnection!
    stateReason(enableDuplicate: Boolean = false): IssueStateReason, milestone: Milestone
    assignees(first: Int, last: Int, after: String, before: String): UserConnection!
    projectCards(first: Int, last: Int, after: String, before: String): ProjectCardConnection!
    projectItems(first: Int, last: Int, after: String, before: String): ProjectV2ItemConnection!
    id: ID!, databaseId: Int, number: Int!, title: String!, state: IssueState!, closed: Boolean!, closedAt: DateTime, locked: Boolean!, url: URI!
    body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!, lastEditedAt: DateTime
    editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, repository: Repository!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    labels(first: Int, last: Int, after: String, before: String, orderBy: LabelOrder = { field: CREATED_AT, direction: ASC }): LabelConnection
    comments(first: Int, last: Int, after: String, before: String): IssueCommentConnection!
    reactionGroups: [ReactionGroup!]
  }
  type IssueConnection { totalCount: Int!, nodes: [Issue], pageInfo: PageInfo! }
  type PullRequestReviewComment implements Node & Comment & Minimizable {
    id: ID!, databaseId: Int, isMinimized: Boolean!, minimizedReason: String, viewerCanMinimize: Boolean!, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!
    lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, path: String!, line: Int, diffHunk: String!, url: URI!, commit: Commit
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection, reactionGroups: [ReactionGroup!]
  }
  type PullRequestReviewCommentConnection { totalCount: Int!, nodes: [PullRequestReviewComment], pageInfo: PageInfo! }
  type PullRequestReview implements Node & Comment {
    id: ID!, databaseId: Int, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!
    lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, state: PullRequestReviewState!, submittedAt: DateTime, url: URI!, commit: Commit, reactionGroups: [ReactionGroup!]
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    comments(first: Int, last: Int, after: String, before: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewConnection { totalCount: Int!, nodes: [PullRequestReview], pageInfo: PageInfo! }
  type PullRequestCommit { id: ID!, commit: Commit! }
  type PullRequestCommitConnection { totalCount: Int!, nodes: [PullRequestCommit], pageInfo: PageInfo! }
  enum PatchStatus { ADDED DELETED RENAMED COPIED MODIFIED CHANGED }
  type PullRequestChangedFile { path: String!, additions: Int!, deletions: Int!, changeType: PatchStatus! }
  type PullRequestChangedFileConnection { totalCount: Int!, nodes: [PullRequestChangedFile], pageInfo: PageInfo! }
  enum MergeStateStatus { DIRTY UNKNOWN BLOCKED BEHIND DRAFT UNSTABLE HAS_HOOKS CLEAN }
  enum PullRequestReviewDecision { CHANGES_REQUESTED APPROVED REVIEW_REQUIRED }
  union RequestedReviewer = Bot | Team | User
  type ReviewRequest implements Node { id: ID!, requestedReviewer: RequestedReviewer }
  type ReviewRequestConnection { totalCount: Int!, nodes: [ReviewRequest], pageInfo: PageInfo! }
  enum PullRequestTimelineItemsItemType { LABELED_EVENT UNLABELED_EVENT }
  enum IssueTimelineItemsItemType { LABELED_EVENT UNLABELED_EVENT }
  type LabeledEvent implements Node { id: ID!, createdAt: DateTime!, actor: Actor, label: Label! }
  type UnlabeledEvent implements Node { id: ID!, createdAt: DateTime!, actor: Actor, label: Label! }
  union PullRequestTimelineItems = LabeledEvent | UnlabeledEvent
  union IssueTimelineItems = LabeledEvent | UnlabeledEvent
  type IssueTimelineItemsConnection { totalCount: Int!, nodes: [IssueTimelineItems], pageInfo: PageInfo! }
  type PullRequestTimelineItemsConnection { totalCount: Int!, nodes: [PullRequestTimelineItems], pageInfo: PageInfo! }
  type PullRequest implements Node & Comment & Labelable & Lockable {
    activeLockReason: LockReason
    latestReviews(first: Int, last: Int, after: String, before: String): PullRequestReviewConnection
    timelineItems(first: Int, last: Int, after: String, before: String, itemTypes: [PullRequestTimelineItemsItemType!]): PullRequestTimelineItemsConnection!
    milestone: Milestone, headRepositoryOwner: RepositoryOwner, maintainerCanModify: Boolean!
    mergeStateStatus: MergeStateStatus!, reviewDecision: PullRequestReviewDecision
    assignees(first: Int, last: Int, after: String, before: String): UserConnection!
    projectCards(first: Int, last: Int, after: String, before: String): ProjectCardConnection!
    projectItems(first: Int, last: Int, after: String, before: String): ProjectV2ItemConnection!
    reviewRequests(first: Int, last: Int, after: String, before: String): ReviewRequestConnection
    id: ID!, databaseId: Int, number: Int!, title: String!, state: PullRequestState!, closed: Boolean!, closedAt: DateTime, locked: Boolean!, url: URI!
    body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!, lastEditedAt: DateTime
    editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, repository: Repository!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    labels(first: Int, last: Int, after: String, before: String, orderBy: LabelOrder = { field: CREATED_AT, direction: ASC }): LabelConnection
    comments(first: Int, last: Int, after: String, before: String): IssueCommentConnection!
    reviews(first: Int, last: Int, after: String, before: String, states: [PullRequestReviewState!]): PullRequestReviewConnection
    commits(first: Int, last: Int, after: String, before: String): PullRequestCommitConnection!
    files(first: Int, last: Int, after: String, before: String): PullRequestChangedFileConnection
    reactionGroups: [ReactionGroup!]
    headRefName: String!, headRefOid: GitObjectID!, headRef: Ref, headRepository: Repository, baseRepository: Repository, baseRefName: String!, baseRefOid: GitObjectID!, baseRef: Ref
    isCrossRepository: Boolean!, isDraft: Boolean!, merged: Boolean!, mergedAt: DateTime, mergedBy: Actor, mergeCommit: Commit, mergeable: MergeableState!
    changedFiles: Int!, additions: Int!, deletions: Int!
  }
  type PullRequestEdge { cursor: String!, node: PullRequest }
  type PullRequestConnection { totalCount: Int!, nodes: [PullRequest], edges: [PullRequestEdge], pageInfo: PageInfo! }
`;

export const schemaText = [interfacesAndScalars, repository, git, checks, threads, worksSchema, rootSchema].join('\n');
