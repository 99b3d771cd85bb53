/** Routes of deployments (docs.github.com/rest/deployments): create, set statuses, list, delete. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import { toJson } from '../../api/read-body.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { writeMerge } from '../../git/git-merge.ts';
import { moveMessage, moveRef } from '../../git/move-refs.ts';
import { branchTip, resolveCommit } from '../../git/resolve-commit.ts';
import { userSignature, webFlowSignature } from '../../git/shape-commit.ts';
import { actingAppId } from '../../identity/identity.ts';
import { github } from '../../limits/limits.ts';
import { checkStates } from '../../rules/check-stands.ts';
import { rereadRepo } from '../../threads/threads.ts';
import { emitChange } from '../../world/emit.ts';
import { nextId } from '../../world/world.ts';
import { shapeDeployment, shapeDeploymentStatus } from '../shape-deployment.ts';
import { type Deployment, type DeploymentStatus, deploymentStates } from '../state-deployments.ts';

const read = repoAccess('deployments:read', 'public');
const write = repoAccess('deployments:write', 'write');

const creation = z.object({
  ref: z.string().min(1),
  task: z.string().max(github.deploymentTaskCharacters).default('deploy'),
  auto_merge: z.boolean().default(true),
  required_contexts: z.array(z.string()).nullish(),
  payload: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
  environment: z.string().min(1).default('production'),
  description: z.string().max(github.deploymentDescriptionCharacters).nullish(),
  transient_environment: z.boolean().default(false),
  production_environment: z.boolean().optional(),
});
const stating = z.object({
  state: z.enum(deploymentStates),
  target_url: z.string().nullish(),
  log_url: z.string().nullish(),
  description: z.string().max(github.deploymentDescriptionCharacters).nullish(),
  environment: z.string().min(1).optional(),
  environment_url: z.string().nullish(),
  auto_inactive: z.boolean().default(true),
});

export const deploymentRoutes: readonly Route[] = [
  readRoute('/deployments', read, listDeployments),
  writeRoute('POST', '/deployments', write, creation, createDeployment),
  readRoute('/deployments/:id', read, (call) => {
    const row = findDeployment(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeDeployment(call.world, row));
  }),
  actRoute('DELETE', '/deployments/:id', write, deleteDeployment),
  readRoute('/deployments/:id/statuses', read, (call) => {
    const row = findDeployment(call);
    return row === null
      ? notFoundAnswer()
      : answerPage(call, row.statuses.toReversed(), (one) => shapeDeploymentStatus(call.world, row, one));
  }),
  writeRoute('POST', '/deployments/:id/statuses', write, stating, createStatus),
  readRoute('/deployments/:id/statuses/:status', read, (call) => {
    const row = findDeployment(call);
    const one = row?.statuses.find(({ id }) => `${id}` === call.params['status']);
    return row === null || one === undefined ? notFoundAnswer() : okAnswer(shapeDeploymentStatus(call.world, row, one));
  }),
];

function findDeployment(call: RepoCall): Deployment | null {
  const row = call.world.state.deployments[call.params['id'] ?? ''];
  return row?.repoId === call.repo.id ? row : null;
}

/** The deployments of a repository, oldest first. */
export function listDeploymentsOf({ world, repo }: Pick<RepoCall, 'world' | 'repo'>): readonly Deployment[] {
  return Object.values(world.state.deployments).filter((row) => row.repoId === repo.id);
}

function listDeployments(call: RepoCall): Promise<Answer> {
  const queryValue = (name: string): string | null => {
    const text = call.query.get(name);
    return text === 'none' ? null : text;
  };
  const [sha, ref, task, environment] = ['sha', 'ref', 'task', 'environment'].map(queryValue);
  const rows = listDeploymentsOf(call).filter(
    (row) =>
      (sha ?? row.sha) === row.sha &&
      (ref ?? row.ref) === row.ref &&
      (task ?? row.task) === row.task &&
      (environment ?? row.environment) === row.environment,
  );
  return answerPage(call, rows.toReversed(), (row) => shapeDeployment(call.world, row));
}

async function createDeployment(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const sha = await resolveCommit(call.world.gitOf(call.repo), call.repo, body.ref);
  if (sha === null) return unprocessableAnswer(`No ref found for: ${body.ref}`);
  const early = (body.auto_merge ? await autoMerge(call, body.ref) : null) ?? findUnmetContexts(call, body, sha);
  if (early !== null) return early;
  const now = call.world.clock.now();
  const row: Deployment = {
    id: nextId(call.world, 'deployments'),
    repoId: call.repo.id,
    sha,
    ref: body.ref,
    task: body.task,
    payload: toJson(body.payload),
    originalEnvironment: body.environment,
    environment: body.environment,
    description: body.description ?? null,
    transient: body.transient_environment,
    production: body.production_environment ?? body.environment === 'production',
    creatorId: call.actor.id,
    viaAppId: actingAppId(call.caller),
    statuses: [],
    createdAtMs: now,
    updatedAtMs: now,
  };
  call.world.state.deployments[row.id] = row;
  ensureEnvironment(call, body.environment);
  await emitDeployment(call, 'deployment', row, {});
  return createdAnswer(shapeDeployment(call.world, row));
}

/**
 * Merges the default branch into a branch that is behind it. Then no deployment is created, and the caller must ask
 * again (docs: create a deployment, "Merged branch response" and "Merge conflict response"). Null: nothing to merge.
 */
async function autoMerge(call: ActorCall, branch: string): Promise<Answer | null> {
  const store = call.world.gitOf(call.repo);
  const { defaultBranch } = call.repo;
  const [base, head] = [await branchTip(store, branch), await branchTip(store, defaultBranch)];
  if (base === null || head === null || branch === defaultBranch || (await store.isAncestor(head, base))) return null;
  const now = call.world.clock.now();
  const sha = await writeMerge(store, {
    method: 'merge',
    base,
    head,
    message: `Merge ${defaultBranch} into ${branch}`,
    author: userSignature(call.actor, now),
    committer: webFlowSignature(now),
  });
  if (sha === null) return failedAnswer(409, `Conflict merging ${defaultBranch} into ${branch}.`);
  const ref = `refs/heads/${branch}`;
  const moved = await moveRef(call, { ref, sha, expected: base }, 'merge');
  return moved === 'updated'
    ? { status: 202, body: { message: `Auto-merged ${defaultBranch} into ${branch} on deployment.` }, headers: {} }
    : failedAnswer(409, moveMessage(moved, ref));
}

/** 409 while a check or status of the commit is not green: the named contexts, or all of them if none is named. */
function findUnmetContexts(call: ActorCall, body: z.infer<typeof creation>, sha: string): Answer | null {
  const states = checkStates(call.world, call.repo, sha);
  const wanted = body.required_contexts ?? [...new Set(states.map(({ name }) => name))];
  const contexts = wanted.map((context) => {
    const own = states.filter(({ name }) => name === context);
    const isGreen = own.length > 0 && own.every(({ state }) => state === 'green');
    const isRed = own.some(({ state }) => state === 'red');
    return { context, state: isGreen ? 'success' : isRed ? 'failure' : 'pending' };
  });
  if (contexts.every(({ state }) => state === 'success')) return null;
  return failedAnswer(409, `Conflict: Commit status checks failed for ${body.ref}.`);
}

/** docs.github.com/actions: the first deployment to an environment creates it, without protection rules. */
function ensureEnvironment(call: ActorCall, name: string): void {
  const repo = rereadRepo(call);
  if (repo.environments.some((one) => one.name === name)) return;
  const environment = { name, secrets: {}, variables: {}, defaultBranchOnly: false };
  call.world.state.repos[repo.id] = { ...repo, environments: [...repo.environments, environment] };
}

async function createStatus(call: ActorCall, body: z.infer<typeof stating>): Promise<Answer> {
  const before = findDeployment(call);
  if (before === null) return notFoundAnswer();
  const environment = body.environment ?? before.environment;
  const one: DeploymentStatus = {
    ...blankStatus(call, environment),
    state: body.state,
    description: body.description ?? '',
    environmentUrl: body.environment_url ?? '',
    logUrl: body.log_url || (body.target_url ?? ''),
  };
  const row = addStatus(call, { ...before, environment }, one);
  if (body.state === 'success' && body.auto_inactive) await deactivateOthers(call, row);
  await emitDeployment(call, 'deployment_status', row, {
    deployment_status: shapeDeploymentStatus(call.world, row, one),
  });
  return createdAnswer(shapeDeploymentStatus(call.world, row, one));
}

/** docs: `auto_inactive` applies to earlier successes in the environment that are neither transient nor production. */
async function deactivateOthers(call: ActorCall, live: Deployment): Promise<void> {
  for (const other of listDeploymentsOf(call)) {
    if (other.id >= live.id || other.environment !== live.environment || other.transient || other.production) continue;
    if (other.statuses.at(-1)?.state !== 'success') continue;
    const one = blankStatus(call, other.environment);
    const row = addStatus(call, other, one);
    await emitDeployment(call, 'deployment_status', row, {
      deployment_status: shapeDeploymentStatus(call.world, row, one),
    });
  }
}

function blankStatus(call: ActorCall, environment: string): DeploymentStatus {
  return {
    id: nextId(call.world, 'deploymentStatuses'),
    state: 'inactive',
    description: '',
    environment,
    environmentUrl: '',
    logUrl: '',
    creatorId: call.actor.id,
    viaAppId: actingAppId(call.caller),
    createdAtMs: call.world.clock.now(),
  };
}

function addStatus(call: ActorCall, before: Deployment, one: DeploymentStatus): Deployment {
  const row = { ...before, statuses: [...before.statuses, one], updatedAtMs: one.createdAtMs };
  call.world.state.deployments[row.id] = row;
  return row;
}

function deleteDeployment(call: ActorCall): Answer {
  const row = findDeployment(call);
  if (row === null) return notFoundAnswer();
  const isOnly = listDeploymentsOf(call).length === 1;
  if (!isOnly && row.statuses.at(-1)?.state !== 'inactive')
    return unprocessableAnswer(
      'We cannot delete an active deployment unless it is the only deployment in a given environment.',
    );
  delete call.world.state.deployments[row.id];
  return noContentAnswer();
}

async function emitDeployment(
  call: ActorCall,
  type: 'deployment' | 'deployment_status',
  row: Deployment,
  extra: Parameters<typeof emitChange>[1]['payload'],
): Promise<void> {
  await emitChange(call.world, {
    type,
    action: 'created',
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    payload: { deployment: shapeDeployment(call.world, row), ...extra, workflow: null, workflow_run: null },
  });
}
