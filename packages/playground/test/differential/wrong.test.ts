/** What else `emulate` 0.12.2 lacks or does differently: GitHub's answer with its page, ours, and the other one's. */

import type { Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTown } from '../world/town.ts';
import { both, type Step, startEmulator } from './emulated.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.close());

const R = '/repos/{owner}/{repo}';
const issueOf = async (ask: Parameters<Step>[0], title: string): Promise<{ readonly issue_number: number }> => ({
  issue_number: (await ask(`POST ${R}/issues`, { title })).data.number,
});

/** The two answers; the first is GitHub's. */
const differ: readonly (readonly [string, Step, readonly unknown[], readonly unknown[]])[] = [
  [
    'locks an issue without a request body (docs: rest/issues/issues, lock an issue)',
    async (ask) => [(await ask(`PUT ${R}/issues/{issue_number}/lock`, await issueOf(ask, 'L'))).status],
    [204],
    [400],
  ],
  [
    'requires write access to create labels (docs: rest/issues/labels)',
    async (_, other) => [(await other(`POST ${R}/labels`, { name: 'theirs', color: 'ff0000' })).status],
    [403],
    [201],
  ],
  [
    'serves a comparison as a diff (docs: rest/commits, compare two commits)',
    async (ask) => {
      const diff = await ask(`GET ${R}/compare/{basehead}`, { basehead: 'main...main', mediaType: { format: 'diff' } });
      return [typeof diff.data];
    },
    ['string'],
    ['object'],
  ],
  [
    'lets only Apps create check runs (docs: rest/checks/runs)',
    async (ask) => {
      const main = await ask(`GET ${R}/git/ref/{ref}`, { ref: 'heads/main' });
      return [(await ask(`POST ${R}/check-runs`, { name: 'c', head_sha: main.data['object']?.sha })).status];
    },
    [403],
    [201],
  ],
];

describe('where the other emulator is wrong, the playground does what GitHub does:', () => {
  it.each(differ)('%s', async (_, step, github, emulated) => {
    expect(await both(emulator, step)).toEqual({ ours: github, theirs: emulated });
  });

  it('sends a request id and an ETag, and a 304 for unchanged data (docs: best practices for using the REST API)', async () => {
    const town = createTown();
    const ask = (url: string, token: string, headers: Readonly<Record<string, string>> = {}): Request =>
      new Request(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    const [ours, theirs] = ['http://github.test/api/v3/repos/lab/ferries', `${emulator.url}/repos/ada/ferries`];
    const mine = await town.world.fetch(ask(ours, town.seeded.tokens.ada));
    const other = await fetch(ask(theirs, 'ada_token'));
    const hasHeaders = ({ headers }: Response) => ['etag', 'x-github-request-id'].map((name) => headers.has(name));
    expect([hasHeaders(mine), hasHeaders(other)]).toEqual([
      [true, true],
      [false, false],
    ]);
    const again = { 'if-none-match': mine.headers.get('etag') ?? '' };
    expect((await town.world.fetch(ask(ours, town.seeded.tokens.ada, again))).status).toBe(304);
  });

  it('serves GraphQL (docs: graphql)', async () => {
    const town = createTown();
    const ask = (url: string, token: string): Request =>
      new Request(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ query: '{ viewer { login } }' }),
      });
    const ours = await town.world.fetch(ask('http://github.test/api/graphql', town.seeded.tokens.ada));
    expect(await ours.json()).toEqual({ data: { viewer: { login: 'ada' } } });
    expect((await fetch(ask(`${emulator.url}/graphql`, 'ada_token'))).status).toBe(404);
  });

  it('refuses more than eighty comments per minute (docs: rate limits for the REST API)', async () => {
    const statuses = await both(emulator, async (ask) => {
      const at = await issueOf(ask, 'Much');
      const statusCodes = [];
      for (let count = 0; count < 85; count += 1)
        statusCodes.push((await ask(`POST ${R}/issues/{issue_number}/comments`, { ...at, body: `${count}` })).status);
      return [statusCodes.filter((status) => status === 403).length];
    });
    // The issue counts as content, too.
    expect(statuses).toEqual({ ours: [6], theirs: [0] });
  });
});
