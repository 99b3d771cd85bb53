/** The consequences of a moved branch (by API, git push or merge button): pull request updates and `push` events. */

import { github } from '../limits/limits.ts';
import { dismissStale } from '../pulls/review-changes.ts';
import { type Act, emitIssue, putIssue, rereadRepo } from '../threads/threads.ts';
import { emitChange } from '../world/emit.ts';
import type { JsonObject } from '../world/json.ts';
import { asPull, listIssuesOf, type PullIssue } from '../world/lookup.ts';
import type { Activity } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import { nextId } from '../world/world.ts';
import { updatePullRefs } from './pull-refs.ts';
import { peelToCommit } from './resolve-commit.ts';
import { userByAddress } from './shape-commit.ts';
import { repoPage } from './shape-repo.ts';
import type { CommitObject } from './store/git-store.ts';

/** A moved ref; null = it did not exist before, or was deleted. */
export type MovedRef = { readonly ref: string; readonly before: string | null; readonly after: string | null };

const zeros = '0'.repeat(40);
const commitsInPayload = 20;

/** Call it after git has the new tips. It updates pull requests, then emits events, in GitHub's order. */
export async function recordPush(act: Act, moved: readonly MovedRef[], at: 'push' | 'merge' = 'push'): Promise<void> {
  const changed = moved.filter((one) => one.before !== one.after);
  if (changed.length === 0) return;
  const repo = rereadRepo(act);
  act.world.state.repos[repo.id] = { ...repo, pushedAtMs: act.world.clock.now() };
  const tags = changed.filter(({ ref }) => ref.startsWith('refs/tags/'));
  for (const one of changed) {
    await recordActivity(act, one, at);
    if (tags.length <= github.tagsPerPushEvent || !tags.includes(one)) await emitPush(act, one);
    if (one.ref.startsWith('refs/heads/')) await updatePulls(act, one.ref.slice('refs/heads/'.length), one);
  }
}

/** Only branches have an activity view (docs.github.com/rest/repos: list repository activities). */
async function recordActivity(act: Act, moved: MovedRef, at: 'push' | 'merge'): Promise<void> {
  if (!moved.ref.startsWith('refs/heads/')) return;
  const id = nextId(act.world, 'activities');
  act.world.state.activities[id] = {
    id,
    repoId: act.repo.id,
    ref: moved.ref,
    before: moved.before ?? zeros,
    after: moved.after ?? zeros,
    kind: await activityKind(act, moved, at),
    actorId: act.actor.id,
    atMs: act.world.clock.now(),
  };
}

async function activityKind(act: Act, { before, after }: MovedRef, at: 'push' | 'merge'): Promise<Activity['kind']> {
  if (after === null) return 'branch_deletion';
  if (before === null) return 'branch_creation';
  if (at === 'merge') return 'pr_merge';
  return (await act.world.gitOf(act.repo).isAncestor(before, after)) ? 'push' : 'force_push';
}

/**
 * A branch can be the head of pull requests here and, in a fork, of pull requests in its parent; it can be the base of
 * pull requests here.
 */
async function updatePulls(act: Act, branch: string, moved: MovedRef): Promise<void> {
  const parent = act.repo.forkOfId === undefined ? undefined : act.world.state.repos[act.repo.forkOfId];
  for (const repo of parent === undefined ? [act.repo] : [act.repo, parent]) {
    for (const row of listIssuesOf(act.world, rereadRepo({ ...act, repo }))) {
      const issue = asPull(row);
      if (issue === null || issue.state !== 'open') continue;
      const { headRef, headRepoId, baseRef } = issue.pull;
      if (headRef === branch && headRepoId === act.repo.id) await updateHead({ ...act, repo }, issue, moved);
      else if (baseRef === branch && repo.id === act.repo.id && moved.after !== null)
        await updateBase(act, issue, moved.after);
    }
  }
}

async function updateHead(act: Act, issue: PullIssue, moved: MovedRef): Promise<void> {
  const now = act.world.clock.now();
  if (moved.after === null) {
    const closed = { state: 'closed', closedAtMs: now, closedById: act.actor.id, updatedAtMs: now } as const;
    await emitIssue(act, putIssue(act.world, { ...issue, ...closed }), 'closed');
    return;
  }
  const pull = { ...issue.pull, headSha: moved.after };
  const renewed = await updatePullRefs(act, { ...issue, pull, updatedAtMs: now });
  await emitIssue(act, renewed, 'synchronize', { before: moved.before ?? zeros, after: moved.after });
  await dismissStale(act, renewed);
}

/** If the base already contains the head, a person merged manually. */
async function updateBase(act: Act, issue: PullIssue, tip: string): Promise<void> {
  const store = act.world.gitOf(act.repo);
  if (!(await store.isAncestor(issue.pull.headSha, tip))) {
    await updatePullRefs(act, { ...issue, pull: { ...issue.pull, baseSha: tip } });
    return;
  }
  const now = act.world.clock.now();
  const merged = { mergedAtMs: now, mergedById: act.actor.id, mergeCommitSha: tip };
  const closed = { state: 'closed', closedAtMs: now, closedById: act.actor.id, updatedAtMs: now } as const;
  await emitIssue(act, putIssue(act.world, { ...issue, ...closed, pull: { ...issue.pull, ...merged } }), 'closed');
}

async function emitPush(act: Act, moved: MovedRef): Promise<void> {
  // GitHub sends webhooks only for branches and tags; other refs move without events.
  const branch = moved.ref.startsWith('refs/heads/');
  if (!branch && !moved.ref.startsWith('refs/tags/')) return;
  const common = { action: null, repo: act.repo, sender: act.actor, byTokenKind: act.caller.kind };
  const short = moved.ref.replace(/^refs\/(heads|tags)\//, '');
  const refType = branch ? 'branch' : 'tag';
  if (moved.before === null || moved.after === null) {
    const about = { ref: short, ref_type: refType, pusher_type: 'user' };
    const made = { ...about, master_branch: act.repo.defaultBranch, description: act.repo.description };
    await emitChange(
      act.world,
      moved.after === null
        ? { ...common, type: 'delete', payload: about }
        : { ...common, type: 'create', payload: made },
    );
  }
  await emitChange(act.world, { ...common, type: 'push', payload: await pushPayload(act, moved) });
}

/** docs.github.com/webhooks: the `push` payload. */
async function pushPayload(act: Act, moved: MovedRef): Promise<JsonObject> {
  const store = act.world.gitOf(act.repo);
  const { before, after } = moved;
  const forced = before !== null && after !== null && !(await store.isAncestor(before, after));
  const tip = after === null ? null : await peelToCommit(store, after);
  const known = before ?? (await findForkPoint(act, moved));
  // A tag adds no commits; a new branch adds those that are not on the default branch.
  const commits =
    tip === null || moved.ref.startsWith('refs/tags/')
      ? []
      : await store.log({ from: tip, ...(known === null ? {} : { not: known }), limit: commitsInPayload });
  const shaped = await Promise.all(commits.toReversed().map((commit) => pushedCommit(act, commit)));
  const head = tip === null ? null : await store.readCommit(tip);
  return {
    ref: moved.ref,
    before: before ?? zeros,
    after: after ?? zeros,
    base_ref: null,
    created: before === null,
    deleted: after === null,
    forced,
    compare: `${repoPage(act.world, act.repo)}/compare/${before ?? zeros}...${after ?? zeros}`,
    commits: shaped,
    head_commit: head === null ? null : await pushedCommit(act, head),
    pusher: { name: act.actor.login, email: act.actor.email },
  };
}

/** The default branch's tip, which a new branch usually starts from; null for itself and in an empty repository. */
async function findForkPoint(act: Act, { ref }: MovedRef): Promise<string | null> {
  const main = `refs/heads/${act.repo.defaultBranch}`;
  return ref === main ? null : ((await act.world.gitOf(act.repo).refs(main)).get(main) ?? null);
}

async function pushedCommit(act: Act, commit: CommitObject): Promise<JsonObject> {
  const parent = commit.parents[0];
  const files = parent === undefined ? [] : await act.world.gitOf(act.repo).diff(parent, commit.sha);
  const paths = (status: string): readonly string[] =>
    files.filter((file) => file.status === status).map((file) => file.path);
  const person = (signature: CommitObject['author']): JsonObject => {
    const user = userByAddress(act.world, signature.email);
    return { name: signature.name, email: signature.email, ...(user === null ? {} : { username: user.login }) };
  };
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message.replace(/\n$/, ''),
    timestamp: toIso(commit.author.atMs),
    url: `${repoPage(act.world, act.repo)}/commit/${commit.sha}`,
    author: person(commit.author),
    committer: person(commit.committer),
    added: paths('added'),
    removed: paths('removed'),
    modified: [...paths('modified'), ...paths('renamed')],
  };
}
