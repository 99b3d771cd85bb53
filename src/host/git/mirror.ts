/** The bot's own bare copy of a repository: made when it is missing, repaired after a crash, thrown away at will. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cutTextFromEnd } from '../../domain/cut-text.ts';
import { GitError, type GitErrorCode } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { gitEnvironment, tokenConfig } from './environment.ts';

/** A lock file of git older than this belongs to a process that was killed. */
const GIT_LOCK_STALE_MS = 10 * 60 * 1_000;

/** Everything that the git program needs to know; `directory` belongs to this process alone. */
export type MirrorOptions = {
  /** The mirror's directory; made when it is not there. It holds nothing that cannot be fetched again. */
  readonly directory: string;
  /** `https://…`, `http://…`, or the path of a repository on this machine; without a password in it. */
  readonly remoteUrl: string;
  /** A token that is valid now; asked for before each command that may speak to the remote. */
  readonly token: () => Promise<string | null>;
  /** What git needs of the environment: PATH, and proxy and certificate settings where there are any. */
  readonly environment: Readonly<Record<string, string>>;
  readonly networkTimeoutMs?: number;
  /** The whole environment of git where a person's own settings are to count: how they prove who they are. */
  readonly ofPerson?: Readonly<Record<string, string>>;
};

/** One git command in the mirror. */
export type GitCall = {
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs git in the mirror, which is there and in order when a call begins. */
export type GitMirror = {
  readonly options: MirrorOptions;
  /** Contents that are known to be here, asked for or written: nobody has to ask the remote for them. */
  readonly here: KnownBlobs;
  /** The result, whatever it is. */
  run(call: GitCall): Promise<ProgramResult>;
  /** Standard output of a command that must succeed; otherwise `GitError` with this code. */
  output(call: GitCall, code: GitErrorCode): Promise<string>;
};

export type KnownBlobs = {
  readonly note: (ids: readonly string[]) => void;
  readonly has: (id: string) => boolean;
};

/** Ids that are kept: ten looks at a thousand runs. Of those that were forgotten the remote is asked once more. */
const KNOWN_BLOBS_MAX = 20_000;

/** Knows of none. */
export function knownBlobs(): KnownBlobs {
  const known = new Set<string>();
  return {
    has: (id) => known.has(id),
    note: (ids) => {
      for (const id of ids) known.add(id);
      for (const oldest of known) {
        if (known.size <= KNOWN_BLOBS_MAX) return;
        known.delete(oldest);
      }
    },
  };
}

/** The mirror in `options.directory`; nothing happens before the first call. */
export function createMirror(options: MirrorOptions): GitMirror {
  let ready: Promise<void> | null = null;
  const run = async (call: GitCall): Promise<ProgramResult> => {
    ready ??= prepare(options);
    try {
      await ready;
    } catch (error) {
      // A disk that was full is no reason to fail for ever: the next call tries again.
      ready = null;
      throw error;
    }
    return runGit(options, call);
  };
  const output = async (call: GitCall, code: GitErrorCode): Promise<string> => {
    const result = await run(call);
    if (!result.ok) throw gitError(code, call, result);
    return result.stdout;
  };
  return { options, here: knownBlobs(), run, output };
}

/** A failed command as an error: git's last words, which never hold the token, since git was not told it. */
export function gitError(code: GitErrorCode, call: GitCall, result: ProgramResult): GitError {
  return new GitError(code, `git ${call.args[0] ?? ''}: ${lastWords(result)}`);
}

/** What git said at the end, short enough for a person. */
export function lastWords(result: ProgramResult): string {
  const said = result.stderr.trim() === '' ? result.stdout : result.stderr;
  const tail = cutTextFromEnd(said.trim(), limits.messageCharactersMax);
  return `${result.kind}${result.exitCode === null ? '' : ` ${result.exitCode}`}${tail === '' ? '' : `: ${tail}`}`;
}

async function runGit(options: MirrorOptions, call: GitCall): Promise<ProgramResult> {
  const file = await writeToken(options);
  const token = file === null ? {} : { GIT_CONFIG_GLOBAL: file };
  try {
    return await runProgram('git', ['--git-dir', options.directory, ...call.args], {
      env: { ...(options.ofPerson ?? gitEnvironment(options.environment)), ...token, ...call.env },
      timeoutMs: options.networkTimeoutMs ?? limits.gitNetworkTimeoutMs,
      outputBytesMax: limits.logbookFileBytesMax,
      ...(call.input === undefined ? {} : { input: call.input }),
    });
  } finally {
    if (file !== null) await rm(file, { force: true });
  }
}

/**
 * The file that tells one git command the token, there for as long as the command runs: an environment, like a list of
 * arguments, is read by every program of the same user, and a job of ours may be one.
 */
async function writeToken(options: MirrorOptions): Promise<string | null> {
  const text = tokenConfig(options.remoteUrl, await options.token());
  if (text === null) return null;
  const file = join(options.directory, `${randomUUID()}.token`);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new GitError('failed', `the file that tells git the token: ${cause.message}`, { cause });
  }
  return file;
}

/** `git init` and `git config` may be run again on what a crash left half done. */
async function prepare(options: MirrorOptions): Promise<void> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  await removeStaleLocks(options.directory);
  await must(options, ['init', '--quiet', '--bare']);
  for (const [key, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', options.remoteUrl],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialCloneFilter', 'blob:none'],
  ] as const) {
    await must(options, ['config', key, value]);
  }
}

async function must(options: MirrorOptions, args: readonly string[]): Promise<void> {
  const result = await runGit(options, { args });
  if (!result.ok) throw gitError('failed', { args }, result);
}

/** A killed git leaves its lock files, and every later command would stop at them; a killed process of ours a token. */
async function removeStaleLocks(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:lock|token)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > GIT_LOCK_STALE_MS) await rm(path, { force: true });
  }
}
