/** A person's pull request or issue with its label events (docs.github.com/graphql, LabeledEvent). */

import { z } from 'zod';
import type { OwnIssue, OwnPull, OwnThread } from '../domain/own-pull.ts';
import { branded, isSha, known, type Observed } from '../domain/values.ts';
import { type GitHubClient, query } from './call.ts';
import { actorOf, instantOf, isBot } from './thread-comments.ts';
import { AUTHOR, authorSchema } from './thread-schema.ts';

const WRITTEN = `number title body author ${AUTHOR} labels(first: 100) { nodes { name } }
      timelineItems(last: 100, itemTypes: [LABELED_EVENT]) {
        nodes { ... on LabeledEvent { createdAt actor ${AUTHOR} label { name } } }
      }`;
/** Issues and pull requests have different state enums, hence the alias. */
const QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issueOrPullRequest(number: $number) {
      ... on Issue { __typename state ${WRITTEN} }
      ... on PullRequest { __typename pullState: state ${WRITTEN}
        isDraft headRefName headRefOid headRepository { nameWithOwner } }
    }
  }
}`;

const name = z.object({ name: z.string() });
const written = {
  number: z.number().int(),
  title: z.string(),
  body: z.string(),
  author: authorSchema,
  labels: z.object({ nodes: z.array(name) }),
  timelineItems: z.object({
    nodes: z.array(z.object({ createdAt: z.string(), actor: authorSchema, label: name })),
  }),
};
const issueSchema = z.object({
  __typename: z.literal('Issue'),
  ...written,
  state: z.enum(['OPEN', 'CLOSED']),
});
const pullSchema = z.object({
  __typename: z.literal('PullRequest'),
  ...written,
  pullState: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  isDraft: z.boolean(),
  headRefName: z.string(),
  headRefOid: z.string().refine(isSha),
  headRepository: z.object({ nameWithOwner: z.string() }).nullable(),
});
const schema = z.object({
  repository: z.object({
    issueOrPullRequest: z.discriminatedUnion('__typename', [issueSchema, pullSchema]).nullable(),
  }),
});

/** Null if the number does not exist. */
export async function readOwnThread(
  client: GitHubClient,
  number: number,
): Promise<Observed<OwnPull | OwnIssue | null>> {
  const variables = { owner: client.owner, repo: client.repo, number };
  const answer = await query(client, QUERY, variables, schema, [
    { path: ['repository', 'issueOrPullRequest'], only: 'NOT_FOUND' },
  ]);
  if (answer.kind === 'unknown') return answer;
  const found = answer.value.repository.issueOrPullRequest;
  if (found === null) return known(null);
  const thread = threadOf(found);
  if (found.__typename === 'Issue')
    return known({ kind: 'issue', ...thread, isOpen: found.state === 'OPEN' });
  return known({
    kind: 'pull',
    ...thread,
    isOpen: found.pullState === 'OPEN',
    isDraft: found.isDraft,
    headSha: branded(found.headRefOid, isSha),
    headBranch: found.headRefName,
    headRepository: found.headRepository?.nameWithOwner ?? null,
  });
}

function threadOf(
  found: z.infer<typeof issueSchema> | z.infer<typeof pullSchema>,
): Omit<OwnThread, 'isOpen'> {
  return {
    number: found.number,
    author: actorOf(found.author),
    authorIsBot: isBot(found.author),
    title: found.title,
    body: found.body,
    labels: found.labels.nodes.map((label) => label.name),
    labelled: found.timelineItems.nodes.map(({ createdAt, actor, label }) => ({
      label: label.name,
      by: actorOf(actor),
      isBot: isBot(actor),
      at: instantOf(createdAt),
    })),
  };
}
