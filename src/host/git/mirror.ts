/** The bot's bare copy of a repository. It is created on demand, repaired after a crash, and disposable. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitErrorCode } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { cutTextFromEnd } from '../../domain/text.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { gitEnvironment, tokenConfig } from './environment.ts';

/** An older git lock belongs to a killed process. */
const GIT_LOCK_STALE_MS = 10 * 60 * 1_000;

/** `directory` belongs to this process. */
export type MirrorOptions = {
  /** Created if missing; everything in it can be fetched again. */
  readonly directory: string;
  /** `https://…`, `http://…` or a local path, without a password. */
  readonly remoteUrl: string;
  /** Called before each command that may contact the remote. */
  readonly token: () => Promise<string | null>;
  /** PATH, proxy and certificate settings. */
  readonly environment: Readonly<Record<string, string>>;
  readonly networkTimeoutMs?: number;
  /** Complete environment with a person's own git settings and credentials. */
  readonly ofPerson?: Readonly<Record<string, string>>;
};

export type GitCall = {
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export type GitMirror = {
  readonly options: MirrorOptions;
  /** Blobs known to be local, which need no request. */
  readonly here: KnownBlobs;
  run(call: GitCall): Promise<ProgramResult>;
  /** Standard output; throws `GitError` with this code on failure. */
  output(call: GitCall, code: GitErrorCode): Promise<string>;
};

export type KnownBlobs = {
  readonly note: (ids: readonly string[]) => void;
  readonly has: (id: string) => boolean;
};

/** Forgotten ids cost one more request. */
const KNOWN_BLOBS_MAX = 20_000;

/** An empty set of known blobs, bounded in size. */
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

/** Nothing happens before the first call. */
export function createMirror(options: MirrorOptions): GitMirror {
  let ready: Promise<void> | null = null;
  const run = async (call: GitCall): Promise<ProgramResult> => {
    ready ??= prepare(options);
    try {
      await ready;
    } catch (error) {
      // Retry on the next call, for example after a full disk.
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

/** Includes the end of git's output, which cannot contain the token. */
export function gitError(code: GitErrorCode, call: GitCall, result: ProgramResult): GitError {
  return new GitError(code, `git ${call.args[0] ?? ''}: ${lastWords(result)}`);
}

/** The end of git's output, shortened. */
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
 * The credentials file of one git command. Environments and arguments are readable by other programs of the same user, such as our jobs.
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

/** Idempotent, so that it repairs a half-created mirror. */
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

/** Locks of a killed git block later commands; also removes leftover token files. */
async function removeStaleLocks(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:lock|token)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > GIT_LOCK_STALE_MS) await rm(path, { force: true });
  }
}
