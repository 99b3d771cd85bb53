/** Every text that a comment has had: who may write may edit anybody's comment, and put the old text back. */

import { z } from 'zod';
import type { CardVersion, CommentFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { instantOf, type Reading } from './thread-comments.ts';

/** A page of GraphQL; a card is edited a few times before its launch. */
const VERSIONS = 100;

const HISTORY_QUERY = `query($id: ID!) {
  node(id: $id) {
    ... on IssueComment {
      userContentEdits(first: ${VERSIONS}) { nodes { editedAt deletedAt diff } pageInfo { hasNextPage } }
    }
  }
}`;

const historySchema = z.object({
  node: z.object({
    userContentEdits: z
      .object({
        nodes: z.array(
          z.object({ editedAt: z.string(), deletedAt: z.string().nullable(), diff: z.string().nullable() }),
        ),
        pageInfo: z.object({ hasNextPage: z.boolean() }),
      })
      .nullable(),
  }),
});

/** The comment's texts, newest first (`diff` is the whole text, docs/decisions/0032-what-was-shown.md). Unknown where GitHub has more than a page. */
export async function readHistory(
  client: GitHubClient,
  { nodeId, thread }: CommentFacts,
  { markerOf }: Reading,
): Promise<Observed<readonly CardVersion[]>> {
  const answer = await query(client, HISTORY_QUERY, { id: nodeId }, historySchema);
  if (answer.kind === 'unknown') return answer;
  const edits = answer.value.node.userContentEdits;
  if (edits === null || edits.pageInfo.hasNextPage) return unknown('the edit history is not told as a whole');
  return known(
    edits.nodes.map(({ editedAt, deletedAt, diff }) => ({
      editedAt: instantOf(editedAt),
      isDeleted: deletedAt !== null || diff === null,
      marker: diff === null ? null : markerOf(thread, diff),
    })),
  );
}
