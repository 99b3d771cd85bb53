/** The part of GitHub's GraphQL schema that the playground serves (docs.github.com/graphql/reference), by its own names. */

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
  interface RepositoryOwner { id: ID!, login: String!, url: URI!, avatarUrl(size: Int): URI! }
  union Reactor = Bot | Organization | User
  type UserConnection { totalCount: Int!, nodes: [User], pageInfo: PageInfo! }
  type Team implements Node { id: ID!, name: String!, slug: String!, organization: Organization! }
  type User implements Node & Actor & RepositoryOwner { id: ID!, databaseId: Int, login: String!, name: String, email: String!, url: URI!, avatarUrl(size: Int): URI! }
  type Bot implements Node & Actor { id: ID!, databaseId: Int, login: String!, url: URI!, avatarUrl(size: Int): URI! }
  type Organization implements Node & Actor & RepositoryOwner { id: ID!, databaseId: Int, login: String!, name: String, url: URI!, avatarUrl(size: Int): URI! }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  enum OrderDirection { ASC DESC }
`;

const repository = /* GraphQL */ `
  enum RepositoryPermission { ADMIN MAINTAIN WRITE TRIAGE READ }
  type Repository implements Node {
    id: ID!, databaseId: Int, name: String!, nameWithOwner: String!, url: URI!, isPrivate: Boolean!, isFork: Boolean!
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
    labels(first: Int, last: Int, after: String, before: String): LabelConnection
    collaborators(first: Int, last: Int, after: String, before: String): RepositoryCollaboratorConnection
  }
  type RepositoryCollaboratorConnection { totalCount: Int!, nodes: [User], edges: [RepositoryCollaboratorEdge], pageInfo: PageInfo! }
  type RepositoryCollaboratorEdge { cursor: String!, permission: RepositoryPermission!, node: User! }
  enum IssueOrderField { CREATED_AT UPDATED_AT COMMENTS }
  input IssueOrder { field: IssueOrderField!, direction: OrderDirection! }
  input IssueFilters { assignee: String, createdBy: String, mentioned: String, labels: [String!], states: [IssueState!] }
  union IssueOrPullRequest = Issue | PullRequest
  type Label implements Node { id: ID!, name: String!, color: String!, description: String }
  type LabelConnection { totalCount: Int!, nodes: [Label], pageInfo: PageInfo! }
`;

const git = /* GraphQL */ `
  interface GitObject { id: ID!, oid: GitObjectID! }
  type GitActor { name: String, email: String, date: GitTimestamp, user: User }
  type Commit implements Node & GitObject {
    id: ID!, oid: GitObjectID!, message: String!, messageHeadline: String!, messageBody: String!, url: URI!
    authoredDate: DateTime!, committedDate: DateTime!, author: GitActor, committer: GitActor, tree: Tree!
    parents(first: Int, last: Int, after: String, before: String): CommitConnection!
    history(first: Int, last: Int, after: String, before: String, path: String): CommitHistoryConnection!
    checkSuites(first: Int, last: Int, after: String, before: String): CheckSuiteConnection, status: Status, statusCheckRollup: StatusCheckRollup
  }
  type CommitHistoryConnection { totalCount: Int!, nodes: [Commit], pageInfo: PageInfo! }
  type CommitConnection { totalCount: Int!, nodes: [Commit], pageInfo: PageInfo! }
  type Blob implements Node & GitObject { id: ID!, oid: GitObjectID!, byteSize: Int!, isBinary: Boolean, text: String }
  type TreeEntry { name: String!, path: String, mode: Int!, type: String!, oid: GitObjectID!, object: GitObject }
  type Tree implements Node & GitObject { id: ID!, oid: GitObjectID!, entries: [TreeEntry!] }
  type Tag implements Node & GitObject { id: ID!, oid: GitObjectID!, name: String!, message: String, target: GitObject!, tagger: GitActor }
  type Ref implements Node { id: ID!, name: String!, prefix: String!, target: GitObject }
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
  type Milestone implements Node { id: ID!, number: Int!, title: String!, description: String, dueOn: DateTime }
  type Project implements Node { id: ID!, name: String! }
  type ProjectColumn implements Node { id: ID!, name: String! }
  type ProjectCard implements Node { id: ID!, project: Project!, column: ProjectColumn }
  type ProjectCardConnection { totalCount: Int!, nodes: [ProjectCard], pageInfo: PageInfo! }
  type Issue implements Node & Comment {
    timelineItems(first: Int, last: Int, after: String, before: String, itemTypes: [IssueTimelineItemsItemType!]): IssueTimelineItemsConnection!
    stateReason(enableDuplicate: Boolean = false): IssueStateReason, milestone: Milestone
    assignees(first: Int, last: Int, after: String, before: String): UserConnection!
    projectCards(first: Int, last: Int, after: String, before: String): ProjectCardConnection!
    id: ID!, databaseId: Int, number: Int!, title: String!, state: IssueState!, closed: Boolean!, closedAt: DateTime, locked: Boolean!, url: URI!
    body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!, lastEditedAt: DateTime
    editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, repository: Repository!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    labels(first: Int, last: Int, after: String, before: String): LabelConnection
    comments(first: Int, last: Int, after: String, before: String): IssueCommentConnection!
    reactionGroups: [ReactionGroup!]
  }
  type IssueConnection { totalCount: Int!, nodes: [Issue], pageInfo: PageInfo! }
  type PullRequestReviewComment implements Node & Comment {
    id: ID!, databaseId: Int, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!
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
  type PullRequest implements Node & Comment {
    timelineItems(first: Int, last: Int, after: String, before: String, itemTypes: [PullRequestTimelineItemsItemType!]): PullRequestTimelineItemsConnection!
    milestone: Milestone, headRepositoryOwner: RepositoryOwner, maintainerCanModify: Boolean!
    mergeStateStatus: MergeStateStatus!, reviewDecision: PullRequestReviewDecision
    assignees(first: Int, last: Int, after: String, before: String): UserConnection!
    projectCards(first: Int, last: Int, after: String, before: String): ProjectCardConnection!
    reviewRequests(first: Int, last: Int, after: String, before: String): ReviewRequestConnection
    id: ID!, databaseId: Int, number: Int!, title: String!, state: PullRequestState!, closed: Boolean!, closedAt: DateTime, locked: Boolean!, url: URI!
    body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!, lastEditedAt: DateTime
    editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, repository: Repository!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    labels(first: Int, last: Int, after: String, before: String): LabelConnection
    comments(first: Int, last: Int, after: String, before: String): IssueCommentConnection!
    reviews(first: Int, last: Int, after: String, before: String, states: [PullRequestReviewState!]): PullRequestReviewConnection
    commits(first: Int, last: Int, after: String, before: String): PullRequestCommitConnection!
    files(first: Int, last: Int, after: String, before: String): PullRequestChangedFileConnection
    reactionGroups: [ReactionGroup!]
    headRefName: String!, headRefOid: GitObjectID!, headRef: Ref, headRepository: Repository, baseRefName: String!, baseRefOid: GitObjectID!, baseRef: Ref
    isCrossRepository: Boolean!, isDraft: Boolean!, merged: Boolean!, mergedAt: DateTime, mergedBy: Actor, mergeCommit: Commit, mergeable: MergeableState!
    changedFiles: Int!, additions: Int!, deletions: Int!
  }
  type PullRequestConnection { totalCount: Int!, nodes: [PullRequest], pageInfo: PageInfo! }
`;

const roots = /* GraphQL */ `
  type RateLimit { cost: Int!, limit: Int!, remaining: Int!, resetAt: DateTime!, used: Int! }
  type Query {
    viewer: User!
    rateLimit: RateLimit
    repository(owner: String!, name: String!): Repository
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
  }
  input MinimizeCommentInput { subjectId: ID!, classifier: ReportedContentClassifiers!, clientMutationId: String }
  input UnminimizeCommentInput { subjectId: ID!, clientMutationId: String }
  type UnminimizeCommentPayload { unminimizedComment: Minimizable, clientMutationId: String }
  type MinimizeCommentPayload { minimizedComment: Minimizable, clientMutationId: String }
  input RefUpdate { name: GitRefname!, afterOid: GitObjectID!, beforeOid: GitObjectID, force: Boolean = false }
  input UpdateRefsInput { repositoryId: ID!, refUpdates: [RefUpdate!]!, clientMutationId: String }
  type UpdateRefsPayload { clientMutationId: String }
  input CommittableBranch { id: ID, repositoryNameWithOwner: String, branchName: String }
  input CommitMessage { headline: String!, body: String }
  input FileAddition { path: String!, contents: Base64String! }
  input FileDeletion { path: String! }
  input FileChanges { additions: [FileAddition!] = [], deletions: [FileDeletion!] = [] }
  input CreateCommitOnBranchInput { branch: CommittableBranch!, message: CommitMessage!, fileChanges: FileChanges, expectedHeadOid: GitObjectID!, clientMutationId: String }
  type CreateCommitOnBranchPayload { commit: Commit, ref: Ref, clientMutationId: String }
  input AddReactionInput { subjectId: ID!, content: ReactionContent!, clientMutationId: String }
  type AddReactionPayload { reaction: Reaction, clientMutationId: String }
  input CreateIssueInput { repositoryId: ID!, title: String!, body: String, assigneeIds: [ID!], labelIds: [ID!], milestoneId: ID, projectIds: [ID!], issueTemplate: String, clientMutationId: String }
  type CreateIssuePayload { issue: Issue, clientMutationId: String }
  input CloseIssueInput { issueId: ID!, stateReason: IssueClosedStateReason, clientMutationId: String }
  type CloseIssuePayload { issue: Issue, clientMutationId: String }
  input ReopenIssueInput { issueId: ID!, clientMutationId: String }
  type ReopenIssuePayload { issue: Issue, clientMutationId: String }
  input AddCommentInput { subjectId: ID!, body: String!, clientMutationId: String }
  type AddCommentPayload { commentEdge: IssueCommentEdge, subject: Node, clientMutationId: String }
  input CreatePullRequestInput { repositoryId: ID!, baseRefName: String!, headRefName: String!, headRepositoryId: ID, title: String!, body: String, draft: Boolean = false, maintainerCanModify: Boolean = true, clientMutationId: String }
  type CreatePullRequestPayload { pullRequest: PullRequest, clientMutationId: String }
  input ClosePullRequestInput { pullRequestId: ID!, clientMutationId: String }
  type ClosePullRequestPayload { pullRequest: PullRequest, clientMutationId: String }
  enum PullRequestMergeMethod { MERGE SQUASH REBASE }
  input MergePullRequestInput { pullRequestId: ID!, commitHeadline: String, commitBody: String, expectedHeadOid: GitObjectID, mergeMethod: PullRequestMergeMethod = MERGE, authorEmail: String, clientMutationId: String }
  type MergePullRequestPayload { pullRequest: PullRequest, clientMutationId: String }
  enum PullRequestReviewEvent { COMMENT APPROVE REQUEST_CHANGES DISMISS }
  input AddPullRequestReviewInput { pullRequestId: ID!, commitOID: GitObjectID, body: String, event: PullRequestReviewEvent, clientMutationId: String }
  type AddPullRequestReviewPayload { pullRequestReview: PullRequestReview, clientMutationId: String }
  type Mutation {
    createIssue(input: CreateIssueInput!): CreateIssuePayload
    closeIssue(input: CloseIssueInput!): CloseIssuePayload
    reopenIssue(input: ReopenIssueInput!): ReopenIssuePayload
    addComment(input: AddCommentInput!): AddCommentPayload
    createPullRequest(input: CreatePullRequestInput!): CreatePullRequestPayload
    closePullRequest(input: ClosePullRequestInput!): ClosePullRequestPayload
    mergePullRequest(input: MergePullRequestInput!): MergePullRequestPayload
    addPullRequestReview(input: AddPullRequestReviewInput!): AddPullRequestReviewPayload

    minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
    unminimizeComment(input: UnminimizeCommentInput!): UnminimizeCommentPayload
    updateRefs(input: UpdateRefsInput!): UpdateRefsPayload
    createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
    addReaction(input: AddReactionInput!): AddReactionPayload
  }
`;

export const schemaText = [interfacesAndScalars, repository, git, checks, threads, roots].join('\n');
