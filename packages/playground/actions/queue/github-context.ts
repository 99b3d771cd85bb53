/** The `github` context of a run (docs: contexts reference). */

import type { Json } from '../../world/json.ts';
import { repoById, userById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import type { Run, RunPlan } from '../state-actions.ts';

/** Everything that the run determines; the runner adds workspace, token and similar values. */
export function githubContext(world: World, run: Run, plan: RunPlan, serverUrl: string): Record<string, Json> {
  const repo = repoById(world, run.repoId);
  const fullName = `${repo.owner}/${repo.name}`;
  const tag = plan.ref.startsWith('refs/tags/');
  const refName = plan.ref.replace(/^refs\/(?:heads|tags|pull)\//, '');
  return {
    actor: userById(world, run.actorId).login,
    actor_id: String(run.actorId),
    api_url: `${serverUrl}/api/v3`,
    base_ref: plan.baseRef,
    event: run.payload,
    event_name: run.event,
    graphql_url: `${serverUrl}/api/graphql`,
    head_ref: plan.headRef,
    ref: plan.ref,
    ref_name: refName,
    ref_protected: repo.protections.some((rule) => plan.ref === `refs/heads/${rule.branch}`),
    ref_type: tag ? 'tag' : 'branch',
    repository: fullName,
    repositoryUrl: `${serverUrl.replace(/^http/, 'git')}/${fullName}.git`,
    repository_id: String(repo.id),
    repository_owner: repo.owner,
    repository_owner_id: String(repo.ownerId),
    repository_visibility: repo.private ? 'private' : 'public',
    retention_days: '90',
    run_attempt: String(run.runAttempt),
    run_id: String(run.id),
    run_number: String(run.runNumber),
    secret_source: plan.untrusted ? 'None' : 'Actions',
    server_url: serverUrl,
    sha: plan.sha,
    triggering_actor: userById(world, run.triggeringActorId).login,
    workflow: run.name,
    workflow_ref: `${fullName}/${run.path}@${plan.ref}`,
    workflow_sha: plan.workflowSha,
  };
}
