/** Routes of environments (docs.github.com/rest/deployments/environments and /branch-policies, /actions/secrets). */

import * as z from 'zod';
import { answerPageIn } from '../../api/paging.ts';
import { type Answer, noContentAnswer, notFoundAnswer, okAnswer, unprocessableAnswer } from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { repoApi, repoPage } from '../../git/shape-repo.ts';
import { rereadRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import { nodeId } from '../../world/node-id.ts';
import type { Environment } from '../../world/state.ts';
import { toIso } from '../../world/time.ts';

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
  readRoute('/environments', read, (call) =>
    answerPageIn(call, 'environments', call.repo.environments, (one) => shapeEnvironment(call, one)),
  ),
  readRoute('/environments/:environment', read, (call) => {
    const found = findEnvironment(call);
    return found === null ? notFoundAnswer() : okAnswer(shapeEnvironment(call, found));
  }),
  writeRoute('PUT', '/environments/:environment', write, wish, putEnvironment),
  actRoute('DELETE', '/environments/:environment', write, deleteEnvironment),
  readRoute('/environments/:environment/deployment-branch-policies', read, (call) => {
    const found = findEnvironment(call);
    if (found === null) return notFoundAnswer();
    return answerPageIn(call, 'branch_policies', readPatterns(call, found) ?? [], (one) =>
      shapePattern(call, found, one),
    );
  }),
  writeRoute('POST', '/environments/:environment/deployment-branch-policies', write, pattern, (call, body) => {
    const found = findEnvironment(call);
    if (found === null) return notFoundAnswer();
    const patterns = readPatterns(call, found);
    if (patterns === null) return notFoundAnswer();
    const refs = [...patterns.filter(({ name, type }) => name !== body.name || type !== body.type), body];
    return okAnswer(shapePattern(call, storeEnvironment(call, { ...found, defaultBranchOnly: false, refs }), body));
  }),
  readRoute('/environments/:environment/secrets', readSecrets, (call) => {
    const found = findEnvironment(call);
    if (found === null) return notFoundAnswer();
    return answerPageIn(call, 'secrets', Object.keys(found.secrets).toSorted(), (name) => shapeSecret(call, name));
  }),
];

/** A secret's name and age; its value is never shown. */
export function shapeSecret(call: RepoCall, name: string): JsonObject {
  return { name, created_at: toIso(call.repo.createdAtMs), updated_at: toIso(call.repo.createdAtMs) };
}

function putEnvironment(call: ActorCall, body: z.infer<typeof wish>): Answer {
  const policy = body.deployment_branch_policy ?? null;
  if (policy !== null && policy.protected_branches === policy.custom_branch_policies) {
    const message = 'protected_branches and custom_branch_policies cannot have the same value';
    return unprocessableAnswer(message);
  }
  if (policy?.protected_branches === true) {
    const message = 'the playground has no environments for protected branches alone';
    return unprocessableAnswer(message);
  }
  // Reject settings that the playground does not enforce. Otherwise a lab would believe that a job needs a reviewer.
  const unsupported = Object.entries({
    wait_timer: (body.wait_timer ?? 0) > 0,
    prevent_self_review: body.prevent_self_review === true,
    reviewers: (body.reviewers ?? []).length > 0,
  }).find(([, wanted]) => wanted);
  if (unsupported !== undefined) {
    const message = `the playground does not enforce ${unsupported[0]}`;
    return unprocessableAnswer(message);
  }
  const before = findEnvironment(call);
  const row: Environment = {
    name: before?.name ?? call.params['environment'] ?? '',
    secrets: before?.secrets ?? {},
    variables: before?.variables ?? {},
    defaultBranchOnly: false,
  };
  const patterns = before === null ? [] : (readPatterns(call, before) ?? []);
  return okAnswer(shapeEnvironment(call, storeEnvironment(call, policy === null ? row : { ...row, refs: patterns })));
}

/**
 * Deletes the environment with its secrets, variables and rules; its deployments stay listed (docs: deleting an
 * environment).
 */
function deleteEnvironment(call: ActorCall): Answer {
  const found = findEnvironment(call);
  if (found === null) return notFoundAnswer();
  const repo = rereadRepo(call);
  const environments = repo.environments.filter((one) => !hasName(one, found.name));
  call.world.state.repos[repo.id] = { ...repo, environments };
  return noContentAnswer();
}

export function storeEnvironment(call: ActorCall, row: Environment): Environment {
  const repo = rereadRepo(call);
  const others = repo.environments.filter((one) => !hasName(one, row.name));
  call.world.state.repos[repo.id] = { ...repo, environments: [...others, row] };
  return row;
}

/** The branch and tag patterns that may use it; null = all refs. */
function readPatterns(call: RepoCall, row: Environment): NonNullable<Environment['refs']> | null {
  if (row.defaultBranchOnly) return [{ name: call.repo.defaultBranch, type: 'branch' }];
  return row.refs ?? null;
}

export function findEnvironment(call: RepoCall): Environment | null {
  const name = call.params['environment'] ?? '';
  return call.repo.environments.find((one) => hasName(one, name)) ?? null;
}

function hasName(one: Environment, name: string): boolean {
  return one.name.toLowerCase() === name.toLowerCase();
}

function shapeEnvironment(call: RepoCall, row: Environment): JsonObject {
  const restricted = readPatterns(call, row) !== null;
  const id = patternId(row.name);
  return {
    id,
    node_id: nodeId('EN', `${call.repo.id}:${row.name}`),
    name: row.name,
    url: `${repoApi(call.world, call.repo)}/environments/${encodeURIComponent(row.name)}`,
    html_url: `${repoPage(call.world, call.repo)}/deployments/activity_log?environments_filter=${encodeURIComponent(row.name)}`,
    created_at: toIso(call.repo.createdAtMs),
    updated_at: toIso(call.repo.createdAtMs),
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
  return { id: patternId(key), node_id: nodeId('EN', `${call.repo.id}:${key}`), name, type };
}

/** Environments have no numeric ids here, so derive a stable number from the name. */
function patternId(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_000_007, 7);
}
