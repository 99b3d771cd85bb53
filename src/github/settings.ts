/** Reads the settings, people and permissions that approvals rely on, if the token has access (docs.github.com/rest, by route). */

import { z } from 'zod';
import { PERMISSIONS, type Permission } from '../domain/actor.ts';
import type { PersonFacts } from '../domain/facts.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import { call, type GitHubClient, PAGE_ROWS, readIfThere, readPages, readRoute } from './call.ts';

const repositorySchema = z.object({ default_branch: z.string(), private: z.boolean() });
const permissionsSchema = z.object({
  default_workflow_permissions: z.string(),
  can_approve_pull_request_reviews: z.boolean(),
});
const forkSchema = z.object({ approval_policy: z.string() }).transform((one) => one.approval_policy);
const environmentsSchema = z.object({
  environments: z.array(
    z.object({
      name: z.string(),
      deployment_branch_policy: z.object({ custom_branch_policies: z.boolean() }).nullable(),
    }),
  ),
});
const branchesSchema = z
  .object({ branch_policies: z.array(z.object({ name: z.string(), type: z.string().optional() })) })
  .transform((one) => one.branch_policies);
const named = z.object({ name: z.string() }).transform(({ name }) => name);
const secretsSchema = z.object({ secrets: z.array(named) }).transform(({ secrets }) => secrets);
const runnersSchema = z
  .object({ runners: z.array(z.object({ labels: z.array(named) })) })
  .transform(({ runners }) => runners.map(({ labels }) => labels));
const ruleSchema = z.object({
  type: z.string(),
  /** Parameters of a `pull_request` rule. */
  parameters: z
    .object({ required_approving_review_count: z.int().optional(), require_last_push_approval: z.boolean().optional() })
    .optional(),
});
const rulesetsSchema = z.array(z.object({ id: z.number().int(), target: z.string().nullish() }));
const rulesetSchema = z.object({
  enforcement: z.string(),
  conditions: z
    .object({ ref_name: z.object({ include: z.array(z.string()), exclude: z.array(z.string()).default([]) }) })
    .nullish(),
  rules: z.array(z.object({ type: z.string() })).default([]),
});

const groupSchema = z.object({
  name: z.string(),
  restricted_to_workflows: z.boolean(),
  selected_workflows: z.array(z.string()),
});
const groupsSchema = z.object({ runner_groups: z.array(groupSchema) }).transform((one) => one.runner_groups);
const installationsSchema = z.object({
  installations: z.array(z.object({ app_slug: z.string(), permissions: z.record(z.string(), z.string()) })),
});

export type RepositorySettings = z.infer<typeof repositorySchema>;
export type WorkflowPermissions = z.infer<typeof permissionsSchema>;
export type BranchRule = z.infer<typeof ruleSchema>;
export type TagRuleset = z.infer<typeof rulesetSchema>;
export type RunnerGroup = z.infer<typeof groupSchema>;

/** Default branch and visibility. */
export function readRepository(client: GitHubClient): Promise<Observed<RepositorySettings>> {
  return readRoute(client, 'GET /repos/{owner}/{repo}', repositorySchema);
}

/** Default permissions of a workflow's token. */
export function readWorkflowPermissions(client: GitHubClient): Promise<Observed<WorkflowPermissions>> {
  return readRoute(client, 'GET /repos/{owner}/{repo}/actions/permissions/workflow', permissionsSchema);
}

/** Which fork pull requests need approval before workflows run. */
export function readForkApproval(client: GitHubClient): Promise<Observed<string>> {
  return readRoute(client, 'GET /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval', forkSchema);
}

/** Branches and tags that may use an environment; `*`: not restricted to named ones. */
export type EnvironmentRefs = readonly { readonly name: string; readonly type?: string | undefined }[];

/** Empty if the environment does not exist. */
export async function readEnvironmentRefs(
  client: GitHubClient,
  environment: string,
): Promise<Observed<EnvironmentRefs>> {
  const all = await readRoute(client, 'GET /repos/{owner}/{repo}/environments', environmentsSchema, { per_page: 100 });
  if (all.kind === 'unknown') return all;
  const found = all.value.environments.find(({ name }) => name.toLowerCase() === environment);
  if (found === undefined) return known([]);
  if (found.deployment_branch_policy?.custom_branch_policies !== true) return known([{ name: '*' }]);
  const route = 'GET /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies';
  return readRoute(client, route, branchesSchema, { environment_name: environment });
}

const SECRET_ROUTES = {
  repository: 'GET /repos/{owner}/{repo}/actions/secrets',
  organization: 'GET /repos/{owner}/{repo}/actions/organization-secrets',
};

/** Names of the environment's, the repository's, or the organization's secrets that the repository may use. */
export function readSecretNames(
  client: GitHubClient,
  place: keyof typeof SECRET_ROUTES | { readonly environment: string },
): Promise<Observed<readonly string[]>> {
  const [route, more] =
    typeof place === 'string'
      ? [SECRET_ROUTES[place], {}]
      : ['GET /repos/{owner}/{repo}/environments/{environment_name}/secrets', { environment_name: place.environment }];
  return readRoute(client, route, secretsSchema, { ...more, per_page: 100 });
}

const variablesSchema = z
  .object({ variables: z.array(z.object({ name: z.string(), value: z.string() })) })
  .transform(({ variables }) => variables.map(({ name, value }) => [name, value] as const));

/** Values of the variables that workflows of the repository see, by name. */
export async function readVariables(client: GitHubClient): Promise<Observed<ReadonlyMap<string, string>>> {
  const found: (readonly [string, string])[] = [];
  // The repository's own values take precedence.
  for (const route of [
    'GET /repos/{owner}/{repo}/actions/organization-variables',
    'GET /repos/{owner}/{repo}/actions/variables',
  ]) {
    const listed = await readRoute(client, route, variablesSchema, { per_page: 30 });
    if (listed.kind === 'unknown') return listed;
    found.push(...listed.value);
  }
  return known(new Map(found));
}

/** Labels per self-hosted runner of the repository. */
export function readRunnerLabels(client: GitHubClient): Promise<Observed<readonly (readonly string[])[]>> {
  return readRoute(client, 'GET /repos/{owner}/{repo}/actions/runners', runnersSchema, { per_page: 100 });
}

/** Rules of all rulesets for a branch, for example `deletion`. */
export function readBranchRules(client: GitHubClient, branch: string): Promise<Observed<readonly BranchRule[]>> {
  const route = 'GET /repos/{owner}/{repo}/rules/branches/{branch}';
  return readRoute(client, route, z.array(ruleSchema), { branch });
}

/** Rulesets for tags with their patterns and rules. */
export async function readTagRulesets(client: GitHubClient): Promise<Observed<readonly TagRuleset[]>> {
  const listed = await readRoute(client, 'GET /repos/{owner}/{repo}/rulesets', rulesetsSchema, { per_page: 100 });
  if (listed.kind === 'unknown') return listed;
  const found: TagRuleset[] = [];
  for (const { id: ruleset_id } of listed.value.filter((ruleset) => ruleset.target === 'tag')) {
    const route = 'GET /repos/{owner}/{repo}/rulesets/{ruleset_id}';
    const one = await readRoute(client, route, rulesetSchema, { ruleset_id });
    if (one.kind === 'unknown') return one;
    found.push(one.value);
  }
  return known(found);
}

/** Runner groups of the organization that this repository may use; readable only by organization admins. */
export function readRunnerGroups(client: GitHubClient): Promise<Observed<readonly RunnerGroup[]>> {
  const whose = { org: client.owner, visible_to_repository: client.repo, per_page: 100 };
  return readRoute(client, 'GET /orgs/{org}/actions/runner-groups', groupsSchema, whose);
}

/** The App's permissions in the organization; null if not installed. */
export async function readAppPermissions(
  client: GitHubClient,
  slug: string,
): Promise<Observed<Readonly<Record<string, string>> | null>> {
  const whose = { org: client.owner, per_page: 100 };
  const answer = await readRoute(client, 'GET /orgs/{org}/installations', installationsSchema, whose);
  if (answer.kind === 'unknown') return answer;
  return known(answer.value.installations.find((one) => one.app_slug === slug)?.permissions ?? null);
}

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const fileSchema = z
  .object({ type: z.literal('file'), content: z.string(), encoding: z.literal('base64') })
  .transform(({ content }) => Buffer.from(content, 'base64').toString('utf8'));
const folderSchema = z
  .array(z.object({ type: z.string(), path: z.string() }))
  .transform((entries) => entries.filter(({ type }) => type === 'file').map(({ path }) => path));

/** Unknown if not found, because GitHub answers the same to a token without access. */
export function readFileText(client: GitHubClient, path: string, ref: string): Promise<Observed<string>> {
  return readRoute(client, CONTENTS, fileSchema, { path, ref });
}

const treeSchema = z.object({ truncated: z.boolean(), tree: z.array(z.object({ path: z.string() })) });

/** Every file and folder at a ref. */
export async function readPaths(client: GitHubClient, ref: string): Promise<Observed<ReadonlySet<string>>> {
  const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
  const found = await readRoute(client, route, treeSchema, { tree_sha: ref, recursive: '1' });
  if (found.kind === 'unknown') return found;
  if (found.value.truncated) return unknown('GitHub lists only a part of so large a tree');
  return known(new Set(found.value.tree.map(({ path }) => path)));
}

/** Whether a repository has a commit. Unknown if this token cannot see the repository. */
export async function hasCommit(
  client: GitHubClient,
  whose: { readonly owner: string; readonly repo: string; readonly ref: string },
): Promise<Observed<boolean>> {
  const outcome = await call(client, 'GET /repos/{owner}/{repo}/commits/{ref}', whose);
  if (outcome.kind === 'answered') return known(true);
  if (outcome.kind === 'refused' && outcome.status === 422) return known(false);
  return unknown(`this token cannot see ${whose.owner}/${whose.repo}: ${outcome.message}`);
}

const planSchema = z.object({ plan: z.object({ name: z.string() }) }).transform(({ plan }) => plan.name);

/** The organization's plan; only its owners see it. */
export function readPlan(client: GitHubClient): Promise<Observed<string>> {
  return readRoute(client, 'GET /orgs/{org}', planSchema, { org: client.owner });
}

/** Whether there is a file at a path of a branch, in one request. */
export async function hasFile(client: GitHubClient, path: string, ref: string): Promise<Observed<boolean>> {
  const found = await readIfThere(client, CONTENTS, z.unknown(), { path, ref });
  return found.kind === 'unknown' ? found : known(found.value !== null);
}

/** Paths of a folder's files at a ref. */
export function listFiles(client: GitHubClient, path: string, ref: string): Promise<Observed<readonly string[]>> {
  return readRoute(client, CONTENTS, folderSchema, { path, ref });
}

/** Ten requests; further people of a larger lab are not listed. */
export const PEOPLE_LISTED_MAX = 1_000;

const schema = z.object({ id: z.number().int(), login: z.string(), type: z.string(), role_name: z.string() });

/** People with a role, without apps; custom roles count as read (GitHub REST, collaborators). */
export async function readPeople(client: GitHubClient): Promise<Observed<readonly PersonFacts[]>> {
  const found = await readPages(client, 'GET /repos/{owner}/{repo}/collaborators', schema, {
    pagesMax: PEOPLE_LISTED_MAX / PAGE_ROWS,
  });
  if (found.kind === 'unknown') return unknown(`GitHub does not tell who works here: ${found.why}`);
  return known(
    found.value.rows
      .filter((person) => person.type === 'User')
      .map(({ id, login, role_name }) => ({
        actor: { id, login },
        permission: PERMISSIONS.find((one) => one === role_name) ?? 'read',
      })),
  );
}

const accountSchema = z.object({ id: z.number().int() }).transform(({ id }) => id);

/** The accounts behind `@login` or `@organization/team`. To read a team, the App needs the organization permission *Members: read*. */
export async function readAccounts(client: GitHubClient, name: string): Promise<Observed<readonly number[]>> {
  const [login = '', team] = name.replace('@', '').split('/');
  if (team === undefined) {
    const found = await readRoute(client, 'GET /users/{username}', accountSchema, { username: login });
    return found.kind === 'unknown' ? found : known([found.value]);
  }
  const members = await readPages(client, 'GET /orgs/{org}/teams/{team_slug}/members', accountSchema, {
    ...{ org: login, team_slug: team, pagesMax: PEOPLE_LISTED_MAX / PAGE_ROWS },
  });
  return members.kind === 'unknown' ? members : known(members.value.rows);
}

const answerSchema = z.object({
  permission: z.string(),
  role_name: z.string(),
  user: z.object({ id: z.number().int(), login: z.string() }),
});

/**
 * A person's current permission. GitHub must report the same user id, because a login can pass to another account. 404 (no such user, or an
 * app) is `none`.
 */
export async function readPermission(
  client: GitHubClient,
  user: { readonly id: number; readonly login: string },
): Promise<Observed<Permission>> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const found = await readIfThere(client, route, answerSchema, { username: user.login });
  if (found.kind === 'unknown') return found;
  if (found.value === null || found.value.user.id !== user.id) return known('none');
  return known(permissionOf(found.value.role_name, found.value.permission));
}

/** `role_name` is more precise; custom roles fall back to `permission`. */
function permissionOf(role: string, permission: string): Permission {
  const found = PERMISSIONS.find((p) => p === role) ?? PERMISSIONS.find((p) => p === permission);
  return found ?? 'none';
}
