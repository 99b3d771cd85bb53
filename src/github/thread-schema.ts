/** The GraphQL query for a run's two threads and the shape of its answer (docs.github.com/graphql, PullRequest and Issue). */

import { z } from 'zod';
import { CHECKS_PART, checksSchema } from './checks-schema.ts';

const AUTHOR = '{ __typename login ... on User { databaseId } ... on Bot { databaseId } }';
const WRITTEN = `id databaseId body createdAt updatedAt lastEditedAt viewerDidAuthor author ${AUTHOR}`;
export const COMMENT_FIELDS = `${WRITTEN} isMinimized`;
/** Reviews and their comments: where GitHub lets them be minimised, the answer to it does not need it. */
const REVIEW_FIELDS = WRITTEN;

/** Comments come newest last; 100 is GraphQL's page. */
export const THREADS_QUERY = `query($owner: String!, $repo: String!, $pull: Int!, $issue: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $pull) {
      id number title body state merged createdAt updatedAt author ${AUTHOR}
      headRefName headRefOid baseRefName headRepository { nameWithOwner }
      labels(first: 50) { nodes { name } }
      userContentEdits(first: 20) { nodes { editedAt editor ${AUTHOR} } }
      comments(last: 100) { totalCount nodes { ${COMMENT_FIELDS} } }
      ${CHECKS_PART}
      reviews(last: 50) { nodes { ${REVIEW_FIELDS} comments(first: 20) { nodes { ${REVIEW_FIELDS} } } } }
    }
    issue(number: $issue) {
      id number title body state createdAt updatedAt lastEditedAt
      labels(first: 50) { nodes { name } }
      comments(last: 100) { totalCount nodes { ${COMMENT_FIELDS} } }
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
});

const nodes = <Item extends z.ZodType>(item: Item) => z.object({ nodes: z.array(item) });
const comments = z.object({ totalCount: z.number().int(), nodes: z.array(commentSchema) });
const labels = nodes(z.object({ name: z.string() }));

export const threadsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      id: z.string(),
      number: z.number().int(),
      title: z.string(),
      body: z.string(),
      state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
      merged: z.boolean(),
      author: authorSchema,
      headRefName: z.string(),
      headRefOid: z.string(),
      baseRefName: z.string(),
      headRepository: z.object({ nameWithOwner: z.string() }).nullable(),
      labels,
      userContentEdits: nodes(z.object({ editedAt: z.string(), editor: authorSchema })).nullable(),
      comments,
      commits: checksSchema,
      reviews: nodes(commentSchema.extend({ comments: nodes(commentSchema) })),
    }),
    issue: z.object({
      id: z.string(),
      number: z.number().int(),
      title: z.string(),
      body: z.string(),
      state: z.enum(['OPEN', 'CLOSED']),
      createdAt: z.string(),
      updatedAt: z.string(),
      lastEditedAt: z.string().nullable(),
      labels,
      comments,
    }),
  }),
});

export type ThreadsAnswer = z.infer<typeof threadsSchema>;
export type CommentAnswer = z.infer<typeof commentSchema>;
export type AuthorAnswer = z.infer<typeof authorSchema>;
