/** The GitHub client of verbs that read or change a repository's settings. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { fail, ok, type Result } from '../../domain/values.ts';
import { createClient, type GitHubClient } from '../../github/call.ts';
import { runProgram } from '../../host/process.ts';
import { pathEnv, type VerbIo } from './verb-io.ts';

const PUBLIC_API = 'https://api.github.com';

/**
 * Repository: GITHUB_REPOSITORY or the checkout's `origin`. Token: GITHUB_TOKEN, GH_TOKEN or that of `gh`. API: GITHUB_API_URL or
 * github.com. Fails with what is missing.
 */
export async function connectRepository(io: VerbIo, verb: string): Promise<Result<GitHubClient, string>> {
  const { environment } = io;
  const baseUrl = environment['GITHUB_API_URL'] ?? PUBLIC_API;
  const token = environment['GITHUB_TOKEN'] ?? environment['GH_TOKEN'] ?? (await readTokenOfGh(io, baseUrl));
  if (token === null || token === '')
    return fail(`${verb} needs a token in GITHUB_TOKEN or GH_TOKEN, or a login of gh (gh auth login)`);
  const [owner = '', repo = ''] = ((await readRepositoryName(io)) ?? '').split('/');
  if (owner === '' || repo === '')
    return fail(`${verb} needs GITHUB_REPOSITORY=owner/name, or a checkout with a remote origin`);
  const octokit = new Octokit({ auth: token, baseUrl, userAgent: 'ferrybot', log: QUIET });
  return ok(createClient({ octokit, owner, repo, baseUrl, sleep: (durationMs) => sleep(durationMs), now: Date.now }));
}

/** Silent, because a refused request becomes a part of the answer. */
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

async function readTokenOfGh(io: VerbIo, baseUrl: string): Promise<string | null> {
  const host = baseUrl === PUBLIC_API ? [] : ['--hostname', new URL(baseUrl).hostname];
  const env = { ...pathEnv(io), HOME: io.environment['HOME'] ?? '' };
  const asked = await runProgram('gh', ['auth', 'token', ...host], { env, cwd: io.cwd });
  return asked.ok ? asked.stdout.trim() : null;
}

/** `owner/name`, or null. */
export async function readRepositoryName(io: VerbIo): Promise<string | null> {
  const given = io.environment['GITHUB_REPOSITORY'];
  if (given !== undefined) return given;
  const asked = await runProgram('git', ['remote', 'get-url', 'origin'], { env: pathEnv(io), cwd: io.cwd });
  const found = /[:/]([^/:]+\/[^/]+?)(?:\.git)?$/.exec(asked.stdout.trim());
  return asked.ok ? (found?.[1] ?? null) : null;
}
