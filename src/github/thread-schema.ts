/** GraphQL queries for threads and their schemas (docs.github.com/graphql, PullRequest and Issue). */

import { z } from 'zod';
import { CHECKS_PART, COMMIT_CHECKS_PART, checksSchema, commitChecksSchema } from './check-run.ts';

export const PAGE_INFO = 'pageInfo { hasPreviousPage startCursor hasNextPage endCursor }';

export const pageInfoSchema = z.object({
  hasPreviousPage: z.boolean(),
  startCursor: z.string().nullable(),
  hasNextPage: z.boolean(),
  endCursor: z.string().nullable(),
});

/** `field` of a node with one of `types`. */
export type Connection<Node extends z.ZodType> = {
  readonly types: readonly string[];
  readonly field: string;
  readonly selection: string;
  readonly node: Node;
  /** Threads list oldest first and are read backwards; edits list newest first. */
  readonly newestFirst?: true;
};

export const AUTHOR = '{ __typename login ... on User { databaseId } ... on Bot { databaseId } }';
const WRITTEN = `id databaseId body createdAt updatedAt lastEditedAt viewerDidAuthor author ${AUTHOR}`;
const COMMENT_FIELDS = `${WRITTEN} isMinimized`;
const LINE_COMMENTS = `comments(last: 20) { nodes { ${COMMENT_FIELDS} } ${PAGE_INFO} }`;
const REVIEW_FIELDS = `${WRITTEN} state submittedAt commit { oid } ${LINE_COMMENTS}`;
/** `diff` is the whole text after the edit. */
const EDIT_FIELDS = `editedAt deletedAt editor ${AUTHOR} diff`;
const EDITS = `includesCreatedEdit userContentEdits(first: 20) { nodes { ${EDIT_FIELDS} } ${PAGE_INFO} }`;
const COMMENTS = `comments(last: 100) { nodes { ${COMMENT_FIELDS} } ${PAGE_INFO} }`;
const REVIEWS = `reviews(last: 50) { nodes { ${REVIEW_FIELDS} } ${PAGE_INFO} }`;
const LABELS = 'labels(first: 100) { nodes { name } }';
const ISSUE = `issue(number: $issue) { id number title body state createdAt updatedAt lastEditedAt author ${AUTHOR}
      ${LABELS} ${COMMENTS} ${EDITS} }`;

/** A run's two threads, newest page; older pages are read on demand. */
export const THREADS_QUERY = `query($owner: String!, $repo: String!, $pull: Int!, $issue: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $pull) {
      id number title body state merged isDraft createdAt updatedAt author ${AUTHOR}
      headRefName headRefOid baseRefName headRepository { nameWithOwner }
      ${LABELS} ${COMMENTS} ${REVIEWS}
      ${CHECKS_PART}
      ${EDITS}
    }
    ${ISSUE}
  }
}`;

/** An issue with a commit (`head`: a ref or an id). The checks' own alias lets a token without access to checks read the commit. */
export const ISSUE_FIRST_QUERY = `query($owner: String!, $repo: String!, $issue: Int!, $head: String!) {
  repository(owner: $owner, name: $repo) {
    nameWithOwner
    ${ISSUE}
    target: object(expression: $head) { oid }
    checked: object(expression: $head) { oid ... on Commit { ${COMMIT_CHECKS_PART} } }
  }
}`;

/** Only pull requests have reviews. */
export const THREAD_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issueOrPullRequest(number: $number) {
      ... on Issue { __typename id state ${LABELS} ${COMMENTS} }
      ... on PullRequest { __typename id pullState: state ${LABELS} ${COMMENTS} ${REVIEWS} }
    }
  }
}`;

export const authorSchema = z
  .object({ __typename: z.string(), login: z.string(), databaseId: z.number().int().nullish() })
  .nullable();

export const commentSchema = z.object({
  id: z.string(),
  databaseId: z.number().int(),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastEditedAt: z.string().nullable(),
  isMinimized: z.boolean().default(false),
  viewerDidAuthor: z.boolean(),
  author: authorSchema,
  /** Only for reviews; null if GitHub lost the commit. */
  commit: z.object({ oid: z.string() }).nullish(),
});

const nodes = <Item extends z.ZodType>(item: Item) => z.object({ nodes: z.array(item) });
const pages = <Item extends z.ZodType>(item: Item) => z.object({ nodes: z.array(item), pageInfo: pageInfoSchema });
const labels = nodes(z.object({ name: z.string() }));
const editSchema = z.object({
  editedAt: z.string(),
  deletedAt: z.string().nullable(),
  editor: authorSchema,
  diff: z.string().nullable(),
});
/** `includesCreatedEdit`: the list ends with the original text. */
const edited = {
  body: z.string(),
  author: authorSchema,
  includesCreatedEdit: z.boolean(),
  userContentEdits: pages(editSchema).nullable(),
};

/** `submittedAt` null = a private draft. */
export const reviewSchema = commentSchema.extend({
  submittedAt: z.string().nullable(),
  state: z.string(),
  comments: pages(commentSchema),
});

const text = {
  id: z.string(),
  number: z.number().int(),
  title: z.string(),
  ...edited,
  labels,
  comments: pages(commentSchema),
};
const issueSchema = z.object({
  ...text,
  state: z.enum(['OPEN', 'CLOSED']),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastEditedAt: z.string().nullable(),
});

export const threadsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      ...text,
      state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
      merged: z.boolean(),
      isDraft: z.boolean(),
      headRefName: z.string(),
      headRefOid: z.string(),
      baseRefName: z.string(),
      headRepository: z.object({ nameWithOwner: z.string() }).nullable(),
      commits: checksSchema,
      reviews: pages(reviewSchema),
    }),
    /** Null if the issue no longer exists. */
    issue: issueSchema.nullable(),
  }),
});

/** `target` null: no such branch or commit. `checked` null: also without access to checks. */
export const issueFirstSchema = z.object({
  repository: z.object({
    nameWithOwner: z.string(),
    issue: issueSchema,
    target: z.object({ oid: z.string() }).nullable(),
    checked: commitChecksSchema.nullable(),
  }),
});

export const threadSchema = z.object({
  repository: z.object({
    issueOrPullRequest: z
      .object({
        __typename: z.string(),
        id: z.string(),
        state: z.string().optional(),
        pullState: z.string().optional(),
        labels,
        comments: pages(commentSchema),
        reviews: pages(reviewSchema).optional(),
      })
      .nullable(),
  }),
});

export const COMMENTS_CONNECTION: Connection<typeof commentSchema> = {
  types: ['Issue', 'PullRequest'],
  field: 'comments',
  selection: COMMENT_FIELDS,
  node: commentSchema,
};

export const REVIEWS_CONNECTION: Connection<typeof reviewSchema> = {
  types: ['PullRequest'],
  field: 'reviews',
  selection: REVIEW_FIELDS,
  node: reviewSchema,
};

export const LINE_COMMENTS_CONNECTION: Connection<typeof commentSchema> = {
  types: ['PullRequestReview'],
  field: 'comments',
  selection: COMMENT_FIELDS,
  node: commentSchema,
};

export const EDITS_CONNECTION: Connection<typeof editSchema> = {
  types: ['Issue', 'PullRequest', 'IssueComment'],
  field: 'userContentEdits',
  selection: EDIT_FIELDS,
  node: editSchema,
  newestFirst: true,
};

export type ThreadsAnswer = z.infer<typeof threadsSchema>;
export type IssueAnswer = z.infer<typeof issueSchema>;
export type AuthorAnswer = z.infer<typeof authorSchema>;
