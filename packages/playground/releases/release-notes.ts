/**
 * The notes that GitHub generates for a release (docs: automatically generated release notes), without custom
 * categories.
 */

import type { RepoCall } from '../api/route.ts';
import { resolveCommit } from '../git/resolve-commit.ts';
import { repoPage } from '../git/shape-repo.ts';
import { playground } from '../limits/limits.ts';
import { threadPage } from '../threads/shape-issue.ts';
import { listIssuesOf, userById } from '../world/lookup.ts';

/** The merged pull requests since the previous release, by title, author and address. */
export async function generateNotes(
  call: RepoCall,
  tag: string,
  target: string,
  previous?: string,
): Promise<{ readonly name: string; readonly body: string }> {
  const { world, repo } = call;
  const store = world.gitOf(repo);
  const releases = Object.values(world.state.releases).filter((row) => row.repoId === repo.id && !row.draft);
  const before = previous ?? releases.findLast((row) => row.tag !== tag)?.tag ?? null;
  const to = (await resolveCommit(store, repo, tag)) ?? (await resolveCommit(store, repo, target));
  const from = before === null ? null : await resolveCommit(store, repo, before);
  const limit = playground.commitsWalked;
  const commits = to === null ? [] : await store.log({ from: to, ...(from === null ? {} : { not: from }), limit });
  const shas = new Set(commits.map(({ sha }) => sha));
  const merged = listIssuesOf(world, repo).filter(({ pull }) => shas.has(pull?.mergeCommitSha ?? ''));
  const lines = merged.map((issue) => {
    const { login } = userById(world, issue.authorId);
    return `* ${issue.title} by @${login} in ${threadPage(world, repo, issue)}`;
  });
  const page = repoPage(world, repo);
  const log = before === null ? `${page}/commits/${tag}` : `${page}/compare/${before}...${tag}`;
  const changed = lines.length === 0 ? '' : `## What's Changed\n${lines.join('\n')}\n\n`;
  return { name: tag, body: `${changed}**Full Changelog**: ${log}` };
}
