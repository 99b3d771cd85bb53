// A bare repository on disk as the remote, with git commands on it as another person would run them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { GitReader, GitWriter } from '../../../src/domain/git.ts';
import { brandAs, isSha, type Sha } from '../../../src/domain/values.ts';
import { createGitProgram } from '../../../src/host/git/git-program.ts';
import { runProgram } from '../../../src/host/process.ts';

export const environment = { PATH: process.env['PATH'] ?? '' };
export const identity = { name: 'Example Lab', email: 'lab@example.org' };
export const AT_MS = Date.parse('2026-11-21T09:00:00Z');

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function createScratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrybot-test-git-'));
  made.push(folder);
  return folder;
}

export type Remote = {
  readonly path: string;
  /** Runs git in the bare repository; throws on failure. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Runs a shell script there with $1, $2, …, and returns the last line of its output. */
  readonly shell: (script: string, ...args: readonly string[]) => Promise<string>;
  /** The bot's git with its own mirror. */
  readonly client: (changes?: { readonly remoteUrl?: string; readonly directory?: string }) => GitReader & GitWriter;
};

export async function createBareRepository(): Promise<Remote> {
  const path = join(createScratchFolder(), 'remote.git');
  const git = async (...args: readonly string[]): Promise<string> => {
    const result = await runProgram('git', ['-C', path, ...args], { env: { ...environment, ...anybody } });
    if (!result.ok) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
    return result.stdout.trim();
  };
  const made = await runProgram('git', ['init', '--quiet', '--bare', '-b', 'main', path], { env: environment });
  if (!made.ok) throw new Error(made.stderr);
  await git('config', 'uploadpack.allowFilter', 'true');
  await git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  return {
    path,
    git,
    shell: async (script, ...args) => {
      const env = { ...environment, ...anybody };
      const result = await runProgram('sh', ['-c', script, 'sh', ...args], { env, cwd: path });
      if (!result.ok) throw new Error(`${script}: ${result.stderr}`);
      return result.stdout.trim();
    },
    client: (changes) =>
      createGitProgram({
        directory: join(createScratchFolder(), 'mirror.git'),
        remoteUrl: `file://${path}`,
        token: async () => null,
        environment,
        ...changes,
      })(identity),
  };
}

const anybody = {
  GIT_AUTHOR_NAME: 'bob',
  GIT_AUTHOR_EMAIL: 'bob@example.org',
  GIT_COMMITTER_NAME: 'bob',
  GIT_COMMITTER_EMAIL: 'bob@example.org',
};

/** A first commit on main, made through the client. */
export async function pushFirstCommit(client: GitWriter, files: Readonly<Record<string, string>>): Promise<Sha> {
  const outcome = await client.commitAndPush({
    ref: 'refs/heads/main',
    expected: null,
    parent: 'expected',
    files,
    message: 'first',
    atMs: AT_MS,
  });
  if (outcome.kind !== 'pushed') throw new Error(JSON.stringify(outcome));
  return outcome.sha;
}

export const sha = (text: string): Sha => brandAs(text, isSha);
