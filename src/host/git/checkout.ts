/** Reads a local checkout without copying, fetching or writing, and without starting programs from it. */

import { GitError, type GitReader } from '../../domain/git.ts';
import { branded, isSha, type Sha } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { gitEnvironment } from './environment.ts';
import { type GitCall, type GitMirror, gitError, mirrorOf } from './mirror.ts';
import { createReader } from './read.ts';

export type Checkout = {
  readonly git: GitReader;
  /** The folder within the checkout, with a slash at its end; empty: the root. */
  readonly prefix: string;
  /** The commit of a revision (branch, tag, `HEAD~1`), or null. */
  readonly commitOf: (revision: string) => Promise<Sha | null>;
};

/** The checkout that contains `folder`, or null. Throws `GitError` if git cannot be started. */
export async function openCheckout(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Checkout | null> {
  const own = {
    // It may belong to another user, which is safe because nothing in it is started.
    ...gitEnvironment(environment, [['safe.directory', '*']]),
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
  };
  const run = ({ args, env, input }: GitCall): Promise<ProgramResult> =>
    runProgram('git', args, {
      cwd: folder,
      env: { ...own, ...env },
      ...(input === undefined ? {} : { input }),
      timeoutMs: limits.gitNetworkTimeoutMs,
      outputBytesMax: limits.logbookFileBytesMax,
    });
  const found = await run({ args: ['rev-parse', '--absolute-git-dir', '--show-prefix'] });
  if (found.exitCode === null) throw gitError('failed', { args: ['rev-parse'] }, found);
  if (!found.ok) return null;
  const [directory = '', prefix = ''] = found.stdout.split('\n');
  const inPlace = (call: GitCall): Promise<ProgramResult> =>
    run({ ...call, args: ['--git-dir', directory, ...call.args] });
  const mirror: GitMirror = {
    options: { directory },
    ...mirrorOf(inPlace, {
      directory,
      ready: async () => undefined,
      env: own,
      fetch: async () => undefined,
    }),
  };
  return {
    git: { ...createReader(mirror), fetch: neverFetched },
    prefix,
    commitOf: (revision) => commitOf(mirror, revision),
  };
}

async function neverFetched(): Promise<void> {
  throw new GitError('failed', 'a checkout is read as it stands');
}

async function commitOf(mirror: GitMirror, revision: string): Promise<Sha | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = await mirror.run({ args });
  return found.ok ? branded(found.stdout.trim(), isSha) : null;
}
