/** The part of GitHub's GraphQL schema for deployments, releases, milestones, and search. */

export const worksSchema = /* GraphQL */ `
  enum MilestoneState { CLOSED OPEN }
  enum MilestoneOrderField { CREATED_AT DUE_DATE NUMBER UPDATED_AT }
  input MilestoneOrder { direction: OrderDirection!, field: MilestoneOrderField! }
  type Milestone implements Node {
    id: ID!, number: Int!, title: String!, description: String, dueOn: DateTime, url: URI!, state: MilestoneState!, creator: Actor
    createdAt: DateTime!, updatedAt: DateTime!, closedAt: DateTime
  }
  type MilestoneConnection { totalCount: Int!, nodes: [Milestone], pageInfo: PageInfo! }
  enum DeploymentState { ABANDONED ACTIVE DESTROYED ERROR FAILURE INACTIVE IN_PROGRESS PENDING QUEUED SUCCESS WAITING }
  enum DeploymentOrderField { CREATED_AT }
  input DeploymentOrder { direction: OrderDirection!, field: DeploymentOrderField! }
  type Deployment implements Node {
    id: ID!, databaseId: Int, createdAt: DateTime!, updatedAt: DateTime!, environment: String, payload: String, state: DeploymentState
    commit: Commit, commitOid: String!, ref: Ref, task: String, creator: Actor!, description: String
  }
  type DeploymentConnection { totalCount: Int!, nodes: [Deployment], pageInfo: PageInfo! }
  enum ReleaseOrderField { CREATED_AT NAME }
  input ReleaseOrder { direction: OrderDirection!, field: ReleaseOrderField! }
  type Release implements Node {
    id: ID!, databaseId: Int, name: String, tagName: String!, url: URI!, isDraft: Boolean!, isPrerelease: Boolean!, isLatest: Boolean!
    createdAt: DateTime!, updatedAt: DateTime!, publishedAt: DateTime, description: String, tagCommit: Commit, tag: Ref, author: User
  }
  type ReleaseConnection { totalCount: Int!, nodes: [Release], pageInfo: PageInfo! }
  enum SearchType { DISCUSSION ISSUE REPOSITORY USER }
  union SearchResultItem = Issue | PullRequest
  type SearchResultItemEdge { cursor: String!, node: SearchResultItem }
  type SearchResultItemConnection { issueCount: Int!, nodes: [SearchResultItem], edges: [SearchResultItemEdge], pageInfo: PageInfo! }
`;
