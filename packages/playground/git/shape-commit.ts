/** Commits, files and comparisons as the REST API writes them. */

import { shapeUser } from '../identity/shape-people.ts';
import type { User } from '../identity/state-people.ts';
import type { JsonObject } from '../world/json.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { repoApi, repoPage } from './shape-repo.ts';
import type { CommitObject, FileChange, Signature } from './store/git-store.ts';

/** The address in commits made through the API, by which GitHub finds the account. */
export function noreplyAddress(user: User): string {
  return `${user.id}+${user.login}@users.noreply.github.com`;
}

export function userSignature(user: User, atMs: number): Signature {
  return { name: user.name ?? user.login, email: user.email ?? noreplyAddress(user), atMs };
}

/** The committer of commits that GitHub itself makes (merge button, contents API). */
export function webFlowSignature(atMs: number): Signature {
  return { name: 'GitHub', email: 'noreply@github.com', atMs };
}

/** GitHub's own account for its commits; it is not a user. */
const webFlow: User = {
  id: 19_864_447,
  login: 'web-flow',
  type: 'User',
  name: 'GitHub Web Flow',
  email: 'noreply@github.com',
  createdAtMs: Date.UTC(2016, 5, 10),
};

/** The account that a commit's address belongs to. */
function linkedAccount(world: World, { email }: Signature): User | null {
  return email === webFlow.email ? webFlow : userByAddress(world, email);
}

/** The account of an address; null if there is none. */
export function userByAddress(world: World, address: string): User | null {
  for (const user of Object.values(world.state.users)) {
    if (user.email === address || noreplyAddress(user) === address) return user;
  }
  return null;
}

export function shapeSignature(signature: Signature): JsonObject {
  return { name: signature.name, email: signature.email, date: toIso(signature.atMs) };
}

/** docs.github.com/rest/commits: a commit in a list. */
export function shapeCommit(world: World, repo: Repo, commit: CommitObject): JsonObject {
  const api = repoApi(world, repo);
  const author = linkedAccount(world, commit.author);
  const committer = linkedAccount(world, commit.committer);
  return {
    sha: commit.sha,
    node_id: nodeId('C', `${repo.id}:${commit.sha}`),
    commit: {
      author: shapeSignature(commit.author),
      committer: shapeSignature(commit.committer),
      message: commit.message.replace(/\n$/, ''),
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: unverified,
    },
    url: `${api}/commits/${commit.sha}`,
    html_url: `${repoPage(world, repo)}/commit/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    author: author === null ? null : shapeUser(world, author),
    committer: committer === null ? null : shapeUser(world, committer),
    parents: shapeParents(world, repo, commit.parents),
  };
}

/** The short form inside runs and suites ("simple commit"). */
export function shapeSimpleCommit(commit: CommitObject): JsonObject {
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message.replace(/\n$/, ''),
    timestamp: toIso(commit.author.atMs),
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

/** docs.github.com/rest/git/commits: a commit object. */
export function shapeGitCommit(world: World, repo: Repo, commit: CommitObject): JsonObject {
  const api = repoApi(world, repo);
  return {
    sha: commit.sha,
    node_id: nodeId('C', `${repo.id}:${commit.sha}`),
    url: `${api}/git/commits/${commit.sha}`,
    html_url: `${repoPage(world, repo)}/commit/${commit.sha}`,
    author: shapeSignature(commit.author),
    committer: shapeSignature(commit.committer),
    tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
    message: commit.message.replace(/\n$/, ''),
    parents: shapeParents(world, repo, commit.parents),
    verification: unverified,
  };
}

/** docs.github.com/rest/pulls: a file of a pull request, commit or comparison; `patch` is absent for binary files. */
export function shapeFile(world: World, repo: Repo, file: FileChange, at: string): JsonObject {
  const page = repoPage(world, repo);
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.blobSha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${page}/blob/${at}/${path}`,
    raw_url: `${page}/raw/${at}/${path}`,
    contents_url: `${repoApi(world, repo)}/contents/${path}?ref=${at}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}

export function countLines(files: readonly FileChange[]): { readonly additions: number; readonly deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const file of files) {
    additions += file.additions;
    deletions += file.deletions;
  }
  return { additions, deletions };
}

const unverified: JsonObject = {
  verified: false,
  reason: 'unsigned',
  signature: null,
  payload: null,
  verified_at: null,
};

function shapeParents(world: World, repo: Repo, parents: readonly string[]): readonly JsonObject[] {
  return parents.map((sha) => ({
    sha,
    url: `${repoApi(world, repo)}/commits/${sha}`,
    html_url: `${repoPage(world, repo)}/commit/${sha}`,
  }));
}
