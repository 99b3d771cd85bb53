/** Reads one thread. */

import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { commentsOf, type Reading } from './thread-comments.ts';
import { THREAD_QUERY, threadSchema } from './thread-schema.ts';

export type Thread = {
  readonly isOpenIssue: boolean;
  readonly isOpenPull: boolean;
  readonly labels: readonly string[];
  readonly comments: readonly CommentFacts[];
};

/** A thread with its comments since an instant (null = all; may include older ones). Unknown if incomplete or missing. */
export async function readThread(
  client: GitHubClient,
  number: number,
  reading: Reading,
  since: Instant | null = null,
): Promise<Observed<Thread>> {
  const variables = { owner: client.owner, repo: client.repo, number };
  const answer = await query(client, THREAD_QUERY, variables, threadSchema);
  if (answer.kind === 'unknown') return answer;
  const thread = answer.value.repository.issueOrPullRequest;
  if (thread === null) return unknown('there is no such thread');
  const comments = await commentsOf(client, { ...thread, number }, since, reading);
  if (comments.kind === 'unknown') return comments;
  return known({
    isOpenIssue: thread.__typename === 'Issue' && thread.state === 'OPEN',
    isOpenPull: thread.__typename === 'PullRequest' && thread.pullState === 'OPEN',
    labels: thread.labels.nodes.map((label) => label.name),
    comments: comments.value,
  });
}
