/** What a job receives: the permissions of its token, its secrets, its variables. */

import { repoById } from '../../world/lookup.ts';
import type { Environment, Repo } from '../../world/state.ts';
import { newActionsSettings } from '../../world/state-settings.ts';
import type { World } from '../../world/world.ts';
import { evaluateText, type Scope } from '../expressions/evaluate.ts';
import type { Job, Run, RunPlan } from '../state-actions.ts';
import type { WorkflowPermissions } from '../workflow/permissions.ts';
import { DEFAULT_PERMISSIONS, PERMISSIVE_PERMISSIONS } from '../workflow/permissions.ts';
import { homeOwner } from './called-workflow.ts';
import type { PlannedJob } from './run-definitions.ts';

/**
 * The job's own `permissions:`, else the workflow's, else the default; never more than the caller or a fork may have.
 */
export function grantedPermissions(repo: Repo, planned: PlannedJob, plan: RunPlan): WorkflowPermissions {
  const requested = planned.definition.permissions ?? planned.file.permissions ?? planned.ceiling;
  const granted: Record<string, 'read' | 'write'> = {};
  for (const [name, level] of Object.entries(requested ?? defaultPermissions(repo))) {
    const ceiling = planned.ceiling === null ? 'write' : planned.ceiling[name];
    if (ceiling === undefined) continue;
    const reads = level === 'read' || ceiling === 'read' || plan.untrusted;
    granted[name] = reads ? 'read' : 'write';
  }
  return granted;
}

function defaultPermissions(repo: Repo): WorkflowPermissions {
  const { tokenDefault } = repo.actions ?? newActionsSettings;
  return tokenDefault === 'write' ? PERMISSIVE_PERMISSIONS : DEFAULT_PERMISSIONS;
}

/**
 * The secrets that a job can read. A called workflow gets those that its caller passes; a pull request from a fork gets
 * none. From its environment, a called job gets the secrets that its caller names or inherits (actions/runner#1490,
 * #4453). It gets none if another owner has the called file: GitHub does not document that case, but users found those
 * secrets empty.
 */
export function secretsFor(
  world: World,
  run: Run,
  plan: RunPlan,
  job: Job,
  planned: PlannedJob,
  jobs: readonly PlannedJob[],
  scope: Scope,
): Readonly<Record<string, string>> {
  if (plan.untrusted) return {};
  const repo = repoById(world, run.repoId);
  const passedSecrets = (callee: PlannedJob): Readonly<Record<string, string>> => {
    const caller = jobs.find((one) => one.key === callee.parent);
    if (caller === undefined) return repo.secrets;
    const theirs = passedSecrets(caller);
    const given = caller.definition.call?.secrets ?? {};
    // Only workflows of the same owner inherit (docs: reusing workflows, `secrets: inherit`).
    if (given === 'inherit') return hasSameOwner(caller, callee) ? theirs : {};
    const inside: Scope = { ...scope, contexts: { ...scope.contexts, secrets: theirs } };
    return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, evaluateText(text, inside)]));
  };
  const own = Object.entries(findEnvironment(repo, job)?.secrets ?? {});
  return {
    ...passedSecrets(planned),
    ...Object.fromEntries(own.filter(([name]) => isSecretPassedToJob(name, planned, jobs))),
  };
}

/** Whether every call that leads to the job passes a secret of the environment. */
function isSecretPassedToJob(secret: string, callee: PlannedJob, jobs: readonly PlannedJob[]): boolean {
  const caller = jobs.find((one) => one.key === callee.parent);
  if (caller === undefined) return true;
  const given = caller.definition.call?.secrets ?? {};
  const named = given === 'inherit' || Object.keys(given).some((name) => name.toLowerCase() === secret.toLowerCase());
  return named && hasSameOwner(caller, callee) && isSecretPassedToJob(secret, caller, jobs);
}

function hasSameOwner(one: PlannedJob, other: PlannedJob): boolean {
  return homeOwner(one.home).toLowerCase() === homeOwner(other.home).toLowerCase();
}

export function variablesFor(world: World, run: Run, job: Job): Readonly<Record<string, string>> {
  const repo = repoById(world, run.repoId);
  return { ...repo.variables, ...findEnvironment(repo, job)?.variables };
}

function findEnvironment(repo: Repo, job: Job): Environment | undefined {
  return repo.environments.find((one) => one.name.toLowerCase() === job.environment?.toLowerCase());
}
