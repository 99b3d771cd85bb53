/** A lab's own checkout: its repository name, its branch, and its uncommitted changes. */

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { execa } from 'execa';
import { gitEnvironment } from '../../packages/playground/git/store/git-environment.ts';
import { ifThere } from '../../packages/playground/world/if-there.ts';
import { people } from '../../packages/playground/world/seed.ts';

export type Checkout = {
  /** Its top folder, absolute. */
  readonly directory: string;
  /** From its remote `origin`; without one `lab/<folder>`. */
  readonly repository: { readonly owner: string; readonly name: string };
  /** The branch that becomes the default branch. */
  readonly branch: string;
  /** Files that differ from the newest commit, and new ones; they are not served. */
  readonly uncommitted: number;
};

export type CheckoutReading =
  | { readonly ok: true; readonly checkout: Checkout }
  | {
      readonly ok: false;
      readonly code: 'no-folder' | 'no-repository' | 'no-commit' | 'no-branch';
      readonly message: string;
    };

/**
 * Reads the checkout around `directory` without any write, not even to git's index. `branch` null: the branch that is
 * checked out, because a person who tries something is working on it.
 */
export async function readCheckout(directory: string, branch: string | null): Promise<CheckoutReading> {
  if ((await ifThere(stat(directory), ['ENOENT', 'ENOTDIR']))?.isDirectory() !== true)
    return { ok: false, code: 'no-folder', message: `there is no folder ${directory}` };
  const top = await readGit(directory, ['rev-parse', '--show-toplevel']);
  const bare = await readGit(directory, ['rev-parse', '--is-bare-repository']);
  if (top === null && bare !== 'true')
    return { ok: false, code: 'no-repository', message: `${directory} is no checkout of a git repository` };
  const root = top ?? directory;
  const chosen = branch ?? (await readGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']));
  if (chosen === null)
    return { ok: false, code: 'no-branch', message: `${root} has no branch checked out; name one with --branch` };
  const commit = ['rev-parse', '--quiet', '--verify', `refs/heads/${chosen}^{commit}`];
  if ((await readGit(root, commit)) === null)
    return branch === null
      ? { ok: false, code: 'no-commit', message: `${root} has no commit yet; the playground serves commits` }
      : { ok: false, code: 'no-branch', message: `${root} has no branch ${branch}` };
  const changes = top === null ? '' : ((await readGit(root, ['status', '--porcelain'])) ?? '');
  const origin = await readGit(root, ['config', '--get', 'remote.origin.url']);
  return {
    ok: true,
    checkout: {
      directory: root,
      repository: parseRepository(origin, root),
      branch: chosen,
      uncommitted: changes.split('\n').filter((line) => line !== '').length,
    },
  };
}

/**
 * `owner/name` from a remote's address (https, ssh, or `host:owner/name`), else from the folder; in characters that
 * GitHub allows.
 */
export function parseRepository(
  origin: string | null,
  directory: string,
): { readonly owner: string; readonly name: string } {
  const [, owner = 'lab', name = basename(directory)] =
    /^(?:\w+:\/\/[^/]+|[^/]+:)(?:.*\/)?\/?([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(origin ?? '') ?? [];
  const plain = (text: string): string => text.replaceAll(/[^\w.-]/g, '-').replace(/^\.+$|\.git$/, '') || 'lab';
  // An owner with the name of one of the people would give two accounts with one name.
  return { owner: Object.hasOwn(people, owner) ? `${owner}-lab` : plain(owner), name: plain(name) };
}

/** git's output without its last line break; null on failure. */
async function readGit(directory: string, args: readonly string[]): Promise<string | null> {
  const options = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', directory];
  const { exitCode, stdout } = await execa('git', [...options, ...args], {
    env: { ...gitEnvironment() },
    extendEnv: false,
    reject: false,
  });
  if (exitCode === undefined) throw new Error('git could not be run; the playground needs it');
  return exitCode === 0 ? stdout : null;
}
