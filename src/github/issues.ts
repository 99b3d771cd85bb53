/** Issues: open or adopt by marker, edit, and the list of experiment issues that moved since a date. */

import { z } from 'zod';
import type { Actor } from '../domain/actor.ts';
import type { Effect, EffectOutcome } from '../domain/effect.ts';
import type { Digest } from '../domain/ids.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { type CallOutcome, call, type GitHubClient } from './call.ts';

const issueSchema = z.object({
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullish(),
  updated_at: z.string(),
  state: z.string(),
  pull_request: z.unknown().optional(),
  user: z.object({ type: z.string() }).nullish(),
});

/** An issue as a proposal's context lists it. */
export type ListedIssue = {
  readonly number: number;
  readonly title: string;
  readonly updatedAtMs: number;
  readonly isOpen: boolean;
};

/** An issue of ours as its own marker found it. */
export type FoundIssue = { readonly number: number; readonly body: string; readonly isOpen: boolean };

/** Whether the body of the issue with this number is the one that is looked for: anybody can write what begins like ours. */
export type IsSameIssue = (number: number, body: string) => boolean;

/**
 * The oldest issue of a bot under the label whose body is the one that is looked for; null where there is none. What was
 * copied from ours, line and all, came later.
 */
export async function findIssue(
  client: GitHubClient,
  label: string,
  isSame: IsSameIssue,
): Promise<Observed<FoundIssue | null>> {
  const listed = await call(client, 'GET /repos/{owner}/{repo}/issues', {
    labels: label,
    state: 'all',
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  });
  const parsed = listed.kind === 'answered' ? z.array(issueSchema).safeParse(listed.data) : null;
  if (parsed === null || !parsed.success) return unknown('the issues could not be listed');
  const found = parsed.data.findLast((issue) => isOurs(issue, isSame));
  return known(
    found === undefined
      ? null
      : { number: found.number, body: found.body ?? '', isOpen: found.state === 'open' },
  );
}

function isOurs(
  { number, user, pull_request, body }: z.infer<typeof issueSchema>,
  isSame: IsSameIssue,
): boolean {
  return user?.type === 'Bot' && pull_request === undefined && isSame(number, body ?? '');
}

/** Opens an issue; one of ours that is the same already is adopted. */
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
  return numberOf(await call(client, 'POST /repos/{owner}/{repo}/issues', { title, body, labels }));
}

/** Changes an issue's body or state; null leaves it. Where a body is expected, only if nobody else edited it meanwhile. */
export async function editIssue(
  client: GitHubClient,
  effect: Extract<Effect, { kind: 'edit-issue' }>,
  digestOf: (text: string) => Digest,
): Promise<EffectOutcome> {
  if (effect.expected !== null) {
    const current = await call(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: effect.issue,
    });
    const parsed = current.kind === 'answered' ? issueSchema.safeParse(current.data) : null;
    if (parsed === null || !parsed.success)
      return { kind: 'unknown', message: 'the body could not be read again' };
    if (digestOf(parsed.data.body ?? '') !== effect.expected)
      return { kind: 'refused', code: 'edited-meanwhile', message: 'the body was edited meanwhile' };
  }
  const body = effect.body === null ? {} : { body: effect.body };
  const state = effect.state === null ? {} : { state: effect.state };
  return numberOf(
    await call(client, 'PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: effect.issue,
      ...body,
      ...state,
    }),
  );
}

const assignedSchema = z.object({
  assignees: z.array(z.object({ id: z.number().int(), login: z.string() })),
});

/** Assigns people beside whoever is assigned already; nothing is written where all of them are. */
export async function assignPeople(
  client: GitHubClient,
  thread: number,
  people: readonly Actor[],
): Promise<EffectOutcome> {
  const current = await call(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}', {
    issue_number: thread,
  });
  const parsed = current.kind === 'answered' ? assignedSchema.safeParse(current.data) : null;
  if (parsed === null || !parsed.success)
    return { kind: 'unknown', message: 'who is assigned could not be read' };
  const { assignees } = parsed.data;
  const missing = people.filter(({ id }) => !assignees.some((one) => one.id === id));
  if (missing.length === 0) return { kind: 'done', number: thread };
  return numberOf(
    await call(client, 'PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      issue_number: thread,
      assignees: [...assignees, ...missing].map(({ login }) => login),
    }),
  );
}

/** Experiment issues (not pull requests) updated since a moment (policy DF-08): at most one page of 100. */
export async function listExperimentIssues(
  client: GitHubClient,
  sinceRfc3339: string,
): Promise<Observed<readonly ListedIssue[]>> {
  // rule DF-08
  const listed = await listPage(client, { labels: 'experiment', since: sinceRfc3339 });
  if (listed === null) return unknown('the experiment issues could not be listed');
  return known(
    listed
      .filter((issue) => issue.pull_request === undefined)
      .map(({ number, title, updated_at, state }) => ({
        number,
        title,
        updatedAtMs: Date.parse(updated_at),
        isOpen: state === 'open',
      })),
  );
}

/** The newest pull requests that a bot opened and that carry this label. */
export async function listLabelledPulls(
  client: GitHubClient,
  label: string,
  limit: number,
): Promise<Observed<readonly number[]>> {
  const listed = await listPage(client, { labels: label, sort: 'created', direction: 'desc' });
  if (listed === null) return unknown(`the pull requests labelled ${label} could not be listed`);
  return known(
    listed
      .filter((issue) => issue.pull_request !== undefined && issue.user?.type === 'Bot')
      .map(({ number }) => number)
      .slice(0, limit),
  );
}

/** One page of 100, open and closed; null where it could not be read. */
async function listPage(
  client: GitHubClient,
  filter: Readonly<Record<string, string>>,
): Promise<readonly z.infer<typeof issueSchema>[] | null> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/issues', {
    ...filter,
    state: 'all',
    per_page: 100,
  });
  const parsed = outcome.kind === 'answered' ? z.array(issueSchema).safeParse(outcome.data) : null;
  return parsed?.success === true ? parsed.data : null;
}

function numberOf(outcome: CallOutcome): EffectOutcome {
  if (outcome.kind === 'refused')
    return { kind: 'refused', code: String(outcome.status), message: outcome.message };
  if (outcome.kind === 'unknown') return { kind: 'unknown', message: outcome.message };
  const parsed = issueSchema.safeParse(outcome.data);
  return parsed.success
    ? { kind: 'done', number: parsed.data.number }
    : { kind: 'unknown', message: 'an answer of another shape' };
}
