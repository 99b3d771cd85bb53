/** The bot's bare copy of a repository. It is created on demand, repaired after a crash, and disposable. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitErrorCode } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { cutTextFromEnd } from '../../domain/values.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { createObjects, type GitObjects, type ObjectsOptions } from './objects.ts';

/** A git setting that overrides all config files. */
type Setting = readonly [key: string, value: string];

/** Author of commits and tags: `git.name` and `git.email` in the config. */
export type GitIdentity = { readonly name: string; readonly email: string };

/**
 * An environment for git with only our settings. Prevents hooks, helpers and aliases of the machine or a fetched repository, prompts,
 * replace refs, and transports that run commands (`ext::`).
 */
export function gitEnvironment(
  base: Readonly<Record<string, string>>,
  settings: readonly Setting[] = [],
): Readonly<Record<string, string>> {
  const fixed = {
    ...base,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: 'https:http:file',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: '0',
  };
  return withSettings(fixed, [...FIXED, ...settings]);
}

/**
 * A config file with the remote's credentials, or null. The token is a header because URLs are logged; redirects are disabled, so the
 * header reaches no other host.
 */
function tokenConfig(remoteUrl: string, token: string | null): string | null {
  const isHttp = remoteUrl.startsWith('https://') || remoteUrl.startsWith('http://');
  if (token === null || !isHttp) return null;
  const basic = Buffer.from(`x-access-token:${token}`, 'utf8').toString('base64');
  const scope = new URL('/', remoteUrl).href;
  return `[http "${scope}"]\n\textraHeader = Authorization: Basic ${basic}\n`;
}

const FIXED: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['gc.autoDetach', 'false'],
  ['log.showSignature', 'false'],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['i18n.commitEncoding', 'utf-8'],
  ['i18n.logOutputEncoding', 'utf-8'],
  ['advice.detachedHead', 'false'],
];

/** Adds settings to an environment, in variables: without a file or command-line arguments. */
function withSettings(
  environment: Readonly<Record<string, string>>,
  settings: readonly Setting[],
): Readonly<Record<string, string>> {
  const first = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...environment, GIT_CONFIG_COUNT: String(first + settings.length), ...Object.fromEntries(numbered) };
}

/** An older git lock belongs to a killed process. */
const GIT_LOCK_STALE_MS = 10 * 60 * 1_000;

/** `directory` belongs to this process. */
export type MirrorOptions = {
  /** Created if missing. Its contents are disposable, because git can refetch them. */
  readonly directory: string;
  /** `https://…`, `http://…` or a local path, without a password. */
  readonly remoteUrl: string;
  /** Called before each command that may contact the remote. */
  readonly token: () => Promise<string | null>;
  /** PATH, proxy and certificate settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Complete environment with a person's own git settings and credentials. */
  readonly personalEnv?: Readonly<Record<string, string>>;
};

export type GitCall = {
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Gets no credentials and fetches no missing objects. */
  readonly isLocal?: true;
};

export type GitMirror = {
  readonly options: Pick<MirrorOptions, 'directory'>;
  readonly objects: GitObjects;
  readonly refs: GitRefs;
  run(call: GitCall): Promise<ProgramResult>;
  /** Standard output; throws `GitError` with this code on failure. */
  output(call: GitCall, code: GitErrorCode): Promise<string>;
};

/** The refs at the last fetch, updated by this process's later pushes. */
export type GitRefs = {
  /** Full name → object. */
  readonly all: () => Promise<ReadonlyMap<string, string>>;
  readonly note: (ref: string, object: string) => Promise<void>;
  /** Whether this process has pushed the ref, or any ref, since the refs were listed. */
  readonly isOurs: (ref?: string) => boolean;
  /** After a fetch. */
  readonly forget: () => void;
};

/** Nothing happens before the first call. */
export function createMirror(options: MirrorOptions): GitMirror {
  let preparing: Promise<void> | null = null;
  const ready = async (): Promise<void> => {
    preparing ??= prepareMirror(options);
    try {
      await preparing;
    } catch (error) {
      // Retry on the next call, for example after a full disk.
      preparing = null;
      throw error;
    }
  };
  const run = async (call: GitCall): Promise<ProgramResult> => {
    await ready();
    return runGit(options, call);
  };
  return {
    options,
    ...createGitRunner(run, {
      directory: options.directory,
      ready,
      env: gitProcessEnvironment(options),
      fetch: async (ids) => {
        const args = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '--quiet', '--no-tags'];
        await run({
          args: [...args, '--no-write-fetch-head', '--filter=blob:none', '--stdin', 'origin'],
          input: ids.map((id) => `${id}\n`).join(''),
        });
      },
    }),
  };
}

/** The parts of a mirror that depend only on how git is run. */
export function createGitRunner(run: GitMirror['run'], objects: ObjectsOptions): Omit<GitMirror, 'options'> {
  const output: GitMirror['output'] = async (call, code) => {
    const result = await run(call);
    if (!result.ok) throw gitError(code, call, result);
    return result.stdout;
  };
  const ours = new Set<string>();
  let refs: Promise<Map<string, string>> | null = null;
  const list = async (): Promise<Map<string, string>> => {
    const args = ['for-each-ref', '--format=%(refname) %(objectname)'];
    const listed = await output({ args, isLocal: true }, 'failed');
    return new Map(listed.split('\n').map((line) => [line.slice(0, -41), line.slice(-40)]));
  };
  const all = async (): Promise<Map<string, string>> => {
    refs ??= list();
    try {
      return await refs;
    } catch (error) {
      refs = null;
      throw error;
    }
  };
  return {
    run,
    output,
    objects: createObjects(objects),
    refs: {
      all,
      note: async (ref, object) => {
        (await all()).set(ref, object);
        ours.add(ref);
      },
      isOurs: (ref) => (ref === undefined ? ours.size > 0 : ours.has(ref)),
      forget: () => {
        refs = null;
        ours.clear();
      },
    },
  };
}

/** Includes the end of git's output, which cannot contain the token. */
export function gitError(code: GitErrorCode, call: GitCall, result: ProgramResult): GitError {
  return new GitError(code, `git ${call.args[0] ?? ''}: ${lastLines(result)}`);
}

/** The end of git's output, shortened. */
export function lastLines(result: ProgramResult): string {
  const said = result.stderr.trim() === '' ? result.stdout : result.stderr;
  const tail = cutTextFromEnd(said.trim(), limits.messageCharactersMax);
  return `${result.kind}${result.exitCode === null ? '' : ` ${result.exitCode}`}${tail === '' ? '' : `: ${tail}`}`;
}

async function runGit(options: MirrorOptions, call: GitCall): Promise<ProgramResult> {
  const file = call.isLocal === true ? null : await writeToken(options);
  const token = file === null ? {} : { GIT_CONFIG_GLOBAL: file };
  const settings = call.isLocal === true ? [] : remoteSetting(options);
  try {
    return await runProgram('git', ['--git-dir', options.directory, ...call.args], {
      env: { ...withSettings(gitProcessEnvironment(options), settings), ...token, ...call.env },
      timeoutMs: limits.gitNetworkTimeoutMs,
      outputBytesMax: limits.logbookFileBytesMax,
      ...(call.input === undefined ? {} : { input: call.input }),
    });
  } finally {
    if (file !== null) await rm(file, { force: true });
  }
}

function gitProcessEnvironment({ personalEnv, environment }: MirrorOptions): Readonly<Record<string, string>> {
  return personalEnv ?? gitEnvironment(environment);
}

/** Settings of the remote. They are not in the mirror's config file, so that commands without them cannot fetch. */
function remoteSetting({ remoteUrl }: MirrorOptions): readonly (readonly [string, string])[] {
  return [
    ['remote.origin.url', remoteUrl],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialCloneFilter', 'blob:none'],
  ];
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

/** Creates the files of `git init --bare` without a process. Idempotent, so that it repairs a half-created mirror. */
async function prepareMirror({ directory }: MirrorOptions): Promise<void> {
  for (const folder of ['objects', 'refs/heads'])
    await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
  await removeStaleLocks(directory);
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(directory, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
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
