/** One comment or review by id, to recheck an approval: REST finds it in any thread, GraphQL has its edit and hidden state. */

import { z } from 'zod';
import type { Surface } from '../domain/actor.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { known, type Observed } from '../domain/values.ts';
import { type GitHubClient, queryGraphql, readIfThere } from './call.ts';
import { type ThreadReading, toCommentFacts } from './thread-comments.ts';
import { AUTHOR, commentSchema } from './thread-schema.ts';

/** `pull`: the pull request of a review; comments name their own thread. */
export type CommentCitation = { readonly surface: Surface; readonly comment: number; readonly pull: number };

/** A review names its pull request, a comment its thread. */
const locatedSchema = z
  .object({
    node_id: z.string(),
    issue_url: z.string().optional(),
    pull_request_url: z.string().optional(),
    state: z.string().optional(),
  })
  .transform(({ node_id: nodeId, issue_url, pull_request_url, state }) => ({
    nodeId,
    thread: Number((issue_url ?? pull_request_url ?? '').split('/').at(-1)),
    dismissed: state === 'DISMISSED',
  }))
  .refine(({ thread }) => Number.isSafeInteger(thread) && thread > 0);

type Located = z.infer<typeof locatedSchema>;

const NODE_QUERY = `query($id: ID!) {
  node(id: $id) {
    id
    ... on Comment {
      body createdAt updatedAt lastEditedAt viewerDidAuthor author ${AUTHOR}
    }
    ... on Minimizable { isMinimized }
    ... on PullRequestReview { commit { oid } }
  }
}`;
const nodeSchema = z.object({ node: commentSchema.omit({ databaseId: true }) });

/** The comment's node and thread when the thread was read. */
export type KnownComment = Pick<CommentFacts, 'nodeId' | 'thread'>;

/** Rereads a comment by node id, otherwise by number. Reviews are always read by number, because the node lacks the dismissed state. */
export async function rereadComment(
  client: GitHubClient,
  citation: CommentCitation,
  shown: KnownComment | undefined,
  reading: ThreadReading,
): Promise<Observed<CommentFacts | null>> {
  if (shown === undefined || citation.surface === 'review') return readByCitation(client, citation, reading);
  const found = await readNode(client, citation, { ...shown, dismissed: false }, reading);
  return found.kind === 'known' ? found : readByCitation(client, citation, reading);
}

/**
 * Null if GitHub has none with that id (404, 410). The caller has read the thread with the same token, so 404 does not mean missing access.
 * A dismissed review counts as hidden.
 */
export async function readByCitation(
  client: GitHubClient,
  citation: CommentCitation,
  reading: ThreadReading,
): Promise<Observed<CommentFacts | null>> {
  const found = await locateComment(client, citation);
  if (found.kind === 'unknown') return found;
  if (found.value === null) return known(null);
  return readNode(client, citation, found.value, reading);
}

async function readNode(
  client: GitHubClient,
  citation: CommentCitation,
  { nodeId, thread, dismissed }: Located,
  reading: ThreadReading,
): Promise<Observed<CommentFacts>> {
  const answer = await queryGraphql(client, { text: NODE_QUERY, schema: nodeSchema }, { id: nodeId });
  if (answer.kind === 'unknown') return answer;
  const { node } = answer.value;
  const written = { ...node, databaseId: citation.comment, isMinimized: node.isMinimized || dismissed };
  return known(toCommentFacts(written, citation.surface, thread, reading));
}

const ROUTES: Readonly<Record<Surface, string>> = {
  comment: 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
  review: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
  'review-comment': 'GET /repos/{owner}/{repo}/pulls/comments/{comment_id}',
};

/** Finds the comment's node by REST, in any thread. */
function locateComment(
  client: GitHubClient,
  { surface, comment, pull }: CommentCitation,
): Promise<Observed<Located | null>> {
  const ids = surface === 'review' ? { pull_number: pull, review_id: comment } : { comment_id: comment };
  return readIfThere(client, ROUTES[surface], locatedSchema, ids);
}
