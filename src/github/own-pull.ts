/** A pull request as it may become a run, with who labelled it; and those that wait under a label (docs.github.com/graphql, LabeledEvent). */

import { z } from 'zod';
import { branded, isSha } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { OwnPull } from '../domain/own-pull.ts';
import { call, type GitHubClient } from './call.ts';
import { query } from './graphql.ts';
import { actorOf, instantOf, isBot } from './thread-comments.ts';
import { authorSchema } from './thread-schema.ts';

const AUTHOR = '{ __typename login ... on User { databaseId } ... on Bot { databaseId } }';
const QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      number state isDraft body author ${AUTHOR} headRefName headRefOid headRepository { nameWithOwner }
      labels(first: 100) { nodes { name } }
      timelineItems(last: 100, itemTypes: [LABELED_EVENT]) {
        nodes { ... on LabeledEvent { createdAt actor ${AUTHOR} label { name } } }
      }
    }
  }
}`;

const name = z.object({ name: z.string() });
const schema = z.object({
  repository: z.object({
    pullRequest: z
      .object({
        number: z.number().int(),
        state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
        isDraft: z.boolean(),
        body: z.string(),
        author: authorSchema,
        headRefName: z.string(),
        headRefOid: z.string().refine(isSha),
        headRepository: z.object({ nameWithOwner: z.string() }).nullable(),
        labels: z.object({ nodes: z.array(name) }),
        timelineItems: z.object({
          nodes: z.array(z.object({ createdAt: z.string(), actor: authorSchema, label: name })),
        }),
      })
      .nullable(),
  }),
});

/** Null where GitHub has no pull request of this number: it is an issue, or nothing. */
export async function readOwnPull(client: GitHubClient, number: number): Promise<Observed<OwnPull | null>> {
  const variables = { owner: client.owner, repo: client.repo, number };
  const answer = await query(client, QUERY, variables, schema, [
    { path: ['repository', 'pullRequest'], only: 'NOT_FOUND' },
  ]);
  if (answer.kind === 'unknown') return answer;
  const pull = answer.value.repository.pullRequest;
  if (pull === null) return known(null);
  return known({
    number: pull.number,
    isOpen: pull.state === 'OPEN',
    isDraft: pull.isDraft,
    author: actorOf(pull.author),
    authorIsBot: isBot(pull.author),
    body: pull.body,
    headSha: branded(pull.headRefOid, isSha),
    headBranch: pull.headRefName,
    headRepository: pull.headRepository?.nameWithOwner ?? null,
    labels: pull.labels.nodes.map((label) => label.name),
    labelled: pull.timelineItems.nodes.map(({ createdAt, actor, label }) => ({
      label: label.name,
      by: actorOf(actor),
      isBot: isBot(actor),
      at: instantOf(createdAt),
    })),
  });
}

const listSchema = z.array(z.object({ number: z.number().int(), pull_request: z.unknown().optional() }));

/** Open pull requests under a label, oldest first: at most one page of 100. */
export async function listLabelledOpen(
  client: GitHubClient,
  label: string,
): Promise<Observed<readonly number[]>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/issues', {
    labels: label,
    state: 'open',
    sort: 'created',
    direction: 'asc',
    per_page: 100,
  });
  const parsed = outcome.kind === 'answered' ? listSchema.safeParse(outcome.data) : null;
  if (parsed === null || !parsed.success)
    return unknown(`the pull requests labelled ${label} could not be listed`);
  return known(parsed.data.filter((one) => one.pull_request !== undefined).map(({ number }) => number));
}

/** The number, where it is an open issue and no pull request. */
export async function isOpenIssue(client: GitHubClient, number: number): Promise<Observed<boolean>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}', {
    issue_number: number,
  });
  if (outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 410)) return known(false);
  const parsed = outcome.kind === 'answered' ? issueSchema.safeParse(outcome.data) : null;
  if (parsed === null || !parsed.success) return unknown(`#${number} could not be read`);
  return known(parsed.data.state === 'open' && parsed.data.pull_request === undefined);
}

const issueSchema = z.object({ state: z.string(), pull_request: z.unknown().optional() });
