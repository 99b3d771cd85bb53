/** The part of GitHub's GraphQL schema that the playground serves (docs.github.com/graphql/reference), by its own names. */

const interfacesAndScalars = /* GraphQL */ `
  scalar DateTime
  scalar URI
  scalar GitObjectID
  scalar Base64String
  interface Node { id: ID! }
  interface Actor { login: String!, url: URI!, avatarUrl(size: Int): URI! }
  type User implements Node & Actor { id: ID!, databaseId: Int, login: String!, name: String, email: String, url: URI!, avatarUrl(size: Int): URI! }
  type Bot implements Node & Actor { id: ID!, databaseId: Int, login: String!, url: URI!, avatarUrl(size: Int): URI! }
  type Organization implements Node & Actor { id: ID!, databaseId: Int, login: String!, name: String, url: URI!, avatarUrl(size: Int): URI! }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  enum OrderDirection { ASC DESC }
`;

const repository = /* GraphQL */ `
  enum RepositoryPermission { ADMIN MAINTAIN WRITE TRIAGE READ }
  type Repository implements Node {
    id: ID!, databaseId: Int, name: String!, nameWithOwner: String!, url: URI!, isPrivate: Boolean!, isFork: Boolean!
    owner: Actor!, viewerPermission: RepositoryPermission, defaultBranchRef: Ref
    ref(qualifiedName: String!): Ref
    refs(refPrefix: String!, first: Int, last: Int, after: String, before: String): RefConnection
    object(expression: String, oid: GitObjectID): GitObject
    issue(number: Int!): Issue
    pullRequest(number: Int!): PullRequest
    issueOrPullRequest(number: Int!): IssueOrPullRequest
    issues(first: Int, last: Int, after: String, before: String, states: [IssueState!], labels: [String!]): IssueConnection!
    pullRequests(first: Int, last: Int, after: String, before: String, states: [PullRequestState!], headRefName: String, baseRefName: String): PullRequestConnection!
    labels(first: Int, last: Int, after: String, before: String): LabelConnection
    collaborators(first: Int, last: Int, after: String, before: String): CollaboratorConnection
  }
  type CollaboratorConnection { totalCount: Int!, nodes: [User], edges: [CollaboratorEdge], pageInfo: PageInfo! }
  type CollaboratorEdge { cursor: String!, permission: RepositoryPermission!, node: User! }
  union IssueOrPullRequest = Issue | PullRequest
  type Label implements Node { id: ID!, name: String!, color: String!, description: String }
  type LabelConnection { totalCount: Int!, nodes: [Label], pageInfo: PageInfo! }
`;

const git = /* GraphQL */ `
  interface GitObject { id: ID!, oid: GitObjectID! }
  type GitActor { name: String, email: String, date: DateTime, user: User }
  type Commit implements Node & GitObject {
    id: ID!, oid: GitObjectID!, message: String!, messageHeadline: String!, messageBody: String!, url: URI!
    authoredDate: DateTime!, committedDate: DateTime!, author: GitActor, committer: GitActor, tree: Tree!
    parents(first: Int, last: Int, after: String, before: String): CommitConnection!
    history(first: Int, last: Int, after: String, before: String, path: String): CommitConnection!
    checkSuites(first: Int, last: Int, after: String, before: String): CheckSuiteConnection, status: Status
  }
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
    id: ID!, databaseId: Int, name: String!, status: CheckStatusState!, conclusion: CheckConclusionState, startedAt: DateTime, completedAt: DateTime
  }
  type CheckRunConnection { totalCount: Int!, nodes: [CheckRun], pageInfo: PageInfo! }
  type CheckSuite implements Node {
    id: ID!, databaseId: Int, status: CheckStatusState!, conclusion: CheckConclusionState, createdAt: DateTime!, app: App, workflowRun: WorkflowRun
    checkRuns(first: Int, last: Int, after: String, before: String, filterBy: CheckRunFilter): CheckRunConnection
  }
  type CheckSuiteConnection { totalCount: Int!, nodes: [CheckSuite], pageInfo: PageInfo! }
  type StatusContext implements Node { id: ID!, context: String!, state: StatusState!, description: String, targetUrl: URI }
  type Status implements Node { id: ID!, state: StatusState!, contexts: [StatusContext!]! }
`;

const threads = /* GraphQL */ `
  enum IssueState { OPEN CLOSED }
  enum PullRequestState { OPEN CLOSED MERGED }
  enum PullRequestReviewState { PENDING COMMENTED APPROVED CHANGES_REQUESTED DISMISSED }
  enum MergeableState { MERGEABLE CONFLICTING UNKNOWN }
  enum CommentAuthorAssociation { OWNER COLLABORATOR MEMBER CONTRIBUTOR FIRST_TIME_CONTRIBUTOR FIRST_TIMER MANNEQUIN NONE }
  enum ReactionContent { THUMBS_UP THUMBS_DOWN LAUGH HOORAY CONFUSED HEART ROCKET EYES }
  enum ReportedContentClassifiers { ABUSE DUPLICATE LOW_QUALITY OFF_TOPIC OUTDATED RESOLVED SPAM }
  type UserContentEdit implements Node { id: ID!, createdAt: DateTime!, editedAt: DateTime!, updatedAt: DateTime!, editor: Actor, diff: String, deletedAt: DateTime }
  type UserContentEditConnection { totalCount: Int!, nodes: [UserContentEdit], pageInfo: PageInfo! }
  type ReactorConnection { totalCount: Int!, nodes: [Actor] }
  type ReactionGroup { content: ReactionContent!, createdAt: DateTime, viewerHasReacted: Boolean!, reactors(first: Int): ReactorConnection!, users(first: Int): ReactorConnection! }
  type Reaction implements Node { id: ID!, databaseId: Int, content: ReactionContent!, createdAt: DateTime!, user: Actor }
  interface Comment {
    id: ID!, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!, updatedAt: DateTime!
    lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
  }
  interface Minimizable { isMinimized: Boolean!, minimizedReason: String, viewerCanMinimize: Boolean! }
  type IssueComment implements Node & Comment & Minimizable {
    id: ID!, databaseId: Int, fullDatabaseId: String, body: String!, bodyText: String!, author: Actor, authorAssociation: CommentAuthorAssociation!, createdAt: DateTime!
    updatedAt: DateTime!, lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    isMinimized: Boolean!, minimizedReason: String, viewerCanMinimize: Boolean!, url: URI!, reactionGroups: [ReactionGroup!], issue: Issue!, pullRequest: PullRequest
  }
  type IssueCommentConnection { totalCount: Int!, nodes: [IssueComment], edges: [IssueCommentEdge], pageInfo: PageInfo! }
  type IssueCommentEdge { cursor: String!, node: IssueComment }
  type Issue implements Node & Comment {
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
    lastEditedAt: DateTime, editor: Actor, includesCreatedEdit: Boolean!, viewerDidAuthor: Boolean!, state: PullRequestReviewState!, submittedAt: DateTime, url: URI!, commit: Commit
    userContentEdits(first: Int, last: Int, after: String, before: String): UserContentEditConnection
    comments(first: Int, last: Int, after: String, before: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewConnection { totalCount: Int!, nodes: [PullRequestReview], pageInfo: PageInfo! }
  type PullRequestCommit { id: ID!, commit: Commit! }
  type PullRequestCommitConnection { totalCount: Int!, nodes: [PullRequestCommit], pageInfo: PageInfo! }
  enum PatchStatus { ADDED DELETED RENAMED COPIED MODIFIED CHANGED }
  type PullRequestChangedFile { path: String!, additions: Int!, deletions: Int!, changeType: PatchStatus! }
  type PullRequestChangedFileConnection { totalCount: Int!, nodes: [PullRequestChangedFile], pageInfo: PageInfo! }
  type PullRequest implements Node & Comment {
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
    viewer: Actor!
    rateLimit: RateLimit
    repository(owner: String!, name: String!): Repository
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
  }
  input MinimizeCommentInput { subjectId: ID!, classifier: ReportedContentClassifiers!, clientMutationId: String }
  input UnminimizeCommentInput { subjectId: ID!, clientMutationId: String }
  type MinimizePayload { minimizedComment: Minimizable, clientMutationId: String }
  input RefUpdate { name: String!, afterOid: GitObjectID!, beforeOid: GitObjectID, force: Boolean = false }
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
  type Mutation {
    minimizeComment(input: MinimizeCommentInput!): MinimizePayload
    unminimizeComment(input: UnminimizeCommentInput!): MinimizePayload
    updateRefs(input: UpdateRefsInput!): UpdateRefsPayload
    createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
    addReaction(input: AddReactionInput!): AddReactionPayload
  }
`;

export const schemaText = [interfacesAndScalars, repository, git, checks, threads, roots].join('\n');
