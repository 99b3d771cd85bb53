/** Opens a local checkout without copying, fetching, writing or starting its programs, or a person's clone with their credentials. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { GitError, type GitExporter, type GitReader, type GitWriter } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { brandAs, isSha, type Sha } from '../../domain/values.ts';
import { type ProgramResult, runProgram } from '../process.ts';
import { createGitProgram } from './git-program.ts';
import { createGitRunner, type GitCall, type GitIdentity, type GitMirror, gitEnvironment, gitError } from './mirror.ts';
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
  const runInFolder = (call: GitCall): Promise<ProgramResult> =>
    run({ ...call, args: ['--git-dir', directory, ...call.args] });
  const mirror: GitMirror = {
    options: { directory },
    ...createGitRunner(runInFolder, {
      directory,
      ready: async () => undefined,
      env: own,
      fetch: async () => undefined,
    }),
  };
  return { git: createReader(mirror, null), prefix, commitOf: (revision) => resolveCommit(mirror, revision) };
}

async function resolveCommit(mirror: GitMirror, revision: string): Promise<Sha | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = await mirror.run({ args });
  return found.ok ? brandAs(found.stdout.trim(), isSha) : null;
}

export type UserClone = {
  /** `owner/name` from the remote's URL. */
  readonly repository: string;
  readonly defaultBranch: string;
  /** Uses a separate mirror, so the clone is not changed; reads the clone's objects. */
  readonly gitAs: (identity: GitIdentity) => GitReader & GitWriter & GitExporter;
  /** The branch's commits known to this clone, which may be newer than the remote's. */
  readonly seenAt: (branch: string) => Promise<readonly Sha[]>;
  readonly close: () => Promise<void>;
};

/** A person's own clone with their credentials. Null without a remote `origin`. Throws `GitError` if the remote does not answer. */
export async function openUserClone(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<UserClone | null> {
  const plain = userEnvironment(environment);
  const git = (args: readonly string[], env = plain): Promise<ProgramResult> =>
    runProgram('git', args, { cwd: folder, env, timeoutMs: limits.gitNetworkTimeoutMs });
  const top = await git(['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (top.exitCode === null) throw gitError('failed', { args: ['rev-parse'] }, top);
  const url = await git(['config', 'remote.origin.url']);
  const address = url.ok ? parseRemote(url.stdout.trim(), folder) : null;
  if (!top.ok || address === null) return null;
  const common = top.stdout.trim();
  const ofPerson = {
    ...gitEnvironment(plain, await readGitSettings(git)),
    ...pickKeptVariables(plain),
    GIT_ALLOW_PROTOCOL: 'https:http:file:ssh',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(common, 'objects'),
  };
  const named = await git(['ls-remote', '--symref', 'origin', 'HEAD']);
  if (!named.ok) throw gitError('unreachable', { args: ['ls-remote'] }, named);
  const defaultBranch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(named.stdout)?.[1];
  if (defaultBranch === undefined) throw new GitError('unreadable', 'the remote tells no default branch');
  const scratch = await mkdtemp(join(tmpdir(), 'ferrybot-repair-'));
  return {
    repository: address.repository,
    defaultBranch,
    gitAs: createGitProgram({
      directory: join(scratch, 'mirror.git'),
      remoteUrl: address.url,
      token: async () => null,
      environment: plain,
      personalEnv: ofPerson,
    }),
    seenAt: async (branch) => {
      const refs = [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
      const found = await git(['for-each-ref', '--format=%(objectname)', ...refs]);
      if (!found.ok) throw gitError('failed', { args: ['for-each-ref'] }, found);
      return [...new Set(found.stdout.split('\n').filter(isSha))];
    },
    close: () => rm(scratch, { recursive: true, force: true }),
  };
}

/** A path is relative to the clone; URLs and `host:path` stay unchanged. */
function parseRemote(text: string, folder: string): { readonly url: string; readonly repository: string } | null {
  const named = stripSuffix(stripSuffix(text, '/'), '.git').split('/');
  const [name = '', before = ''] = named.toReversed();
  const owner = before.split(/[:\\]/).at(-1) ?? '';
  if (named.length < 2 || name === '' || owner === '') return null;
  const isElsewhere = /^[a-z+]+:\/\//.test(text) || /^[^/]+:/.test(text);
  return { url: isElsewhere ? text : resolve(folder, text), repository: `${owner}/${name}` };
}

function stripSuffix(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}

/** Drops variables that redirect git to another repository or add settings. */
function userEnvironment(environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || (name.startsWith('GIT_') && !KEPT.includes(name)) ? [] : [[name, value]],
    ),
  );
}

/** Credentials of a person's git and ssh. */
const KEPT = ['HOME', 'XDG_CONFIG_HOME', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'SSH_ASKPASS'];

function pickKeptVariables(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => KEPT.includes(name)));
}

const SETTINGS = String.raw`^(credential|http|url)\.|^core\.(sshcommand|askpass|gitproxy)$`;

/** The person's settings for contacting the remote. */
async function readGitSettings(
  git: (args: readonly string[]) => Promise<ProgramResult>,
): Promise<readonly (readonly [string, string])[]> {
  const listed = await git(['config', '--null', '--get-regexp', SETTINGS]);
  return listed.stdout.split('\0').flatMap((entry): readonly (readonly [string, string])[] => {
    const end = entry.indexOf('\n');
    return end === -1 ? [] : [[entry.slice(0, end), entry.slice(end + 1)]];
  });
}
