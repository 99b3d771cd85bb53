/** One thread by its number, issue or pull request: labels and the newest comments. */

import { z } from 'zod';
import type { CommentFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { COMMENT_FIELDS, commentSchema } from './thread-schema.ts';
import { commentOf, type Reading } from './threads.ts';

const PARTS = `labels(first: 50) { nodes { name } } comments(last: 100) { nodes { ${COMMENT_FIELDS} } }`;
const THREAD_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issueOrPullRequest(number: $number) { ... on Issue { ${PARTS} } ... on PullRequest { ${PARTS} } }
  }
}`;

const schema = z.object({
  repository: z.object({
    issueOrPullRequest: z
      .object({
        labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
        comments: z.object({ nodes: z.array(commentSchema) }),
      })
      .nullable(),
  }),
});

export type Thread = { readonly labels: readonly string[]; readonly comments: readonly CommentFacts[] };

/** The thread, or unknown where GitHub does not tell, or has none of that number. */
export async function readThread(
  client: GitHubClient,
  number: number,
  reading: Reading,
): Promise<Observed<Thread>> {
  const answer = await query(
    client,
    THREAD_QUERY,
    { owner: client.owner, repo: client.repo, number },
    schema,
  );
  if (answer.kind === 'unknown') return answer;
  const thread = answer.value.repository.issueOrPullRequest;
  if (thread === null) return unknown('there is no such thread');
  return known({
    labels: thread.labels.nodes.map((label) => label.name),
    comments: thread.comments.nodes.map((c) => commentOf(c, 'comment', number, reading)),
  });
}
