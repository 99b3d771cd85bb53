/** Faults on demand: the effect of each one on a request, a webhook or a clock, and that one seed gives one history. */

import { describe, expect, it } from 'vitest';
import { type Fault, faultSchema } from '../../faults/fault.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { startWebhooks } from '../../webhooks/webhooks.ts';
import { createTown, type Town } from '../world/town.ts';

const always = (fault: Partial<Fault> & Pick<Fault, 'kind'>): Fault => faultSchema.parse({ rate: 1, ...fault });

/** One request of the bot; `broken` for a broken connection. */
async function ask(town: Town, method: string, path: string, body?: object): Promise<Response | 'broken'> {
  const row = Object.values(town.world.state.installations)[0];
  if (row === undefined) throw new Error('no installation');
  const bot = botTokens.get(town) ?? mintInstallationToken(town.world, row, row.permissions, null).token;
  botTokens.set(town, bot);
  try {
    return await town.world.fetch(
      new Request(`http://github.test/api/v3/repos/lab/ferries${path}`, {
        method,
        headers: { authorization: `Bearer ${bot}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  } catch (error) {
    if (error instanceof TypeError) return 'broken';
    throw error;
  }
}
const botTokens = new WeakMap<Town, string>();

const status = (answer: Response | 'broken'): number | 'broken' => (answer === 'broken' ? answer : answer.status);
const issues = (town: Town): number => Object.keys(town.world.state.issues).length;

function townWith(...faults: readonly Fault[]): Town {
  const town = createTown();
  town.world.state.settings.faults = faults;
  return town;
}

describe('a request', () => {
  it('gets a server error and has no effect', async () => {
    const town = townWith(always({ kind: 'server-error' }));
    expect(status(await ask(town, 'POST', '/issues', { title: 'T' }))).toBeGreaterThanOrEqual(500);
    expect(issues(town)).toBe(0);
  });

  it('is lost before it has an effect, or its answer is lost afterwards', async () => {
    const before = townWith(always({ kind: 'lost-request' }));
    expect(await ask(before, 'POST', '/issues', { title: 'T' })).toBe('broken');
    expect(issues(before)).toBe(0);
    const after = townWith(always({ kind: 'lost-answer' }));
    expect(await ask(after, 'POST', '/issues', { title: 'T' })).toBe('broken');
    expect(issues(after)).toBe(1);
  });

  it('gets a late answer', async () => {
    const town = townWith(always({ kind: 'slow', durationMs: 9_000 }));
    const startMs = town.world.clock.now();
    expect(status(await ask(town, 'GET', '/issues'))).toBe(200);
    expect(town.world.clock.now() - startMs).toBe(9_000);
  });

  it('gets an outdated answer, at most a minute old', async () => {
    const town = townWith(always({ kind: 'stale-read', durationMs: 60_000 }));
    const count = async (): Promise<number> => {
      const answer = await ask(town, 'GET', '/issues');
      const rows: unknown = answer === 'broken' ? null : await answer.json();
      return Array.isArray(rows) ? rows.length : -1;
    };
    expect(await count()).toBe(0);
    await ask(town, 'POST', '/issues', { title: 'T' });
    expect(await count()).toBe(0);
    town.advance(61_000);
    expect(await count()).toBe(1);
  });

  it('starts a secondary limit that refuses every write of the token for a minute, but no read', async () => {
    const town = townWith(always({ kind: 'secondary-limit' }));
    const refused = await ask(town, 'POST', '/issues', { title: 'T' });
    if (refused === 'broken') throw new Error('broken');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, '60']);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('secondary rate limit') });
    town.advance(20_000);
    const again = await ask(town, 'POST', '/issues', { title: 'T' });
    expect(again === 'broken' ? null : again.headers.get('retry-after')).toBe('40');
    expect(status(await ask(town, 'GET', '/issues'))).toBe(200);
    town.world.state.settings.faults = [];
    expect(status(await ask(town, 'POST', '/issues', { title: 'T' }))).toBe(201);
  });

  it('of a person is spared unless the fault includes people', async () => {
    const town = townWith(always({ kind: 'server-error' }));
    const asAda = (): Promise<Response> =>
      town.world.fetch(
        new Request('http://github.test/api/v3/user', {
          headers: { authorization: `Bearer ${town.seeded.tokens.ada}` },
        }),
      );
    expect((await asAda()).status).toBe(200);
    town.world.state.settings.faults = [always({ kind: 'server-error', people: true })];
    expect((await asAda()).status).toBeGreaterThanOrEqual(500);
  });

  it('is struck only on the named routes', async () => {
    const town = townWith(always({ kind: 'lost-request', route: 'POST /repos/*/issues' }));
    expect(await ask(town, 'POST', '/issues', { title: 'T' })).toBe('broken');
    expect(status(await ask(town, 'GET', '/issues'))).toBe(200);
    expect(status(await ask(town, 'POST', '/labels', { name: 'a', color: 'ffffff' }))).toBe(201);
  });

  it('is struck at the given rate, in the same places for the same seed', async () => {
    const history = async (seed: number): Promise<string> => {
      const town = townWith(always({ kind: 'lost-request', rate: 0.2, seed }));
      let marks = '';
      for (let count = 0; count < 200; count += 1)
        marks += (await ask(town, 'GET', '/labels')) === 'broken' ? 'x' : '.';
      return marks;
    };
    const first = await history(7);
    expect(await history(7)).toBe(first);
    expect(await history(8)).not.toBe(first);
    const struck = first.split('x').length - 1;
    expect(struck).toBeGreaterThan(20);
    expect(struck).toBeLessThan(60);
  });
});

describe('webhooks', () => {
  const received = async (
    fault: Fault,
    count = 3,
    sleep?: () => Promise<void>,
  ): Promise<{ readonly numbers: number[]; readonly town: Town }> => {
    const town = townWith(fault);
    if (sleep !== undefined) Object.assign(town.world.clock, { sleep });
    const numbers: number[] = [];
    const hooks = startWebhooks(town.world, async (request) => {
      const payload: { readonly issue: { readonly number: number } } = JSON.parse(await request.text());
      numbers.push(payload.issue.number);
      return new Response('ok');
    });
    for (let index = 0; index < count; index += 1) {
      await ask(town, 'POST', '/issues', { title: `T${index}` });
      await hooks.settled();
    }
    await hooks.close();
    return { numbers, town };
  };

  it('are lost, doubled or late', async () => {
    expect((await received(always({ kind: 'webhook-dropped' }))).numbers).toEqual([]);
    expect((await received(always({ kind: 'webhook-doubled' }))).numbers).toEqual([1, 1, 2, 2, 3, 3]);
    const late = await received(always({ kind: 'webhook-delayed', durationMs: 5_000 }));
    expect(late.numbers).toEqual([1, 2, 3]);
  });

  it('overtake each other: a held one is sent after the next', async () => {
    const fault = always({ kind: 'webhook-reordered', rate: 0.5, seed: 3 });
    const { numbers } = await received(fault, 12, () => new Promise(() => undefined));
    expect(numbers).not.toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    // The last one may still be delayed.
    expect(numbers.length).toBeGreaterThanOrEqual(11);
  });
});

describe('the clock', () => {
  it('of GitHub is skewed against real time, and its answers have that date', async () => {
    const town = createTown();
    const trueMs = town.world.clock.now();
    town.world.state.settings.faults = [always({ kind: 'clock-skew', durationMs: -300_000 })];
    expect(town.world.clock.now()).toBe(trueMs - 300_000);
    const answer = await ask(town, 'GET', '/labels');
    expect(answer === 'broken' ? null : answer.headers.get('date')).toBe(new Date(trueMs - 300_000).toUTCString());
  });
});
