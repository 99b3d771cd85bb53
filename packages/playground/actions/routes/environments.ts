/** Routes of environments (docs.github.com/rest/deployments/environments and /branch-policies, /actions/secrets). */

import * as z from 'zod';
import { pagedIn } from '../../api/paging.ts';
import { type Answer, noContent, notFound, ok, unprocessable } from '../../api/reply.ts';
import { type ActorCall, acts, type RepoCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import { repoApi, repoPage } from '../../git/shape-repo.ts';
import { freshRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import { nodeId } from '../../world/node-id.ts';
import type { Environment } from '../../world/state.ts';
import { iso } from '../../world/time.ts';

const read = repoAccess('actions:read', 'public');
const readSecrets = repoAccess('environments:read', 'write');
const write = repoAccess('administration:write', 'admin');
const wish = z.object({
  wait_timer: z.int().nullish(),
  prevent_self_review: z.boolean().nullish(),
  reviewers: z.array(z.unknown()).nullish(),
  deployment_branch_policy: z
    .object({ protected_branches: z.boolean(), custom_branch_policies: z.boolean() })
    .nullish(),
});
const pattern = z.object({ name: z.string().min(1), type: z.enum(['branch', 'tag']).default('branch') });

export const environmentRoutes: readonly Route[] = [
  reads('/environments', read, (call) =>
    pagedIn(call, 'environments', call.repo.environments, (one) => shape(call, one)),
  ),
  reads('/environments/:environment', read, (call) => {
    const found = environmentOf(call);
    return found === null ? notFound() : ok(shape(call, found));
  }),
  writes('PUT', '/environments/:environment', write, wish, putEnvironment),
  acts('DELETE', '/environments/:environment', write, deleteEnvironment),
  reads('/environments/:environment/deployment-branch-policies', read, (call) => {
    const found = environmentOf(call);
    if (found === null) return notFound();
    return pagedIn(call, 'branch_policies', patternsOf(call, found) ?? [], (one) => shapePattern(call, found, one));
  }),
  writes('POST', '/environments/:environment/deployment-branch-policies', write, pattern, (call, body) => {
    const found = environmentOf(call);
    if (found === null) return notFound();
    const patterns = patternsOf(call, found);
    if (patterns === null) return notFound();
    const refs = [...patterns.filter(({ name, type }) => name !== body.name || type !== body.type), body];
    return ok(shapePattern(call, keep(call, { ...found, defaultBranchOnly: false, refs }), body));
  }),
  reads('/environments/:environment/secrets', readSecrets, (call) => {
    const found = environmentOf(call);
    if (found === null) return notFound();
    return pagedIn(call, 'secrets', Object.keys(found.secrets).toSorted(), (name) => shapeSecret(call, name));
  }),
];

/** A secret's name and age; its value is never shown. */
export function shapeSecret(call: RepoCall, name: string): JsonObject {
  return { name, created_at: iso(call.repo.createdAtMs), updated_at: iso(call.repo.createdAtMs) };
}

function putEnvironment(call: ActorCall, body: z.infer<typeof wish>): Answer {
  const policy = body.deployment_branch_policy ?? null;
  if (policy !== null && policy.protected_branches === policy.custom_branch_policies) {
    const message = 'protected_branches and custom_branch_policies cannot have the same value';
    return unprocessable(message);
  }
  if (policy?.protected_branches === true) {
    const message = 'the playground has no environments for protected branches alone';
    return unprocessable(message);
  }
  // Reject settings that the playground does not enforce. Otherwise a lab would believe that a job needs a reviewer.
  const unsupported = Object.entries({
    wait_timer: (body.wait_timer ?? 0) > 0,
    prevent_self_review: body.prevent_self_review === true,
    reviewers: (body.reviewers ?? []).length > 0,
  }).find(([, wanted]) => wanted);
  if (unsupported !== undefined) {
    const message = `the playground does not enforce ${unsupported[0]}`;
    return unprocessable(message);
  }
  const before = environmentOf(call);
  const row: Environment = {
    name: before?.name ?? call.params['environment'] ?? '',
    secrets: before?.secrets ?? {},
    variables: before?.variables ?? {},
    defaultBranchOnly: false,
  };
  const patterns = before === null ? [] : (patternsOf(call, before) ?? []);
  return ok(shape(call, keep(call, policy === null ? row : { ...row, refs: patterns })));
}

/**
 * Deletes the environment with its secrets, variables and rules; its deployments stay listed (docs: deleting an
 * environment).
 */
function deleteEnvironment(call: ActorCall): Answer {
  const found = environmentOf(call);
  if (found === null) return notFound();
  const repo = freshRepo(call);
  const environments = repo.environments.filter((one) => !isNamed(one, found.name));
  call.world.state.repos[repo.id] = { ...repo, environments };
  return noContent();
}

function keep(call: ActorCall, row: Environment): Environment {
  const repo = freshRepo(call);
  const others = repo.environments.filter((one) => !isNamed(one, row.name));
  call.world.state.repos[repo.id] = { ...repo, environments: [...others, row] };
  return row;
}

/** The branch and tag patterns that may use it; null = all refs. */
function patternsOf(call: RepoCall, row: Environment): NonNullable<Environment['refs']> | null {
  if (row.defaultBranchOnly) return [{ name: call.repo.defaultBranch, type: 'branch' }];
  return row.refs ?? null;
}

function environmentOf(call: RepoCall): Environment | null {
  const name = call.params['environment'] ?? '';
  return call.repo.environments.find((one) => isNamed(one, name)) ?? null;
}

function isNamed(one: Environment, name: string): boolean {
  return one.name.toLowerCase() === name.toLowerCase();
}

function shape(call: RepoCall, row: Environment): JsonObject {
  const restricted = patternsOf(call, row) !== null;
  const id = idOf(row.name);
  return {
    id,
    node_id: nodeId('EN', `${call.repo.id}:${row.name}`),
    name: row.name,
    url: `${repoApi(call.world, call.repo)}/environments/${encodeURIComponent(row.name)}`,
    html_url: `${repoPage(call.world, call.repo)}/deployments/activity_log?environments_filter=${encodeURIComponent(row.name)}`,
    created_at: iso(call.repo.createdAtMs),
    updated_at: iso(call.repo.createdAtMs),
    protection_rules: restricted ? [{ id, node_id: nodeId('EN', `${id}:branches`), type: 'branch_policy' }] : [],
    deployment_branch_policy: restricted ? { protected_branches: false, custom_branch_policies: true } : null,
  };
}

function shapePattern(
  call: RepoCall,
  row: Environment,
  { name, type }: { readonly name: string; readonly type: 'branch' | 'tag' },
): JsonObject {
  const key = `${row.name}:${type}:${name}`;
  return { id: idOf(key), node_id: nodeId('EN', `${call.repo.id}:${key}`), name, type };
}

/** Environments have no numeric ids here, so derive a stable number from the name. */
function idOf(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_000_007, 7);
}
