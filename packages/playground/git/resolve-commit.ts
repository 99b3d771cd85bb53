/** Resolves a commit name (a SHA, a branch, a tag, `HEAD`) to a commit's SHA. */

import type { Repo } from '../world/state.ts';
import type { GitStore, Sha } from './store/git-store.ts';

const tagDepth = 5;

/** Null when the name leads to no commit. Branches win over tags, as on GitHub. */
export async function resolveCommit(store: GitStore, repo: Repo, name: string): Promise<Sha | null> {
  if (/^[0-9a-f]{40}$/.test(name)) return peelToCommit(store, name);
  const wanted = name === 'HEAD' || name === '' ? `heads/${repo.defaultBranch}` : name;
  const refs = await store.refs();
  const candidates = wanted.startsWith('refs/')
    ? [wanted]
    : [`refs/heads/${wanted}`, `refs/tags/${wanted}`, `refs/${wanted}`];
  for (const candidate of candidates) {
    const sha = refs.get(candidate);
    if (sha !== undefined) return peelToCommit(store, sha);
  }
  return null;
}

/** Follows annotated tags to their commit. */
export async function peelToCommit(store: GitStore, sha: Sha): Promise<Sha | null> {
  let here = sha;
  for (let depth = 0; depth < tagDepth; depth += 1) {
    if ((await store.readCommit(here)) !== null) return here;
    const tag = await store.readTag(here);
    if (tag === null) return null;
    here = tag.object;
  }
  return null;
}

/** The type of the object with a SHA. */
export async function typeOfObject(store: GitStore, sha: Sha): Promise<'commit' | 'tag' | 'tree' | 'blob' | null> {
  if ((await store.readCommit(sha)) !== null) return 'commit';
  if ((await store.readTag(sha)) !== null) return 'tag';
  if ((await store.readTree(sha)) !== null) return 'tree';
  return (await store.readBlob(sha)) === null ? null : 'blob';
}

export async function branchTip(store: GitStore, branch: string): Promise<Sha | null> {
  const ref = `refs/heads/${branch}`;
  return (await store.refs(ref)).get(ref) ?? null;
}
