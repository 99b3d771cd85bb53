/** Routes of history (docs.github.com/rest/commits, /branches): commits, comparisons, branches, tags. */

import { answerPage } from '../../api/paging.ts';
import { type Answer, failedAnswer, notFoundAnswer, okAnswer, rawAnswer } from '../../api/reply.ts';
import { type RepoCall, type Route, readRoute, repoAccess } from '../../api/route.ts';
import { github, playground } from '../../limits/limits.ts';
import { shapePull } from '../../pulls/shape-pull.ts';
import type { JsonObject } from '../../world/json.ts';
import { asPull, findUser, listIssuesOf, type PullIssue } from '../../world/lookup.ts';
import { nodeId } from '../../world/node-id.ts';
import type { Repo } from '../../world/state.ts';
import type { World } from '../../world/world.ts';
import { patchOrDiffText } from '../patch-text.ts';
import { branchTip, peelToCommit, resolveCommit } from '../resolve-commit.ts';
import { countLines, shapeCommit, shapeFile, userByAddress } from '../shape-commit.ts';
import { repoApi, repoPage } from '../shape-repo.ts';
import type { CommitObject } from '../store/git-store.ts';

const read = repoAccess('contents:read', 'public');

export const commitRoutes: readonly Route[] = [
  readRoute('/commits', read, listCommits),
  readRoute('/commits/:ref', read, getCommit),
  readRoute('/commits/:ref/pulls', repoAccess('pull_requests:read', 'public'), listPullsOfCommit),
  readRoute('/compare/:basehead*', read, compare),
  readRoute('/branches', read, async (call) => {
    const refs = [...(await call.world.gitOf(call.repo).refs('refs/heads/'))];
    return answerPage(call, refs, ([ref, sha]) => shapeBranch(call, ref.slice('refs/heads/'.length), sha));
  }),
  readRoute('/branches/:branch*', read, getBranch),
  readRoute('/tags', read, listTags),
];

async function listCommits(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const name = call.query.get('sha') ?? call.repo.defaultBranch;
  const from = await resolveCommit(store, call.repo, name);
  if (from === null) return failedAnswer(404, `No commit found for SHA: ${name}`);
  const path = call.query.get('path');
  const commits = await store.log({
    from,
    limit: playground.commitsWalked,
    ...(path === null ? {} : { paths: [path] }),
  });
  const rows = commits.filter((commit) => matchesQuery(call, commit));
  return answerPage(call, rows, (commit) => shapeCommit(call.world, call.repo, commit));
}

function matchesQuery(call: RepoCall, commit: CommitObject): boolean {
  const since = call.query.get('since');
  const until = call.query.get('until');
  const author = call.query.get('author');
  if (since !== null && commit.committer.atMs < Date.parse(since)) return false;
  if (until !== null && commit.committer.atMs > Date.parse(until)) return false;
  if (author === null || commit.author.email === author) return true;
  return userByAddress(call.world, commit.author.email)?.id === (findUser(call.world, author)?.id ?? -1);
}

async function getCommit(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const name = call.params['ref'] ?? '';
  const sha = await resolveCommit(store, call.repo, name);
  const commit = sha === null ? null : await store.readCommit(sha);
  if (sha === null || commit === null) return failedAnswer(422, `No commit found for SHA: ${name}`);
  if (call.accept.includes('.sha')) return rawAnswer(Buffer.from(sha), 'application/vnd.github.sha; charset=utf-8');
  const from = commit.parents[0] ?? (await store.writeTree([]));
  const files = await store.diff(from, sha);
  const text = await patchOrDiffText(store, call.accept, files, [commit]);
  if (text !== null) return text;
  const lines = countLines(files);
  return okAnswer({
    ...shapeCommit(call.world, call.repo, commit),
    stats: { ...lines, total: lines.additions + lines.deletions },
    files: files.slice(0, github.filesPerComparison).map((file) => shapeFile(call.world, call.repo, file, sha)),
  });
}

async function listPullsOfCommit(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const sha = await resolveCommit(store, call.repo, call.params['ref'] ?? '');
  if (sha === null) return notFoundAnswer();
  const found = await listPullsWith(call.world, call.repo, sha);
  return answerPage(call, found, (issue) => shapePull(call.world, issue));
}

/** The pull requests that contain the commit, merged or open. */
export async function listPullsWith(world: World, repo: Repo, sha: string): Promise<readonly PullIssue[]> {
  const store = world.gitOf(repo);
  const found: PullIssue[] = [];
  for (const row of listIssuesOf(world, repo)) {
    const issue = asPull(row);
    if (issue === null) continue;
    const { headSha, baseSha, mergeCommitSha } = issue.pull;
    const inHead = (await store.isAncestor(sha, headSha)) && !(await store.isAncestor(sha, baseSha));
    if (inHead || mergeCommitSha === sha) found.push(issue);
  }
  return found;
}

/** `base...head`: the commits of head since the merge base. */
async function compare(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const [baseName = '', headName = ''] = (call.params['basehead'] ?? '').split('...');
  const [base, head] = [await resolveSide(call, baseName), await resolveSide(call, headName)];
  const ancestor = base === null || head === null ? null : await store.mergeBase(base, head);
  if (base === null || head === null || ancestor === null) return notFoundAnswer();
  const files = await store.diff(ancestor, head);
  const limit = playground.commitsWalked;
  const [ahead, behind] = await Promise.all([
    store.log({ from: head, not: base, limit }),
    store.log({ from: base, not: head, limit }),
  ]);
  const text = await patchOrDiffText(store, call.accept, files, ahead.toReversed());
  if (text !== null) return text;
  const [baseCommit, ancestorCommit] = await Promise.all([store.readCommit(base), store.readCommit(ancestor)]);
  const shape = (commit: CommitObject | null): JsonObject | null =>
    commit === null ? null : shapeCommit(call.world, call.repo, commit);
  const page = `${repoPage(call.world, call.repo)}/compare/${baseName}...${headName}`;
  return okAnswer({
    url: `${repoApi(call.world, call.repo)}/compare/${baseName}...${headName}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: shape(baseCommit),
    merge_base_commit: shape(ancestorCommit),
    status: compareStatus(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: ahead.toReversed().slice(0, github.commitsPerPull).map(shape),
    files: files.slice(0, github.filesPerComparison).map((file) => shapeFile(call.world, call.repo, file, head)),
  });
}

function compareStatus(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  if (ahead > 0) return 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

/** The commit of `branch`, or of `owner:branch` in the owner's fork; null if the owner has no fork. */
async function resolveSide(call: RepoCall, name: string): Promise<string | null> {
  const cut = name.indexOf(':');
  if (cut < 0) return resolveCommit(call.world.gitOf(call.repo), call.repo, name);
  const owner = name.slice(0, cut).toLowerCase();
  const family = [call.repo, ...Object.values(call.world.state.repos).filter((one) => isSameNetwork(call.repo, one))];
  const repo = family.find((one) => one.owner.toLowerCase() === owner);
  return repo === undefined ? null : resolveCommit(call.world.gitOf(repo), repo, name.slice(cut + 1));
}

/** Forks and their parent share objects. A private repository is hidden from callers without access. */
function isSameNetwork(repo: Repo, other: Repo): boolean {
  return !other.private && (other.forkOfId === repo.id || repo.forkOfId === other.id);
}

async function getBranch(call: RepoCall): Promise<Answer> {
  const name = call.params['branch'] ?? '';
  const sha = await branchTip(call.world.gitOf(call.repo), name);
  if (sha === null) return failedAnswer(404, 'Branch not found');
  const commit = await call.world.gitOf(call.repo).readCommit(sha);
  return okAnswer({
    ...shapeBranch(call, name, sha),
    _links: {
      self: `${repoApi(call.world, call.repo)}/branches/${name}`,
      html: `${repoPage(call.world, call.repo)}/tree/${name}`,
    },
    commit: commit === null ? null : shapeCommit(call.world, call.repo, commit),
  });
}

function shapeBranch(call: RepoCall, name: string, sha: string): JsonObject {
  const api = repoApi(call.world, call.repo);
  const rule = call.repo.protections.find((one) => one.branch === name);
  return {
    name,
    commit: { sha, url: `${api}/commits/${sha}` },
    protected: rule !== undefined,
    protection: {
      enabled: rule !== undefined,
      required_status_checks: {
        enforcement_level: rule === undefined || rule.requiredChecks.length === 0 ? 'off' : 'everyone',
        contexts: [...(rule?.requiredChecks ?? [])],
        checks: [],
      },
    },
    protection_url: `${api}/branches/${name.split('/').map(encodeURIComponent).join('/')}/protection`,
  };
}

async function listTags(call: RepoCall): Promise<Answer> {
  const store = call.world.gitOf(call.repo);
  const api = repoApi(call.world, call.repo);
  const refs = [...(await store.refs('refs/tags/'))].toReversed();
  return answerPage(call, refs, async ([ref, sha]) => {
    const commit = (await peelToCommit(store, sha)) ?? sha;
    const name = ref.slice('refs/tags/'.length);
    return {
      name,
      node_id: nodeId('REF', `${call.repo.id}:${ref}`),
      commit: { sha: commit, url: `${api}/commits/${commit}` },
      zipball_url: `${api}/zipball/${ref}`,
      tarball_url: `${api}/tarball/${ref}`,
    };
  });
}
