/**
 * Reads who pushed to a branch (repository activity), and which accounts its commits are linked to (comparison with the target branch;
 * GitHub REST, repos and commits).
 */

import { z } from 'zod';
import type { BranchPush, BranchWork, Contributor, OwnIssue, OwnPull, OwnThread } from '../domain/actor.ts';
import { limits } from '../domain/limits.ts';
import { brandAs, isSha, known, type Observed, type Sha, unknown } from '../domain/values.ts';
import { call, type GitHubClient, PAGE_ROWS, queryGraphql, readRoute } from './call.ts';
import { isBot, parseInstant, toActor } from './thread-comments.ts';
import { AUTHOR, authorSchema } from './thread-schema.ts';

/** GitHub sends `{}` for an account it no longer knows. */
const accountSchema = z
  .object({ id: z.number().int(), login: z.string(), type: z.string() })
  .or(z.object({}).transform(() => null))
  .nullish();
const activitySchema = z.array(
  z.object({ before: z.string(), after: z.string(), activity_type: z.string(), actor: accountSchema }),
);
const signatureSchema = z.object({ email: z.string().nullish() }).nullable();
const comparisonSchema = z.object({
  total_commits: z.number().int(),
  commits: z.array(
    z.object({
      sha: z.string(),
      author: accountSchema,
      committer: accountSchema,
      commit: z.object({ author: signatureSchema, committer: signatureSchema }),
    }),
  ),
});

/** `base`: start of the change; `own`: the bot's pushed commit, or null. */
export type BranchQuery = { readonly branch: string; readonly base: Sha; readonly head: Sha; readonly own: Sha | null };

/** Every push since the bot's own, and every commit between base and head. */
export async function readBranchWork(
  client: GitHubClient,
  { branch, base, head, own }: BranchQuery,
): Promise<Observed<BranchWork>> {
  const pushes = await readPushes(client, branch, head, own);
  if (pushes.kind === 'unknown') return pushes;
  const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  const compared = await readRoute(client, route, comparisonSchema, { basehead: `${base}...${head}` });
  if (compared.kind === 'unknown') return compared;
  const { commits, total_commits } = compared.value;
  return known({
    commits: commits.map(({ sha, author, committer, commit }) => ({
      sha: brandAs(sha, isSha),
      author: toContributor(author),
      authorEmail: commit.author?.email ?? '',
      committer: toContributor(committer),
      committerEmail: commit.committer?.email ?? '',
    })),
    pushes: pushes.value.pushes,
    isWhole: pushes.value.isWhole && total_commits <= commits.length,
  });
}

type Moves = { readonly moves: z.infer<typeof activitySchema>; readonly next: string | null };

/** Newest first. `next`: cursor of the page with older pushes, or null. */
async function readBranchMoves(client: GitHubClient, branch: string, after: string | null): Promise<Observed<Moves>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/activity', {
    ref: `refs/heads/${branch}`,
    per_page: PAGE_ROWS,
    ...(after === null ? {} : { after }),
  });
  if (outcome.kind !== 'answered') return unknown(`GitHub does not list the moves of ${branch}: ${outcome.message}`);
  const parsed = activitySchema.safeParse(outcome.data);
  if (!parsed.success) return unknown(`GitHub lists the moves of ${branch} in another shape`);
  return known({ moves: parsed.data, next: nextCursor(String(outcome.headers['link'] ?? '')) });
}

/** The activity API pages by a cursor in the link header. */
function nextCursor(link: string): string | null {
  const next = link.split(',').find((part) => part.includes('rel="next"')) ?? '';
  const address = next.slice(next.indexOf('<') + 1, next.indexOf('>'));
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('after');
}

/** Commits that the branch pointed to during its newest `limits.branchMovesRead` pushes. Stops at the page that contains `wanted`. */
export async function readPreviousTips(
  client: GitHubClient,
  branch: string,
  wanted: Sha,
): Promise<Observed<ReadonlySet<string>>> {
  const tips = new Set<string>();
  let after: string | null = null;
  for (let read = 0; read < limits.branchMovesRead; read += PAGE_ROWS) {
    const page: Observed<Moves> = await readBranchMoves(client, branch, after);
    if (page.kind === 'unknown') return page;
    for (const move of page.value.moves) tips.add(move.before).add(move.after);
    after = page.value.next;
    if (tips.has(wanted) || after === null) break;
  }
  return known(tips);
}

type Pushes = Pick<BranchWork, 'pushes' | 'isWhole'>;

/** Newest first, back to the bot's push or the branch's creation, without gaps. */
async function readPushes(client: GitHubClient, branch: string, head: Sha, own: Sha | null): Promise<Observed<Pushes>> {
  const page = await readBranchMoves(client, branch, null);
  if (page.kind === 'unknown') return page;
  const { moves } = page.value;
  const pushes: BranchPush[] = [];
  let wanted: string = head;
  for (const { before, after, activity_type: kind, actor } of moves) {
    // A deletion does not change who pushed the commit.
    if (kind === 'branch_deletion' && before === wanted) continue;
    if (after !== wanted) return unknown(`GitHub does not tell yet who pushed ${wanted.slice(0, 12)}`);
    wanted = before;
    if (kind !== 'branch_deletion') pushes.push({ by: toContributor(actor), after: brandAs(after, isSha) });
    if (after === own || (own === null && kind === 'branch_creation')) return known({ pushes, isWhole: true });
  }
  if (page.value.next !== null) return known({ pushes, isWhole: false });
  // Without a push by the bot, all pushes are foreign.
  return moves.at(-1)?.activity_type === 'branch_creation'
    ? known({ pushes, isWhole: true })
    : unknown(`GitHub does not tell who began the branch ${branch}`);
}

/** GitHub lists its own `web-flow` account as a person, but it identifies no person. */
function toContributor(account: z.infer<typeof accountSchema>): Contributor {
  if (account === null || account === undefined) return { kind: 'unnamed' };
  const { id, login, type } = account;
  if (type === 'User' && login !== 'web-flow') return { kind: 'person', actor: { id, login } };
  return { kind: 'app', login: login.replace(/\[bot\]$/, '') };
}

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
  timelineItems: z.object({ nodes: z.array(z.object({ createdAt: z.string(), actor: authorSchema, label: name })) }),
};
const issueSchema = z.object({ __typename: z.literal('Issue'), ...written, state: z.enum(['OPEN', 'CLOSED']) });
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
  const optional = [{ path: ['repository', 'issueOrPullRequest'], only: 'NOT_FOUND' as const }];
  const answer = await queryGraphql(client, { text: QUERY, schema, optional }, variables);
  if (answer.kind === 'unknown') return answer;
  const found = answer.value.repository.issueOrPullRequest;
  if (found === null) return known(null);
  const thread = toThread(found);
  if (found.__typename === 'Issue') return known({ kind: 'issue', ...thread, isOpen: found.state === 'OPEN' });
  return known({
    kind: 'pull',
    ...thread,
    isOpen: found.pullState === 'OPEN',
    isDraft: found.isDraft,
    headSha: brandAs(found.headRefOid, isSha),
    headBranch: found.headRefName,
    headRepository: found.headRepository?.nameWithOwner ?? null,
  });
}

function toThread(found: z.infer<typeof issueSchema> | z.infer<typeof pullSchema>): Omit<OwnThread, 'isOpen'> {
  return {
    number: found.number,
    author: toActor(found.author),
    authorIsBot: isBot(found.author),
    title: found.title,
    body: found.body,
    labels: found.labels.nodes.map((label) => label.name),
    labelled: found.timelineItems.nodes.map(({ createdAt, actor, label }) => ({
      label: label.name,
      by: toActor(actor),
      isBot: isBot(actor),
      at: parseInstant(createdAt),
    })),
  };
}
