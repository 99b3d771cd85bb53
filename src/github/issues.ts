/** Issues and pull requests: open or adopt, edit, assign, list and merge. */

import { z } from 'zod';
import type { Actor } from '../domain/actor.ts';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import { type Digest, type Instant, known, type Observed, toRfc3339 } from '../domain/values.ts';
import {
  call,
  type GitHubClient,
  PAGE_ROWS,
  queryGraphql,
  readPages,
  readRoute,
  toEffectOutcome,
  toRefusalOutcome,
} from './call.ts';

const bodySchema = z.object({ body: z.string().nullish() });
const threadSchema = z
  .object({
    number: z.number().int(),
    title: z.string(),
    body: z.string().nullish(),
    updated_at: z.string(),
    state: z.string(),
    labels: z.array(z.object({ name: z.string() })),
    pull_request: z.unknown().optional(),
    user: z.object({ type: z.string() }).nullish(),
  })
  .transform(({ number, title, body, updated_at, state, labels, pull_request, user }) => ({
    number,
    title,
    body: body ?? '',
    updatedAtMs: Date.parse(updated_at),
    isOpen: state === 'open',
    isPull: pull_request != null,
    isByBot: user?.type === 'Bot',
    labels: labels.map(({ name }) => name),
  }));

/** An issue or a pull request in a list. */
export type ListedThread = z.infer<typeof threadSchema>;

const ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const ISSUES = 'GET /repos/{owner}/{repo}/issues';

/** At most one page. */
function listPage(
  client: GitHubClient,
  filter: Readonly<Record<string, string>>,
): Promise<Observed<readonly ListedThread[]>> {
  return readRoute(client, ISSUES, z.array(threadSchema), { state: 'all', ...filter, per_page: PAGE_ROWS });
}

const NEWEST_FIRST = { sort: 'created', direction: 'desc' } as const;

/** Threads that changed recently, the newest change first. `isWhole` is false beyond `pagesMax` pages. */
export async function listUpdatedThreads(
  client: GitHubClient,
  since: Instant,
  pagesMax: number,
): Promise<Observed<{ readonly moved: readonly ListedThread[]; readonly isWhole: boolean }>> {
  const order = { state: 'all', sort: 'updated', direction: 'desc', since: toRfc3339(since), pagesMax };
  const read = await readPages(client, ISSUES, threadSchema, order);
  if (read.kind === 'unknown') return read;
  const { rows, isWhole } = read.value;
  // A thread that changes between two pages is listed twice, the newer version first.
  const moved = new Map(rows.toReversed().map((row) => [row.number, row]));
  return known({ moved: [...moved.values()].toReversed(), isWhole });
}

/** Open threads with the label, oldest first. */
export function listLabelledOpen(client: GitHubClient, label: string): Promise<Observed<readonly ListedThread[]>> {
  return listPage(client, { labels: label, state: 'open', sort: 'created', direction: 'asc' });
}

/** Experiment issues updated since an instant (policy DF-08). */
export async function listExperimentIssues(
  client: GitHubClient,
  sinceRfc3339: string,
): Promise<Observed<readonly ListedThread[]>> {
  // rule DF-08
  const listed = await listPage(client, { labels: 'experiment', since: sinceRfc3339 });
  return listed.kind === 'unknown' ? listed : known(listed.value.filter(({ isPull }) => !isPull));
}

/** The newest bot pull requests with this label. */
export async function listLabelledPulls(
  client: GitHubClient,
  label: string,
  limit: number,
): Promise<Observed<readonly number[]>> {
  const listed = await listPage(client, { labels: label, ...NEWEST_FIRST });
  if (listed.kind === 'unknown') return listed;
  const ours = listed.value.filter(({ isPull, isByBot }) => isPull && isByBot);
  return known(ours.slice(0, limit).map(({ number }) => number));
}

/** Whether this is the wanted issue. A matching prefix is not enough. */
export type IsSameIssue = (number: number, body: string) => boolean;

/** The oldest bot issue with the label and a matching body, or null. Copies are newer. */
export async function findIssue(
  client: GitHubClient,
  label: string,
  isSame: IsSameIssue,
): Promise<Observed<ListedThread | null>> {
  const listed = await listPage(client, { labels: label, ...NEWEST_FIRST });
  if (listed.kind === 'unknown') return listed;
  const found = listed.value.findLast(
    ({ number, isByBot, isPull, body }) => isByBot && !isPull && isSame(number, body),
  );
  return known(found ?? null);
}

/** Opens an issue, or adopts an existing one with the same marker. */
export async function openIssue(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'open-issue' }>,
  isSame: IsSameIssue,
): Promise<EffectOutcome> {
  if (effect.isFirst !== true) {
    const found = await findIssue(client, effect.labels[0] ?? '', isSame);
    if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
    if (found.value !== null) return { kind: 'done', number: found.value.number };
  }
  const { title, body, labels } = effect;
  return toEffectOutcome(await call(client, 'POST /repos/{owner}/{repo}/issues', { title, body, labels }));
}

/** Edits an issue or pull request. Null leaves a field unchanged. Fails if `expected` is set and the body was edited. */
export async function editIssue(
  client: GitHubClient,
  effect: Omit<Extract<Effect, { kind: 'edit-issue' }>, 'kind'>,
  digestOf: (text: string) => Digest,
): Promise<EffectOutcome> {
  if (effect.expected !== null) {
    const current = await readRoute(client, ISSUE, bodySchema, { issue_number: effect.issue });
    if (current.kind === 'unknown') return { kind: 'unknown', message: current.why };
    if (digestOf(current.value.body ?? '') !== effect.expected)
      return { kind: 'refused', code: 'edited-meanwhile', message: 'the body was edited meanwhile' };
  }
  const body = effect.body === null ? {} : { body: effect.body };
  const state = effect.state === null ? {} : { state: effect.state };
  return toEffectOutcome(
    await call(client, 'PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: effect.issue,
      ...body,
      ...state,
    }),
  );
}

const assignedSchema = z.object({ assignees: z.array(z.object({ id: z.number().int(), login: z.string() })) });

/** Keeps existing assignees; writes nothing if all are assigned. */
export async function assignPeople(
  client: GitHubClient,
  thread: number,
  people: readonly Actor[],
): Promise<EffectOutcome> {
  const current = await readRoute(client, ISSUE, assignedSchema, { issue_number: thread });
  if (current.kind === 'unknown') return { kind: 'unknown', message: current.why };
  const { assignees } = current.value;
  const missing = people.filter(({ id }) => !assignees.some((one) => one.id === id));
  if (missing.length === 0) return { kind: 'done', number: thread };
  return toEffectOutcome(
    await call(client, 'PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: thread,
      assignees: [...assignees, ...missing].map(({ login }) => login),
    }),
  );
}

type OpenPull = Extract<Effect, { kind: 'open-pull' }>;

const pullSchema = z.object({ number: z.number().int() });

/**
 * Opens a pull request, or adopts one with the same head. GitHub rejects a second open one (422), which resolves races.
 */
export async function openPull(client: GitHubClient, effect: OpenPull): Promise<EffectOutcome> {
  const { title, body, head, base, labels } = effect;
  const found = effect.isFirst === true ? null : await findPull(client, head, base);
  if (found?.kind === 'unknown') return found;
  const opened = found ?? (await createPull(client, { title, body, head, base }));
  if (opened.kind !== 'done' || opened.number === null) return opened;
  // Adds labels without replacing others.
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
  const labelled = await call(client, route, { issue_number: opened.number, labels });
  return labelled.kind === 'answered' ? opened : toRefusalOutcome(labelled);
}

async function createPull(
  client: GitHubClient,
  pull: Pick<OpenPull, 'title' | 'body' | 'head' | 'base'>,
): Promise<EffectOutcome> {
  const created = await call(client, 'POST /repos/{owner}/{repo}/pulls', pull);
  if (created.kind !== 'refused' || created.status !== 422) return toEffectOutcome(created);
  return (await findPull(client, pull.head, pull.base)) ?? toRefusalOutcome(created);
}

/** The pull request in any state; null if there is none. */
async function findPull(client: GitHubClient, head: string, base: string): Promise<EffectOutcome | null> {
  const query = { head: `${client.owner}:${head}`, base, state: 'all', per_page: 10 };
  const found = await readRoute(client, 'GET /repos/{owner}/{repo}/pulls', z.array(pullSchema), query);
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
  const [first] = found.value;
  return first === undefined ? null : { kind: 'done', number: first.number };
}

const METHODS = ['merge', 'squash', 'rebase'] as const;

/**
 * Merges exactly the launched head by the first method that the repository allows, or queues it where the branch has a merge queue. GitHub
 * refuses (409) if the branch moved.
 */
export async function mergePull(client: GitHubClient, pull: number, head: string): Promise<EffectOutcome> {
  let refused: EffectOutcome | null = null;
  for (const merge_method of METHODS) {
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
    const outcome = await call(client, route, { pull_number: pull, sha: head, merge_method });
    if (outcome.kind === 'answered') return { kind: 'done', number: pull };
    if (outcome.kind !== 'refused' || outcome.status !== 405) return toRefusalOutcome(outcome);
    if (/merge queue/i.test(outcome.message)) return enqueuePull(client, pull, head);
    // The method that is allowed gives the reason that counts.
    if (refused === null || !/are not allowed/i.test(outcome.message)) refused = toRefusalOutcome(outcome);
  }
  if (refused === null) throw new Error('no method to merge');
  return refused;
}

const pullIdSchema = z.object({ node_id: z.string() });
const queuedSchema = z.object({ enqueuePullRequest: z.object({ clientMutationId: z.string().nullish() }) });

async function enqueuePull(client: GitHubClient, pull: number, head: string): Promise<EffectOutcome> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const found = await readRoute(client, route, pullIdSchema, { pull_number: pull });
  if (found.kind === 'unknown') return { kind: 'unknown', message: found.why };
  const text =
    'mutation ($pull: ID!, $head: GitObjectID!) { enqueuePullRequest(input: { pullRequestId: $pull, expectedHeadOid: $head }) { clientMutationId } }';
  const queued = await queryGraphql(client, { text, schema: queuedSchema }, { pull: found.value.node_id, head });
  return queued.kind === 'known'
    ? { kind: 'done', number: pull }
    : { kind: 'refused', code: 'merge-queue', message: `the merge queue did not take it: ${queued.why}` };
}
