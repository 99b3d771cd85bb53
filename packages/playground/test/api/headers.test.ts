/** Request headers and answer headers, on successes and refusals. */

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listen } from '../../http/server.ts';
import { at, createTown, type Town } from '../world/town.ts';

const issues = '/repos/lab/ferries/issues';

function ask(
  town: Town,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  token: string | null = town.seeded.tokens.ada,
  init: { readonly method?: string; readonly body?: string } = {},
): Promise<Response> {
  const who = token === null ? {} : { authorization: `Bearer ${token}` };
  return town.world.fetch(
    new Request(`http://github.test/api/v3${path}`, { ...init, headers: { ...who, ...headers } }),
  );
}

const used = (answer: Response): number => Number(answer.headers.get('x-ratelimit-used'));

describe('every answer', () => {
  it('has the rate limit headers, refusals and 304 included; a 304 and /rate_limit are not counted', async () => {
    const town = createTown();
    const first = await ask(town, issues);
    expect(used(first)).toBe(1);
    const endMs = Number(first.headers.get('x-ratelimit-reset')) * 1000;
    expect(endMs - town.world.clock.now()).toBe(60 * 60 * 1000);
    town.advance(60_000);
    const etag = first.headers.get('etag') ?? '';
    const answers = [
      [200, 2, await ask(town, issues)],
      [404, 3, await ask(town, '/repos/lab/nothing')],
      [304, 3, await ask(town, issues, { 'if-none-match': etag })],
      [304, 3, await ask(town, issues, { 'if-none-match': `"other", ${etag}` })],
      [200, 3, await ask(town, '/rate_limit')],
      [403, 4, await ask(town, `${issues}/1/lock`, {}, town.seeded.tokens.ada, { method: 'PUT', body: '{' })],
      [422, 5, await ask(town, issues, {}, town.seeded.tokens.ada, { method: 'POST', body: '{}' })],
    ] as const;
    for (const [status, count, answer] of answers) {
      const expected = status === 403 ? 400 : status;
      expect([answer.status, used(answer)]).toEqual([expected, count]);
      expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(`${5_000 - count}`);
      expect(Number(answer.headers.get('x-ratelimit-reset')) * 1000).toBe(endMs);
    }
  });

  it('to a guest counts against the limit, even if it is a 304', async () => {
    const town = createTown();
    const first = await ask(town, issues, {}, null);
    const again = await ask(town, issues, { 'if-none-match': first.headers.get('etag') ?? '' }, null);
    expect([again.status, used(first), used(again)]).toEqual([304, 1, 2]);
  });

  it('names the API version; an unknown version is a 400', async () => {
    const town = createTown();
    const answer = await ask(town, issues, { 'x-github-api-version': '2022-11-28' });
    expect([answer.status, answer.headers.get('x-github-api-version-selected')]).toEqual([200, '2022-11-28']);
    for (const version of ['2021-01-01', 'latest', '2022-11-28 '])
      expect((await ask(town, issues, { 'x-github-api-version': version })).status).toBe(
        version.trim() === '2022-11-28' ? 200 : 400,
      );
  });

  it('is JSON by default; rendered formats are refused with 501, and other formats with 415', async () => {
    const town = createTown();
    for (const accept of ['', '*/*', 'application/json', 'application/vnd.github.v3+json', 'application/*'])
      expect([accept, (await ask(town, issues, { accept })).status]).toEqual([accept, 200]);
    for (const form of ['html', 'text', 'full', 'v3.html'])
      expect((await ask(town, issues, { accept: `application/vnd.github.${form}+json` })).status).toBe(501);
    for (const accept of ['text/html', 'application/xml', 'image/png, text/plain'])
      expect((await ask(town, issues, { accept })).status).toBe(415);
  });
});

describe('over HTTP', () => {
  it('refuses a request without a User-Agent with 403, as GitHub does', async () => {
    const town = createTown();
    const server = await listen(0);
    if (!server.ok) throw new Error(server.reason);
    server.serve({
      world: town.world,
      clock: null,
      onBug: (error) => {
        throw error;
      },
    });
    const get = (headers: Readonly<Record<string, string>>) =>
      new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
        request(`${server.origin}/api/v3/repos/${at.owner}/${at.repo}`, { headers }, (answer) => {
          void text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
        })
          .on('error', reject)
          .end();
      });
    expect(await get({})).toMatchObject({ status: 403, body: expect.stringContaining('User-Agent') });
    expect((await get({ 'user-agent': 'a lab' })).status).toBe(200);
    await server.close();
  });
});
