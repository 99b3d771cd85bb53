/**
 * The mutation `createCommitOnBranch`: one commit of whole files, if the branch is at the commit that the caller
 * expects.
 */

import { moveMessage, moveRef } from '../git/move-refs.ts';
import { branchTip } from '../git/resolve-commit.ts';
import { userSignature, webFlowSignature } from '../git/shape-commit.ts';
import { changeTree, type PathChange } from '../git/store/git-trees.ts';
import type { Act } from '../threads/threads.ts';
import { graphqlFault } from './fault.ts';
import { commitNode, refNode } from './git-nodes.ts';

export type CommitInput = {
  readonly branch: {
    readonly id?: string | null;
    readonly repositoryNameWithOwner?: string | null;
    readonly branchName?: string | null;
  };
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly fileChanges?: {
    readonly additions: readonly { readonly path: string; readonly contents: string }[];
    readonly deletions: readonly { readonly path: string }[];
  } | null;
  readonly expectedHeadOid: string;
};

/** The author is the caller, the committer is GitHub, as on github.com. */
export async function commitOnBranch(
  act: Act,
  branch: string,
  input: CommitInput,
): Promise<{ readonly commit: object | null; readonly ref: object | null }> {
  const store = act.world.gitOf(act.repo);
  const tip = await branchTip(store, branch);
  if (tip === null) throw graphqlFault('NOT_FOUND', `No branch ${branch}`);
  if (tip !== input.expectedHeadOid) throw staleError(input.expectedHeadOid);
  const base = await store.readCommit(tip);
  const changes = new Map<string, PathChange>();
  for (const file of input.fileChanges?.additions ?? []) {
    const sha = await store.writeBlob(Buffer.from(file.contents, 'base64'));
    changes.set(file.path, { mode: '100644', sha });
  }
  for (const file of input.fileChanges?.deletions ?? []) changes.set(file.path, null);
  const now = act.world.clock.now();
  const { headline, body } = input.message;
  const sha = await store.writeCommit({
    tree: await changeTree(store, base?.tree ?? null, changes),
    parents: [tip],
    author: userSignature(act.actor, now),
    committer: webFlowSignature(now),
    message: typeof body === 'string' && body !== '' ? `${headline}\n\n${body}` : headline,
  });
  const ref = `refs/heads/${branch}`;
  const outcome = await moveRef(act, { ref, sha, expected: tip });
  if (outcome === 'stale') throw staleError(input.expectedHeadOid);
  if (outcome !== 'updated') throw graphqlFault('UNPROCESSABLE', moveMessage(outcome, ref));
  return { commit: await commitNode(act.world, act.repo, sha), ref: await refNode(act.world, act.repo, ref) };
}

function staleError(expected: string): Error {
  return graphqlFault('STALE_DATA', `Expected branch to point to "${expected}" but it did not. Pull and try again.`);
}
