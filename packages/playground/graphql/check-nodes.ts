/** GraphQL nodes of checks and statuses on a commit (docs.github.com/graphql/reference/objects: CheckSuite, CheckRun, Status). */

import type { CheckRun, CheckSuite, CommitStatus, Run } from '../actions/state-actions.ts';
import { suiteState } from '../checks/shape-check.ts';
import { checkStates } from '../rules/check-stands.ts';
import { requiredChecks } from '../rules/merge-rules.ts';
import { appById, asPull, repoById, requireRow } from '../world/lookup.ts';
import { nodeId, readNodeId } from '../world/node-id.ts';
import { issueKey, type Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, createAct, requireAccess } from './context.ts';
import { graphqlFault } from './fault.ts';

type RunArgs = PageArgs & {
  readonly filterBy?: { readonly checkType?: 'ALL' | 'LATEST' | null; readonly checkName?: string | null } | null;
};

/** The fields of a commit that depend on the caller: its check suites and its combined status. */
export function checkFields(context: Context, repo: Repo, sha: string): object {
  return {
    checkSuites: (args: PageArgs) => {
      requireAccess(context, repo, ['checks:read'], 'public');
      const { checkSuites } = context.world.state;
      const rows = Object.values(checkSuites).filter((one) => one.repoId === repo.id && one.headSha === sha);
      return buildConnection(rows, args, (row) => suiteNode(context, row));
    },
    status: () => {
      requireAccess(context, repo, ['statuses:read'], 'public');
      return statusNode(context, repo, sha);
    },
    statusCheckRollup: () => {
      requireAccess(context, repo, ['checks:read', 'statuses:read'], 'public');
      return rollupNode(context, repo, sha);
    },
  };
}

function suiteNode(context: Context, suite: CheckSuite): object {
  const { world } = context;
  const own = suiteState(world, suite);
  const run = Object.values(world.state.runs).find((one) => one.checkSuiteId === suite.id);
  // A suite of Actions has the state of its workflow run, even before the run has a job.
  const { status, conclusion } = run ?? own;
  return {
    id: nodeId('CS', suite.id),
    databaseId: suite.id,
    status: toEnumWord(status),
    conclusion: conclusion === null ? null : toEnumWord(conclusion),
    createdAt: toIso(suite.createdAtMs),
    app: { id: nodeId('A', suite.appId), databaseId: suite.appId, ...appNode(context, suite.appId) },
    workflowRun: run === undefined ? null : runNode(run),
    checkRuns: (args: RunArgs) =>
      buildConnection(listCheckRuns(context, suite, args), args, (row) => checkRunNode(context, row)),
  };
}

function appNode({ world }: Context, appId: number): object {
  const { slug, name } = appById(world, appId);
  return { slug, name };
}

function runNode(run: Run): object {
  return {
    id: nodeId('WFR', run.id),
    databaseId: run.id,
    event: run.event,
    file: { id: nodeId('WFR', `${run.id}:file`), path: run.path },
    workflow: { id: nodeId('W', run.workflowId), databaseId: run.workflowId, name: run.name },
  };
}

/** `LATEST`: the newest run for each name. */
function listCheckRuns({ world }: Context, suite: CheckSuite, { filterBy }: RunArgs): readonly CheckRun[] {
  const rows = Object.values(world.state.checkRuns).filter(
    (run) => run.suiteId === suite.id && run.name === (filterBy?.checkName ?? run.name),
  );
  if (filterBy?.checkType !== 'LATEST') return rows;
  return [...new Map(rows.toSorted((a, b) => a.id - b.id).map((run) => [run.name, run])).values()];
}

function checkRunNode(context: Context, run: CheckRun): object {
  return {
    __typename: 'CheckRun',
    id: nodeId('CR', run.id),
    databaseId: run.id,
    name: run.name,
    status: toEnumWord(run.status),
    conclusion: run.conclusion === null ? null : toEnumWord(run.conclusion),
    startedAt: toIso(run.startedAtMs),
    completedAt: toIsoOrNull(run.completedAtMs),
    detailsUrl: run.detailsUrl,
    isRequired: (args: AskedFor) => isRequired(context, run.repoId, run.name, args),
    checkSuite: () =>
      suiteNode(context, requireRow(context.world.state.checkSuites[run.suiteId], `suite ${run.suiteId}`)),
  };
}

/** Null if no status was ever set; for each context the newest counts. */
function statusNode(context: Context, repo: Repo, sha: string): object | null {
  const newest = newestStatuses(context.world, repo, sha);
  if (newest.length === 0) return null;
  const isBad = newest.some((row) => row.state === 'error' || row.state === 'failure');
  const state = isBad ? 'FAILURE' : newest.some((row) => row.state === 'pending') ? 'PENDING' : 'SUCCESS';
  return { id: nodeId('S', `${repo.id}:${sha}`), state, contexts: newest.map((row) => contextNode(context, row)) };
}

function newestStatuses(world: World, repo: Repo, sha: string): readonly CommitStatus[] {
  const rows = Object.values(world.state.statuses)
    .filter((one) => one.repoId === repo.id && one.sha === sha)
    .toSorted((a, b) => a.id - b.id);
  return [...new Map(rows.map((row) => [row.context, row])).values()];
}

function contextNode(context: Context, row: CommitStatus): object {
  return {
    __typename: 'StatusContext',
    id: nodeId('S', `${row.id}`),
    context: row.context,
    state: toEnumWord(row.state),
    description: row.description,
    targetUrl: row.targetUrl,
    createdAt: toIso(row.createdAtMs),
    // A status is never changed, only replaced by a new one.
    updatedAt: toIso(row.createdAtMs),
    isRequired: (args: AskedFor) => isRequired(context, row.repoId, row.context, args),
  };
}

/** Check runs and statuses together, the newest of each name; null if there are none. */
function rollupNode(context: Context, repo: Repo, sha: string): object | null {
  const { world } = context;
  const runs = Object.values(world.state.checkRuns)
    .filter((one) => one.repoId === repo.id && one.headSha === sha)
    .toSorted((a, b) => a.id - b.id);
  const newest = [...new Map(runs.map((run) => [`${run.appId} ${run.name}`, run])).values()];
  const states = checkStates(world, repo, sha);
  if (states.length === 0) return null;
  const isRed = states.some(({ state }) => state === 'red');
  const nodes = [
    ...newest.map((run) => checkRunNode(context, run)),
    ...newestStatuses(world, repo, sha).map((row) => contextNode(context, row)),
  ];
  return {
    id: nodeId('S', `${repo.id}:${sha}:rollup`),
    state: isRed ? 'FAILURE' : states.some(({ state }) => state === 'pending') ? 'PENDING' : 'SUCCESS',
    contexts: (args: PageArgs) => buildConnection(nodes, args, (node) => node),
  };
}

type AskedFor = { readonly pullRequestId?: string | null; readonly pullRequestNumber?: number | null };

/** Whether the pull request's base branch requires a check of this name. */
function isRequired(
  context: Context,
  repoId: number,
  name: string,
  { pullRequestId, pullRequestNumber }: AskedFor,
): boolean {
  const { world } = context;
  const byId = typeof pullRequestId === 'string' ? readNodeId(pullRequestId)?.key : undefined;
  const row = world.state.issues[byId ?? issueKey(repoId, pullRequestNumber ?? 0)];
  const pull = row === undefined ? null : asPull(row);
  if (pull === null) throw graphqlFault('UNPROCESSABLE', 'A pull request ID or pull request number is required.');
  return requiredChecks(createAct(context, repoById(world, repoId)), pull).includes(name);
}

function toEnumWord(text: unknown): string {
  return String(text).toUpperCase();
}
