/** Which host `doctor` sends its token to. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { environment } from '../../host/git/scratch-repository.ts';
import { callVerb } from './call-verb.ts';

let checkout: string;
/** URL and token of every request. */
let sent: (readonly [url: string, authorization: string | null])[] = [];

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'ferrybot-host-'));
  sent = [];
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    sent.push([url, new Headers(headers).get('authorization')]);
    return new Response('{"message":"Not Found"}', { status: 404, headers: { 'content-type': 'application/json' } });
  });
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(checkout, { recursive: true });
});

async function doctor(origin: string | null, variables: Readonly<Record<string, string>> = { GITHUB_TOKEN: 'secret' }) {
  await execa('git', ['init', '--quiet'], { cwd: checkout });
  if (origin !== null) await execa('git', ['remote', 'add', 'origin', origin], { cwd: checkout });
  return callVerb('doctor', checkout, ['--json'], '', { ...environment, HOME: checkout, ...variables });
}

describe('doctor without GITHUB_API_URL', () => {
  it.each([
    ['https://github.com/lab/ferries.git', 'https://api.github.com'],
    ['http://github.com/lab/ferries', 'https://api.github.com'],
    ['git@github.com:lab/ferries.git', 'https://api.github.com'],
    ['ssh://git@ssh.github.com:443/lab/ferries.git', 'https://api.github.com'],
    ['https://olga@GitHub.com/lab/ferries', 'https://api.github.com'],
    ['https://acme.ghe.com/lab/ferries.git', 'https://api.acme.ghe.com'],
    ['acme@acme.ghe.com:lab/ferries.git', 'https://api.acme.ghe.com'],
    ['http://127.0.0.1:4610/lab/ferries.git', 'http://127.0.0.1:4610/api/v3'],
  ])('with the origin %s sends its token to %s alone', async (origin, api) => {
    await doctor(origin);
    expect(sent).toEqual([[`${api}/repos/lab/ferries`, 'token secret']]);
  });

  // threat T257
  it.each([
    ['https://git.example.org/lab/ferries.git', 'https://git.example.org/api/v3'],
    ['https://git.example.org:8443/lab/ferries', 'https://git.example.org:8443/api/v3'],
    ['http://git.example.org/lab/ferries', 'https://git.example.org/api/v3'],
    ['ssh://git@git.example.org:2222/lab/ferries.git', 'https://git.example.org/api/v3'],
    ['git@git.example.org:lab/ferries.git', 'https://git.example.org/api/v3'],
    ['https://github.com.example.org/lab/ferries', 'https://github.com.example.org/api/v3'],
  ])(
    'with the origin %s sends the token of the enterprise, not that of github.com, to %s alone',
    async (origin, api) => {
      const answer = await doctor(origin);
      expect(answer).toMatchObject({ code: 2, out: expect.stringContaining('GH_ENTERPRISE_TOKEN') });
      expect(sent).toEqual([]);
      await execa('git', ['remote', 'remove', 'origin'], { cwd: checkout });
      await doctor(origin, { GITHUB_TOKEN: 'secret', GH_ENTERPRISE_TOKEN: 'other' });
      expect(sent).toEqual([[`${api}/repos/lab/ferries`, 'token other']]);
    },
  );

  it('asks the host of the origin for the repository of GITHUB_REPOSITORY', async () => {
    await doctor('git@github.com:lab/other.git', { GITHUB_TOKEN: 'secret', GITHUB_REPOSITORY: 'lab/ferries' });
    expect(sent).toEqual([['https://api.github.com/repos/lab/ferries', 'token secret']]);
  });

  it.each([
    [null],
    ['/srv/git/lab/ferries.git'],
    ['file:///srv/git/lab/ferries.git'],
    // A name of ~/.ssh/config.
    ['work:lab/ferries.git'],
  ])('sends nothing if the origin %s names no host', async (origin) => {
    const answer = await doctor(origin, { GITHUB_TOKEN: 'secret', GITHUB_REPOSITORY: 'lab/ferries' });
    expect(answer).toMatchObject({ code: 2, out: expect.stringContaining('GITHUB_API_URL') });
    expect(sent).toEqual([]);
  });

  it.each([
    ['git@github.com:lab/ferries.git', 'github.com'],
    ['git@git.example.org:lab/ferries.git', 'git.example.org'],
    ['https://acme.ghe.com/lab/ferries.git', 'acme.ghe.com'],
  ])('with the origin %s takes the token of gh for %s', async (origin, host) => {
    await writeFile(join(checkout, 'gh'), '#!/bin/sh\necho "$*" | tr . -\n', { mode: 0o755 });
    await doctor(origin, { PATH: `${checkout}:${process.env['PATH']}` });
    expect(sent.map(([, authorization]) => authorization)).toEqual([
      `token auth token --hostname ${host.replaceAll('.', '-')}`,
    ]);
  });
});

describe('doctor with GITHUB_API_URL', () => {
  it('sends its token there, and nothing to the host of the origin', async () => {
    const variables = { GITHUB_TOKEN: 'secret', GITHUB_API_URL: 'https://git.example.org/api/v3' };
    await doctor('git@github.com:lab/ferries.git', variables);
    expect(sent).toEqual([['https://git.example.org/api/v3/repos/lab/ferries', 'token secret']]);
  });

  it('takes the token of gh for github.com from the address of its API', async () => {
    await writeFile(join(checkout, 'gh'), '#!/bin/sh\necho "$*" | tr . -\n', { mode: 0o755 });
    const variables = { PATH: `${checkout}:${process.env['PATH']}`, GITHUB_API_URL: 'https://api.github.com' };
    await doctor('git@git.example.org:lab/ferries.git', variables);
    expect(sent.map(([, authorization]) => authorization)).toEqual(['token auth token --hostname github-com']);
  });
});
