/** Repositories and labels as the REST API writes them. */

import { shapeUser } from '../identity/shape-people.ts';
import type { Role } from '../identity/state-people.ts';
import type { Label } from '../threads/state-threads.ts';
import type { JsonObject } from '../world/json.ts';
import { userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';

/** `http://…/api/v3/repos/owner/name` */
export function repoApi(world: World, repo: Repo): string {
  return `${world.baseUrl}/api/v3/repos/${repo.owner}/${repo.name}`;
}

/** `http://…/owner/name` */
export function repoPage(world: World, repo: Repo): string {
  return `${world.baseUrl}/${repo.owner}/${repo.name}`;
}

/** The short form inside runs, statuses and searches ("minimal repository"). */
export function shapeMinimalRepo(world: World, repo: Repo): JsonObject {
  const api = repoApi(world, repo);
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
    owner: shapeUser(world, userById(world, repo.ownerId)),
    html_url: repoPage(world, repo),
    description: repo.description,
    fork: repo.forkOfId !== undefined,
    url: api,
    ...repoLinks(api),
  };
}

/** docs.github.com/rest/repos: the repository object of lists, pull requests and webhooks. */
export function shapeRepo(world: World, repo: Repo): JsonObject {
  const page = repoPage(world, repo);
  return {
    ...shapeMinimalRepo(world, repo),
    git_url: `${page.replace(/^https?/, 'git')}.git`,
    ssh_url: `git@127.0.0.1:${repo.owner}/${repo.name}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: repo.options?.homepage ?? null,
    language: 'Python',
    forks_count: 0,
    stargazers_count: 0,
    watchers_count: 0,
    size: 0,
    default_branch: repo.defaultBranch,
    open_issues_count: openIssues(world, repo),
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: repo.private ? 'private' : 'public',
    pushed_at: toIso(repo.pushedAtMs),
    created_at: toIso(repo.createdAtMs),
    updated_at: toIso(repo.pushedAtMs),
    allow_forking: true,
    web_commit_signoff_required: false,
    license: null,
    forks: 0,
    open_issues: openIssues(world, repo),
    watchers: 0,
  };
}

/** docs.github.com/rest/repos: get a repository ("full repository"); `role` is the caller's. */
export function shapeFullRepo(world: World, repo: Repo, role: Role | null): JsonObject {
  return {
    ...shapeRepo(world, repo),
    allow_rebase_merge: repo.options?.rebaseMerge ?? true,
    allow_squash_merge: repo.options?.squashMerge ?? true,
    allow_merge_commit: repo.options?.mergeCommit ?? true,
    allow_auto_merge: false,
    delete_branch_on_merge: repo.options?.deleteBranchOnMerge ?? false,
    network_count: 0,
    subscribers_count: 0,
    permissions: shapeRolePermissions(role),
    ...shapeOrigin(world, repo),
  };
}

/** For a fork: its parent repository, and the root of the fork network (here the same). */
function shapeOrigin(world: World, repo: Repo): JsonObject {
  const parent = repo.forkOfId === undefined ? undefined : world.state.repos[repo.forkOfId];
  if (parent === undefined) return {};
  const shaped = shapeRepo(world, parent);
  return { parent: shaped, source: shaped };
}

/** The `permissions` block that `GET /repos/…` adds for the caller. */
export function shapeRolePermissions(role: Role | null): JsonObject {
  return {
    admin: role === 'admin',
    maintain: role === 'admin' || role === 'maintain',
    push: role === 'admin' || role === 'maintain' || role === 'write',
    triage: role !== null && role !== 'read',
    pull: true,
  };
}

export function shapeLabel(world: World, repo: Repo, label: Label): JsonObject {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repoApi(world, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

function openIssues(world: World, repo: Repo): number {
  return Object.values(world.state.issues).filter((one) => one.repoId === repo.id && one.state === 'open').length;
}

/** The URL templates of a repository object. */
function repoLinks(api: string): JsonObject {
  return {
    archive_url: `${api}/{archive_format}{/ref}`,
    assignees_url: `${api}/assignees{/user}`,
    branches_url: `${api}/branches{/branch}`,
    blobs_url: `${api}/git/blobs{/sha}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    comments_url: `${api}/comments{/number}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    contributors_url: `${api}/contributors`,
    deployments_url: `${api}/deployments`,
    downloads_url: `${api}/downloads`,
    events_url: `${api}/events`,
    forks_url: `${api}/forks`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    hooks_url: `${api}/hooks`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issues_url: `${api}/issues{/number}`,
    keys_url: `${api}/keys{/key_id}`,
    labels_url: `${api}/labels{/name}`,
    languages_url: `${api}/languages`,
    merges_url: `${api}/merges`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    stargazers_url: `${api}/stargazers`,
    statuses_url: `${api}/statuses/{sha}`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    tags_url: `${api}/tags`,
    teams_url: `${api}/teams`,
    trees_url: `${api}/git/trees{/sha}`,
  };
}
