/**
 * Maps an event to its Actions source: the ref and commit of its runs, and the values that filters are matched against.
 */

import * as z from 'zod';
import type { WorldEvent } from '../../world/bus.ts';
import type { Repo } from '../../world/state.ts';
import type { World } from '../../world/world.ts';
import type { TriggerEvent } from '../workflow/matches-trigger.ts';

export type RunSource = {
  readonly trigger: TriggerEvent;
  readonly ref: string;
  /** GITHUB_SHA. */
  readonly sha: string;
  /** The run's head in the API: for pull requests the head, not the test merge. */
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly headRef: string;
  readonly baseRef: string;
  /** The commit from which workflow files are read. */
  readonly workflowSha: string;
  readonly pullNumbers: readonly number[];
  readonly untrusted: boolean;
  /** The run's title without `run-name`. */
  readonly title: string | null;
};

const ZEROS = /^0{40}$/;

/** The source of the event's runs; null when the event starts no runs (a deleted branch, an empty repository). */
export async function findRunSource(world: World, repo: Repo, event: WorldEvent): Promise<RunSource | null> {
  switch (event.type) {
    case 'push':
      return await pushSource(world, repo, event);
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return await pullSource(world, repo, event);
    case 'check_run':
    case 'issue_comment':
    case 'issues':
    case 'repository_dispatch':
    case 'workflow_run':
      return await defaultBranchSource(world, repo, event);
    default:
      return null;
  }
}

/**
 * A second source of a pull request, for `pull_request_target`: the default branch's files, commit and ref, for any
 * base. Its runs get secrets and a write token, even if the pull request has a conflict (GitHub changelog 2025-11-07).
 * The run's head is that commit too (actions/checkout, unsafe-pr-checkout-helper). Null for every other event.
 */
export async function findTargetSource(world: World, repo: Repo, event: WorldEvent): Promise<RunSource | null> {
  if (event.type !== 'pull_request') return null;
  const ref = `refs/heads/${repo.defaultBranch}`;
  const sha = (await world.gitOf(repo).refs(ref)).get(ref);
  if (sha === undefined) return null;
  const { pull_request: pull } = pullSchema.parse(event.payload);
  return {
    ...plainSource(ref, sha),
    headBranch: pull.head.ref,
    headRef: pull.head.ref,
    baseRef: pull.base.ref,
    pullNumbers: [pull.number],
    trigger: await pullTrigger(world, repo, event, 'pull_request_target'),
    title: pull.title,
  };
}

/** The tip of the default branch: for schedules, and for events without a commit. */
export async function defaultBranchSource(
  world: World,
  repo: Repo,
  event: { readonly type: string; readonly action: string | null; readonly payload: unknown },
): Promise<RunSource | null> {
  const ref = `refs/heads/${repo.defaultBranch}`;
  const sha = (await world.gitOf(repo).refs(ref)).get(ref);
  if (sha === undefined) return null;
  const about = aboutSchema.parse(event.payload);
  const run = about.workflow_run;
  return {
    ...plainSource(ref, sha),
    trigger: {
      name: event.type,
      action: event.type === 'repository_dispatch' ? (about.action ?? event.action) : event.action,
      ref: run?.head_branch == null ? null : `refs/heads/${run.head_branch}`,
      changedPaths: null,
      workflowName: run?.name ?? null,
    },
    title: about.issue?.title ?? run?.name ?? null,
  };
}

const aboutSchema = z.object({
  action: z.string().optional(),
  issue: z.object({ title: z.string() }).optional(),
  workflow_run: z.object({ name: z.string().nullish(), head_branch: z.string().nullish() }).optional(),
});

const pushSchema = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  deleted: z.boolean().default(false),
});

async function pushSource(world: World, repo: Repo, event: WorldEvent): Promise<RunSource | null> {
  const { ref, before, after, deleted } = pushSchema.parse(event.payload);
  if (deleted || ZEROS.test(after)) return null;
  const store = world.gitOf(repo);
  const commit = await store.readCommit(after);
  if (commit === null || skipsRuns(commit.message)) return null;
  const tag = ref.startsWith('refs/tags/');
  const from = ZEROS.test(before) ? (commit.parents[0] ?? null) : before;
  const changed = tag || from === null ? null : await store.diff(from, after);
  return {
    ...plainSource(ref, after),
    trigger: {
      name: 'push',
      action: null,
      ref,
      changedPaths: changed?.map((change) => change.path) ?? null,
      workflowName: null,
    },
    title: commit.message.split('\n')[0] ?? null,
  };
}

const pullSchema = z.object({
  pull_request: z.object({
    number: z.number(),
    title: z.string(),
    merge_commit_sha: z.string().nullish(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
    base: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }) }),
  }),
});

/** Null for a pull request with a conflict: it has no test merge to run on (docs: events, `pull_request`). */
async function pullSource(world: World, repo: Repo, event: WorldEvent): Promise<RunSource | null> {
  const { pull_request: pull } = pullSchema.parse(event.payload);
  const merge = `refs/pull/${pull.number}/merge`;
  const inConflict = pull.merge_commit_sha == null;
  if (inConflict && event.type === 'pull_request') return null;
  const tested = pull.merge_commit_sha ?? pull.head.sha;
  return {
    trigger: await pullTrigger(world, repo, event, event.type),
    ref: merge,
    sha: tested,
    headSha: pull.head.sha,
    headBranch: pull.head.ref,
    headRef: pull.head.ref,
    baseRef: pull.base.ref,
    workflowSha: tested,
    pullNumbers: [pull.number],
    untrusted: pull.head.repo?.full_name !== pull.base.repo.full_name,
    title: pull.title,
  };
}

/** Branch filters match the base; path filters match the files that the head changes. */
async function pullTrigger(world: World, repo: Repo, event: WorldEvent, name: string): Promise<TriggerEvent> {
  const { pull_request: pull } = pullSchema.parse(event.payload);
  const store = world.gitOf(repo);
  const base = await store.mergeBase(pull.base.sha, pull.head.sha);
  const changed = base === null ? null : await store.diff(base, pull.head.sha);
  return {
    name,
    action: event.action,
    ref: `refs/heads/${pull.base.ref}`,
    changedPaths: changed?.map((change) => change.path) ?? null,
    workflowName: null,
  };
}

/** A run of a ref itself: push, dispatch, schedule and every event that runs on the default branch. */
export function plainSource(ref: string, sha: string): Omit<RunSource, 'trigger' | 'title'> {
  return {
    ref,
    sha,
    headSha: sha,
    headBranch: ref.replace(/^refs\/(?:heads|tags)\//, ''),
    headRef: '',
    baseRef: '',
    workflowSha: sha,
    pullNumbers: [],
    untrusted: false,
  };
}

/** Whether a head commit's message has a marker that prevents runs (docs: skipping workflow runs). */
function skipsRuns(message: string): boolean {
  return /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/.test(message);
}
