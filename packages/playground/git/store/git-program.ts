/** Runs the git program on one bare repository, which it creates if missing. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { git as limits } from '../../limits/limits.ts';
import { gitEnvironment } from './git-environment.ts';

type GitRun = {
  /** Exit status; a run that was killed or could not start throws instead. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
};

export type GitProgram = {
  /** Runs `git <args>` in the repository; the caller judges the exit status. */
  readonly run: (args: readonly string[], input?: Uint8Array | string) => Promise<GitRun>;
  /** The same, but only exit status 0 is accepted: returns the output, or throws with git's error message. */
  readonly read: (args: readonly string[], input?: Uint8Array | string) => Promise<Buffer>;
};

export type RepositoryPlace = {
  readonly directory: string;
  /** Path or name of the git program. */
  readonly gitProgram?: string;
  /** The target of HEAD in a new repository. */
  readonly defaultBranch?: string;
};

/** The program bound to a repository. The first run creates a bare repository in `directory` if there is none. */
export function createGitProgram(place: RepositoryPlace): GitProgram {
  let ready: Promise<void> | null = null;
  const run: GitProgram['run'] = async (args, input = '') => {
    ready ??= ensureRepository(place).catch((cause: unknown) => {
      ready = null;
      throw cause;
    });
    await ready;
    return start(place, [`--git-dir=${place.directory}`, ...args], input);
  };
  return { run, read: async (args, input) => requireOutput(args, await run(args, input)) };
}

/** Creates the bare repository if there is none. */
async function ensureRepository(place: RepositoryPlace): Promise<void> {
  if (await exists(join(place.directory, 'HEAD'))) return;
  const branch = place.defaultBranch ?? 'main';
  const args = ['init', '--bare', '--quiet', '--template=', `--initial-branch=${branch}`, place.directory];
  requireOutput(args, await start(place, args, ''));
}

async function start(place: RepositoryPlace, args: readonly string[], input: Uint8Array | string): Promise<GitRun> {
  const result = await execa(place.gitProgram ?? 'git', args, {
    env: { ...gitEnvironment() },
    extendEnv: false,
    input,
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: limits.outputBytes,
    reject: false,
  });
  const stderr = Buffer.from(result.stderr).toString('utf8');
  if (result.exitCode === undefined || result.isMaxBuffer)
    throw new Error(`git ${args.join(' ')} did not run: ${result.shortMessage ?? stderr}`, { cause: result.cause });
  return { code: result.exitCode, stdout: Buffer.from(result.stdout), stderr };
}

function requireOutput(args: readonly string[], { code, stdout, stderr }: GitRun): Buffer {
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return stdout;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
    throw cause;
  }
}
