/** Files by which resolving, building or starting Python runs code of the tree, before any job does: none of them may be the change's own. */

import type { ShipRefusal } from '../../actions/launch.ts';
import { traitsOf } from '../../config/engine-traits.ts';
import { GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { firstOf } from '../../host/git/tree-on-disk.ts';
import { isBuildFile } from '../../run/build-files.ts';
import type { OpenLane } from '../open-lab.ts';

/**
 * Where a lab's script submits, it may resolve and build what it ships (`uv export`) with the cluster's token in reach
 * (docs/decisions/0038-whose-code-runs-beside-the-token.md). So the commit's build files have to be those of a commit of
 * the default branch, the last that both have in common. Over the Jobs API, and locally, nothing is built before the job.
 */
export async function changedBuildFiles(
  { config, git }: Pick<OpenLane, 'config' | 'git'>,
  commit: Sha,
  defaultBranch: string,
): Promise<ShipRefusal | { readonly kind: 'same'; readonly isBuilt: boolean }> {
  if (traitsOf(config, config.lane.cluster)?.buildsChange !== true) return { kind: 'same', isBuilt: false };
  const refused = (code: ShipRefusal['code'], why: string): ShipRefusal => ({
    kind: 'refused',
    code,
    effect: code === 'unreadable' ? 'standing' : 'ending',
    why,
  });
  try {
    const tip = await git.resolve(`refs/heads/${defaultBranch}`);
    const base = tip === null ? null : await git.mergeBase(tip, commit);
    if (base === null) return refused('unreadable', `no commit of ${defaultBranch} is one of the change's`);
    const changed = (await git.changedPaths(base, commit)).filter(isBuildFile);
    return changed.length === 0
      ? { kind: 'same', isBuilt: true }
      : refused('build-files-changed', firstOf(changed));
  } catch (error) {
    if (error instanceof GitError) return refused('unreadable', error.message);
    throw error;
  }
}
