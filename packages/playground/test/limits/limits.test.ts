/** GitHub's limits (docs.github.com/rest: rate limits for the REST API) and the answers to a caller over a limit. */

import { describe, expect, it } from 'vitest';
import { rateUsage, spendRequest } from '../../limits/rate.ts';
import { secondaryUsage } from '../../limits/secondary.ts';
import { at, createTown, refusal } from '../world/town.ts';

const comment = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

async function talkative(
  isPerson = false,
): Promise<{
  readonly town: ReturnType<typeof createTown>;
  readonly say: (count: number) => Promise<number>;
  readonly bot: ReturnType<ReturnType<typeof createTown>['asInstallation']>;
}> {
  const town = createTown();
  await town.as(town.seeded.tokens.ada).request('POST /repos/{owner}/{repo}/issues', { ...at, title: 'T' });
  const bot = isPerson ? town.as(town.seeded.tokens.mira) : town.asInstallation();
  const postComments = async (count: number): Promise<number> => {
    for (let posted = 0; posted < count; posted += 1) {
      try {
        await bot.request(comment, { ...at, issue_number: 1, body: `line ${posted}` });
      } catch (error) {
        if (!(error instanceof Error) || !('status' in error) || error.status !== 403) throw error;
        return posted;
      }
    }
    return count;
  };
  return { town, say: postComments, bot };
}

describe('content', () => {
  it('is limited to eighty per minute, with retry-after; reads are still allowed', async () => {
    const { town, say, bot } = await talkative();
    expect(await say(100)).toBe(80);
    town.advance(20_000);
    const refused = bot.request(comment, { ...at, issue_number: 1, body: 'more' });
    const { status, message } = await refusal(refused);
    expect([status, message]).toEqual([403, expect.stringContaining('secondary rate limit')]);
    await expect(refused).rejects.toMatchObject({ response: { headers: { 'retry-after': '40' } } });
    expect(
      (await bot.request('GET /repos/{owner}/{repo}/issues/{issue_number}', { ...at, issue_number: 1 })).status,
    ).toBe(200);
    town.advance(41_000);
    expect(await say(1)).toBe(1);
  });

  it('is limited to five hundred per hour, for people too', async () => {
    const { town, say } = await talkative(true);
    let posted = 0;
    for (let minute = 0; minute < 8; minute += 1) {
      posted += await say(80);
      town.advance(61_000);
    }
    expect(posted).toBe(500);
    town.advance(60 * 60_000);
    expect(await say(1)).toBe(1);
  });

  it('is counted separately for each caller', async () => {
    const { town, say } = await talkative();
    await say(80);
    const ada = town.as(town.seeded.tokens.ada);
    expect((await ada.request(comment, { ...at, issue_number: 1, body: 'hi' })).status).toBe(201);
  });
});

describe('points', () => {
  it('are limited to nine hundred per minute', async () => {
    const { town, bot } = await talkative();
    const statuses: number[] = [];
    const read = 'GET /repos/{owner}/{repo}/labels';
    for (let count = 0; count < 905; count += 1) {
      statuses.push(
        await bot.request(read, at).then(
          ({ status }) => status,
          () => 403,
        ),
      );
    }
    expect(statuses.indexOf(403)).toBe(900);
    town.advance(61_000);
    expect((await bot.request(read, at)).status).toBe(200);
  });
});

describe('concurrent requests', () => {
  it('are limited to a hundred', async () => {
    const { town } = await talkative();
    const ada = town.as(town.seeded.tokens.ada);
    const read = (): Promise<number> =>
      ada.request('GET /repos/{owner}/{repo}/labels', at).then(
        ({ status }) => status,
        () => 403,
      );
    const statuses = await Promise.all(Array.from({ length: 120 }, read));
    expect(statuses.filter((status) => status === 403)).toHaveLength(20);
    expect(await read()).toBe(200);
  });
});

describe('usage', () => {
  it('is listed by caller', async () => {
    const { town, say } = await talkative();
    await say(3);
    const key = Object.keys(secondaryUsage(town.world)).find((name) => name.startsWith('installation:')) ?? '';
    expect(secondaryUsage(town.world)[key]).toEqual({
      contentLastMinute: 3,
      contentLastHour: 3,
      pointsLastMinute: 15,
      graphqlPointsLastMinute: 0,
      inFlight: 0,
    });
    expect(rateUsage(town.world)[key]).toMatchObject({ limit: 5_000, used: 3 });
  });
});

describe('GraphQL', () => {
  const query = 'query { viewer { login } rateLimit { limit used remaining } }';

  it('has its own hourly budget; over it, the answer is 200 with an error, and REST still works', async () => {
    const town = createTown();
    const mira = town.as(town.seeded.tokens.mira);
    const ask = async (): Promise<unknown> =>
      (await mira.request('POST /graphql', { baseUrl: 'http://github.test/api', query })).data;
    expect(await ask()).toMatchObject({ data: { rateLimit: { limit: 5_000, used: 1, remaining: 4_999 } } });
    expect(rateUsage(town.world)['user:mira']).toBeUndefined();
    const userId = Number((await mira.request('GET /user')).data.id);
    for (let count = 1; count < 5_000; count += 1) spendRequest(town.world, { kind: 'user', userId }, 'graphql');
    expect(await ask()).toMatchObject({ errors: [{ type: 'RATE_LIMITED' }] });
    expect((await mira.request('GET /user')).status).toBe(200);
    expect((await mira.request('GET /rate_limit')).data.resources).toMatchObject({
      core: { used: 2 },
      graphql: { remaining: 0 },
    });
  });

  it('has two thousand points per minute, separate from the nine hundred of REST', async () => {
    const town = createTown();
    const mira = town.as(town.seeded.tokens.mira);
    const ask = () => mira.request('POST /graphql', { baseUrl: 'http://github.test/api', query });
    for (let count = 0; count < 2_000; count += 1) await ask();
    expect((await refusal(ask())).message).toContain('secondary rate limit');
    for (let count = 0; count < 900; count += 1) await mira.request('GET /user');
    expect((await refusal(mira.request('GET /user'))).message).toContain('secondary rate limit');
    town.advance(61_000);
    await ask();
    await mira.request('GET /user');
  });
});

describe('retry-after', () => {
  it('is exact: a request with any cost is accepted after that wait', async () => {
    const { town, bot } = await talkative();
    const read = () => bot.request('GET /repos/{owner}/{repo}/labels', at);
    for (let reads = 0; reads < 900; reads += 1) {
      if (reads % 300 === 0) town.advance(1_000);
      await read();
    }
    for (let waits = 0; waits < 4; waits += 1) town.advance(5_000);
    const write = () =>
      bot.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', { ...at, issue_number: 1, state: 'closed' });
    const refused = write();
    await expect(refused).rejects.toMatchObject({ response: { headers: { 'retry-after': '38' } } });
    town.advance(38_000);
    expect((await write()).status).toBe(200);
  });
});
