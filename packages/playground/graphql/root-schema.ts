/** The root of GitHub's GraphQL schema: queries, and mutations with their inputs. */

export const rootSchema = /* GraphQL */ `
  type RateLimit { cost: Int!, limit: Int!, remaining: Int!, resetAt: DateTime!, used: Int! }
  type Query {
    viewer: User!
    rateLimit: RateLimit
    repository(owner: String!, name: String!): Repository
    user(login: String!): User
    organization(login: String!): Organization
    repositoryOwner(login: String!): RepositoryOwner
    search(first: Int, last: Int, after: String, before: String, query: String!, type: SearchType!): SearchResultItemConnection!
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
  enum PullRequestUpdateState { CLOSED OPEN }
  input UpdateIssueInput { id: ID!, title: String, body: String, state: IssueState, assigneeIds: [ID!], labelIds: [ID!], milestoneId: ID, clientMutationId: String }
  type UpdateIssuePayload { issue: Issue, clientMutationId: String }
  input UpdatePullRequestInput { pullRequestId: ID!, title: String, body: String, state: PullRequestUpdateState, baseRefName: String, assigneeIds: [ID!], labelIds: [ID!], milestoneId: ID, clientMutationId: String }
  type UpdatePullRequestPayload { pullRequest: PullRequest, clientMutationId: String }
  input AddLabelsToLabelableInput { labelableId: ID!, labelIds: [ID!]!, clientMutationId: String }
  type AddLabelsToLabelablePayload { labelable: Labelable, clientMutationId: String }
  input RemoveLabelsFromLabelableInput { labelableId: ID!, labelIds: [ID!]!, clientMutationId: String }
  type RemoveLabelsFromLabelablePayload { labelable: Labelable, clientMutationId: String }
  input RequestReviewsInput { pullRequestId: ID!, userIds: [ID!], teamIds: [ID!], union: Boolean = false, clientMutationId: String }
  type RequestReviewsPayload { pullRequest: PullRequest, clientMutationId: String }
  input LockLockableInput { lockableId: ID!, lockReason: LockReason, clientMutationId: String }
  type LockLockablePayload { lockedRecord: Lockable, clientMutationId: String }
  input UnlockLockableInput { lockableId: ID!, clientMutationId: String }
  type UnlockLockablePayload { unlockedRecord: Lockable, clientMutationId: String }
  input ReopenPullRequestInput { pullRequestId: ID!, clientMutationId: String }
  type ReopenPullRequestPayload { pullRequest: PullRequest, clientMutationId: String }
  input PinIssueInput { issueId: ID!, clientMutationId: String }
  type PinIssuePayload { issue: Issue, clientMutationId: String }
  input UnpinIssueInput { issueId: ID!, clientMutationId: String }
  type UnpinIssuePayload { id: ID, issue: Issue, clientMutationId: String }
  type Mutation {
    pinIssue(input: PinIssueInput!): PinIssuePayload
    unpinIssue(input: UnpinIssueInput!): UnpinIssuePayload
    updateIssue(input: UpdateIssueInput!): UpdateIssuePayload
    updatePullRequest(input: UpdatePullRequestInput!): UpdatePullRequestPayload
    addLabelsToLabelable(input: AddLabelsToLabelableInput!): AddLabelsToLabelablePayload
    removeLabelsFromLabelable(input: RemoveLabelsFromLabelableInput!): RemoveLabelsFromLabelablePayload
    requestReviews(input: RequestReviewsInput!): RequestReviewsPayload
    lockLockable(input: LockLockableInput!): LockLockablePayload
    unlockLockable(input: UnlockLockableInput!): UnlockLockablePayload
    reopenPullRequest(input: ReopenPullRequestInput!): ReopenPullRequestPayload
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
