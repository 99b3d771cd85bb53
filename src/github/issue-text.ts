/** An issue's description with its last edit, which REST does not report. */

import { z } from 'zod';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import type { StandingText } from './text-history.ts';
import { instantOf } from './thread-comments.ts';

const ISSUE_TEXT_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { id body createdAt lastEditedAt } }
}`;

const issueTextSchema = z.object({
  repository: z.object({
    issue: z
      .object({
        id: z.string(),
        body: z.string(),
        createdAt: z.string(),
        lastEditedAt: z.string().nullable(),
      })
      .nullable(),
  }),
});

/** Unknown if the issue does not exist or cannot be read. */
export async function readIssueText(client: GitHubClient, number: number): Promise<Observed<StandingText>> {
  const { owner, repo } = client;
  const answer = await query(client, ISSUE_TEXT_QUERY, { owner, repo, number }, issueTextSchema);
  if (answer.kind === 'unknown') return answer;
  const { issue } = answer.value.repository;
  if (issue === null) return unknown('there is no such issue');
  const { id, body, createdAt, lastEditedAt } = issue;
  return known({
    nodeId: id,
    thread: number,
    body,
    createdAt: instantOf(createdAt),
    editedAt: lastEditedAt === null ? null : instantOf(lastEditedAt),
  });
}
