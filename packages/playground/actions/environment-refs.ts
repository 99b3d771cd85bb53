/** Which refs may use an environment (docs.github.com/actions: deployment branches and tags). */

import { fnmatch } from '../rules/fnmatch.ts';
import type { Environment, Repo } from '../world/state.ts';

/** Whether a run of this full ref may use the environment. */
export function mayUseEnvironment(repo: Repo, environment: Environment, ref: string): boolean {
  if (environment.defaultBranchOnly) return ref === `refs/heads/${repo.defaultBranch}`;
  const { refs } = environment;
  if (refs === undefined) return true;
  return refs.some(({ name, type }) => {
    const folder = type === 'branch' ? 'refs/heads/' : 'refs/tags/';
    return ref.startsWith(folder) && fnmatch(name).test(ref.slice(folder.length));
  });
}
