/** The GitHub client of verbs that read or change a repository's settings. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { fail, ok, type Result } from '../../domain/values.ts';
import { createClient, type GitHubClient } from '../../github/call.ts';
import { runProgram } from '../../host/process.ts';
import { pathEnv, type VerbIo } from './verb-io.ts';

/**
 * Repository: GITHUB_REPOSITORY or the checkout's `origin`. API: GITHUB_API_URL or the host of `origin`, and no other host gets the token.
 * Token: a variable for this host, or that of `gh`. Fails with what is missing.
 */
export async function connectRepository(io: VerbIo, verb: string): Promise<Result<GitHubClient, string>> {
  const { environment } = io;
  const named = environment['GITHUB_API_URL'];
  const baseUrl = named ?? findApi((await readOrigin(io)) ?? '');
  if (baseUrl === null)
    return fail(`${verb} needs GITHUB_API_URL, or a checkout whose remote origin names the host of GitHub`);
  // The rule of gh: whoever wrote the origin of a clone must not choose who gets the token of github.com.
  const variables =
    named !== undefined || OWN_HOST.test(baseUrl)
      ? ['GITHUB_TOKEN', 'GH_TOKEN']
      : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
  const token = variables.map((name) => environment[name]).find(Boolean) ?? (await readTokenOfGh(io, baseUrl));
  if (token === null || token === '')
    return fail(`${verb} needs a token in ${variables.join(' or ')}, or a login of gh (gh auth login)`);
  const [owner = '', repo = ''] = ((await readRepositoryName(io)) ?? '').split('/');
  if (owner === '' || repo === '')
    return fail(`${verb} needs GITHUB_REPOSITORY=owner/name, or a checkout with a remote origin`);
  const octokit = new Octokit({ auth: token, baseUrl, userAgent: 'ferrybot', log: QUIET });
  return ok(createClient({ octokit, owner, repo, baseUrl, sleep: (durationMs) => sleep(durationMs), now: Date.now }));
}

/** GitHub's own hosts, and a playground on this machine. */
const OWN_HOST = /^(?:https:\/\/api\.(?:github|[^./]+\.ghe)\.com$|http:)/;

/** The REST address for a remote. Null for a path, and for a name without a dot, which only the configuration of ssh can resolve. */
function findApi(remote: string): string | null {
  // git also writes user@host:owner/name.
  const url = URL.parse(remote.replace(/^([^/:]+):(?!\/\/)/, 'ssh://$1/'));
  const host = url?.hostname.toLowerCase().replace(/^ssh\.github\.com$/, 'github.com') ?? '';
  if (url?.protocol === 'http:' && /^(?:127\.0\.0\.1|localhost)$/.test(host)) return `${url.origin}/api/v3`;
  if (!host.includes('.')) return null;
  if (/^(?:github\.com|[^.]+\.ghe\.com)$/.test(host)) return `https://api.${host}`;
  return `https://${url?.protocol === 'https:' ? url.host : host}/api/v3`;
}

/** Silent, because a refused request becomes a part of the answer. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The address of GitHub's pages. github.com and `*.ghe.com` have their API on another host. */
export function findWebOrigin(baseUrl: string): string {
  return new URL(baseUrl).origin.replace(/\/\/api\.(?=(?:github|[^.]+\.ghe)\.com$)/, '//');
}

async function readTokenOfGh(io: VerbIo, baseUrl: string): Promise<string | null> {
  // Without a host, gh answers with the token of any host.
  const host = new URL(findWebOrigin(baseUrl)).hostname;
  const env = { ...pathEnv(io), HOME: io.environment['HOME'] ?? '' };
  const asked = await runProgram('gh', ['auth', 'token', '--hostname', host], { env, cwd: io.cwd });
  return asked.ok ? asked.stdout.trim() : null;
}

/** `owner/name`, or null. */
export async function readRepositoryName(io: VerbIo): Promise<string | null> {
  const given = io.environment['GITHUB_REPOSITORY'];
  if (given !== undefined) return given;
  return /[:/]([^/:]+\/[^/]+?)(?:\.git)?$/.exec((await readOrigin(io)) ?? '')?.[1] ?? null;
}

async function readOrigin(io: VerbIo): Promise<string | null> {
  const asked = await runProgram('git', ['remote', 'get-url', 'origin'], { env: pathEnv(io), cwd: io.cwd });
  return asked.ok ? asked.stdout.trim() : null;
}
