/** GraphQL nodes of git: refs, commits, trees, blobs, tags. */

import { resolveCommit } from '../git/resolve-commit.ts';
import { userByAddress } from '../git/shape-commit.ts';
import { repoPage } from '../git/shape-repo.ts';
import type { CommitObject, Sha, Signature } from '../git/store/git-store.ts';
import { entryAt } from '../git/store/git-trees.ts';
import { playground } from '../limits/limits.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { actorNode } from './authored-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';

/** A ref by its full name, or null; GraphQL also accepts `heads/main` and `main`. */
export async function refNode(world: World, repo: Repo, name: string): Promise<ShapedRef | null> {
  const full = fullRefName(name);
  const sha = (await world.gitOf(repo).refs(full)).get(full);
  return sha === undefined ? null : shapeRefNode(world, repo, full, sha);
}

/** A ref as a node; `sha` is its target. */
export type ShapedRef = {
  readonly __typename: 'Ref';
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly sha: Sha;
  readonly target: () => Promise<object | null>;
  readonly branchProtectionRule: object | null;
};

export function shapeRefNode(world: World, repo: Repo, full: string, sha: Sha): ShapedRef {
  const cut =
    full.startsWith('refs/heads/') || full.startsWith('refs/tags/') ? full.indexOf('/', 5) : full.indexOf('/');
  return {
    __typename: 'Ref',
    id: nodeId('REF', `${repo.id}:${full}`),
    name: full.slice(cut + 1),
    prefix: full.slice(0, cut + 1),
    sha,
    target: () => objectNode(world, repo, sha),
    branchProtectionRule: protectionNode(world, repo, full),
  };
}

function protectionNode(world: World, repo: Repo, ref: string): object | null {
  const rules = world.state.repos[repo.id]?.protections ?? repo.protections;
  const rule = rules.find(({ branch }) => ref === `refs/heads/${branch}`);
  if (rule === undefined) return null;
  return {
    id: nodeId('REF', `${repo.id}:protection:${rule.branch}`),
    requiresStrictStatusChecks: rule.strict ?? false,
    requiredApprovingReviewCount: rule.requiredApprovals,
  };
}

/** `main`, `main:path/to/file`, `HEAD:`, or a SHA. */
export async function expressionNode(world: World, repo: Repo, expression: string): Promise<object | null> {
  const cut = expression.indexOf(':');
  const store = world.gitOf(repo);
  const commit = await resolveCommit(store, repo, cut < 0 ? expression : expression.slice(0, cut));
  if (commit === null) return cut < 0 && /^[0-9a-f]{40}$/.test(expression) ? objectNode(world, repo, expression) : null;
  if (cut < 0) return objectNode(world, repo, commit);
  const tree = (await store.readCommit(commit))?.tree;
  const entry = tree === undefined ? null : await entryAt(store, tree, expression.slice(cut + 1));
  return entry === null ? null : objectNode(world, repo, entry.sha);
}

/** Any git object by its SHA, or null. */
export async function objectNode(world: World, repo: Repo, sha: Sha): Promise<object | null> {
  const store = world.gitOf(repo);
  if ((await store.readCommit(sha)) !== null) return commitNode(world, repo, sha);
  const tag = await store.readTag(sha);
  if (tag !== null) {
    return {
      __typename: 'Tag',
      id: nodeId('T', `${repo.id}:${sha}`),
      oid: sha,
      name: tag.name,
      message: tag.message.replace(/\n$/, ''),
      tagger: personNode(world, tag.tagger),
      target: () => objectNode(world, repo, tag.object),
    };
  }
  if ((await store.readTree(sha)) !== null) return treeNode(world, repo, sha);
  const bytes = await store.readBlob(sha);
  if (bytes === null) return null;
  const isBinary = bytes.includes(0);
  return {
    __typename: 'Blob',
    id: nodeId('B', `${repo.id}:${sha}`),
    oid: sha,
    byteSize: bytes.length,
    isBinary,
    text: isBinary ? null : Buffer.from(bytes).toString('utf8'),
  };
}

export async function commitNode(world: World, repo: Repo, sha: Sha): Promise<object | null> {
  const store = world.gitOf(repo);
  const commit = await store.readCommit(sha);
  if (commit === null) return null;
  const message = commit.message.replace(/\n$/, '');
  const [headline = '', ...rest] = message.split('\n');
  return {
    __typename: 'Commit',
    id: nodeId('C', `${repo.id}:${sha}`),
    oid: sha,
    message,
    messageHeadline: headline,
    messageBody: rest.join('\n').replace(/^\n/, ''),
    url: `${repoPage(world, repo)}/commit/${sha}`,
    authoredDate: toIso(commit.author.atMs),
    committedDate: toIso(commit.committer.atMs),
    author: personNode(world, commit.author),
    committer: personNode(world, commit.committer),
    tree: () => treeNode(world, repo, commit.tree),
    checkSuites: () => throwWithoutCaller('checkSuites'),
    status: () => throwWithoutCaller('status'),
    statusCheckRollup: () => throwWithoutCaller('statusCheckRollup'),
    parents: (args: PageArgs) => buildConnection(commit.parents, args, (parent) => commitNode(world, repo, parent)),
    associatedPullRequests: () => throwWithoutCaller('associatedPullRequests'),
    history: async (args: HistoryArgs) =>
      buildConnection(await readHistory(world, repo, sha, args), args, (row) => commitNode(world, repo, row.sha)),
  };
}

export type HistoryArgs = PageArgs & {
  readonly path?: string | null;
  readonly since?: string | null;
  readonly until?: string | null;
};

/** A commit and its ancestors, newest first, filtered by path and time if given. */
export async function readHistory(
  world: World,
  repo: Repo,
  sha: Sha,
  { path, since, until }: HistoryArgs,
): Promise<readonly CommitObject[]> {
  const paths = path === undefined || path === null ? {} : { paths: [path] };
  const rows = await world.gitOf(repo).log({ from: sha, limit: playground.commitsWalked, ...paths });
  const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  return rows.filter(({ committer: { atMs } }) => !(atMs < from) && !(atMs > to));
}

export function fullRefName(name: string): string {
  if (name.startsWith('refs/')) return name;
  return name.startsWith('heads/') || name.startsWith('tags/') ? `refs/${name}` : `refs/heads/${name}`;
}

async function treeNode(world: World, repo: Repo, sha: Sha): Promise<object> {
  const entries = (await world.gitOf(repo).readTree(sha)) ?? [];
  return {
    __typename: 'Tree',
    id: nodeId('T', `${repo.id}:${sha}`),
    oid: sha,
    entries: entries.map((entry) => ({
      name: entry.name,
      path: entry.name,
      mode: Number.parseInt(entry.mode, 8),
      type: entry.type,
      oid: entry.sha,
      object: () => objectNode(world, repo, entry.sha),
    })),
  };
}

function personNode(world: World, signature: Signature): object {
  const user = userByAddress(world, signature.email);
  return {
    name: signature.name,
    email: signature.email,
    date: toIso(signature.atMs),
    user: user?.type === 'User' ? actorNode(world, user.id) : null,
  };
}

/** Only commits of a pull request and tips of named refs know the caller. An unserved field must not look empty. */
function throwWithoutCaller(field: string): never {
  throw new Error(
    `the playground serves Commit.${field} for the commits of a pull request and the tip of a named ref alone`,
  );
}
