/** Faults switched from outside, over HTTP: a seed gives one history, and the reported strikes really happened. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultSite, openFaultSite } from './fault-site.ts';

let site: FaultSite;
beforeEach(async () => {
  site = await openFaultSite();
});
afterEach(() => site.close());

const on = async (...faults: readonly object[]): Promise<void> => {
  const { status, answer } = await site.control('PUT', { faults });
  expect([status, answer]).toEqual([200, expect.anything()]);
};
const LABELS = { kind: 'server-error', rate: 0.3, seed: 7, route: 'GET /repos/*/labels' };
const ISSUES = { kind: 'server-error', rate: 0.3, seed: 9, route: 'GET /repos/*/issues' };

describe('a seed', () => {
  it('strikes the same requests regardless of other requests and other faults', async () => {
    await on(LABELS);
    const expected = await site.marks(60);
    expect(expected).toMatch(/^(?=.*x)(?=.*\.)/);
    await on();
    await on(ISSUES, { kind: 'slow', rate: 0.5, seed: 3, durationMs: 1 }, LABELS);
    let actual = '';
    for (let index = 0; index < 60; index += 1) {
      actual += await site.marks(1);
      await site.marks(1, '/issues');
    }
    expect(actual).toBe(expected);
  });

  it('keeps its history when an earlier fault in the list is switched off', async () => {
    await on(LABELS);
    const expected = await site.marks(60);
    await on();
    await on(ISSUES, LABELS);
    const first = await site.marks(30);
    await on(LABELS);
    expect(first + (await site.marks(30))).toBe(expected);
  });

  it('starts again when the fault is switched off and on', async () => {
    await on(LABELS);
    const first = await site.marks(30);
    await on();
    expect(await site.marks(30)).not.toContain('x');
    await on(LABELS);
    expect(await site.marks(30)).toBe(first);
  });

  it('keeps its history over a restart', async () => {
    await on(LABELS);
    const expected = await site.marks(40);
    await on();
    await on(LABELS);
    const before = await site.marks(15);
    const kept = site.kept();
    await site.close();
    site = await openFaultSite(kept);
    expect(before + (await site.marks(25))).toBe(expected);
  });
});

describe('two faults on one route', () => {
  it('can both strike: an answer is late and an error', async () => {
    await on(
      { kind: 'slow', rate: 1, durationMs: 60, route: 'GET /repos/lab/ferries/labels' },
      { kind: 'server-error', rate: 1, route: 'GET /api/v3/repos/lab/ferries/labels' },
    );
    const since = performance.now();
    expect(await site.ask('bot', 'GET', '/labels')).toBeGreaterThanOrEqual(500);
    expect(performance.now() - since).toBeGreaterThanOrEqual(55);
    expect((await site.control('GET')).answer).toMatchObject({ struck: { slow: 1, 'server-error': 1 } });
  });

  it('spare people separately: one includes people, the other does not', async () => {
    await on({ kind: 'server-error', rate: 1 }, { kind: 'lost-request', rate: 1, route: 'GET */issues', people: true });
    expect(await site.ask('ada', 'GET', '/labels')).toBe(200);
    expect(await site.ask('ada', 'GET', '/issues')).toBe('broken');
    expect(await site.ask('bot', 'GET', '/labels')).toBeGreaterThanOrEqual(500);
  });
});

describe('switching faults off', () => {
  it('releases a slow answer of an hour immediately, and the request succeeds', async () => {
    await on({ kind: 'slow', rate: 1, durationMs: 3_600_000 });
    const late = site.ask('bot', 'POST', '/issues', { title: 'Late' });
    await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
    await on();
    expect(await late).toBe(201);
  });

  it('keeps the slow answers of a fault that stays on', async () => {
    const slow = { kind: 'slow', rate: 1, durationMs: 300, seed: 4 };
    await on(slow);
    const since = performance.now();
    const late = site.ask('bot', 'GET', '/labels');
    await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
    await on(ISSUES, slow);
    expect(await late).toBe(200);
    expect(performance.now() - since).toBeGreaterThanOrEqual(295);
  });

  it('ends the secondary limit of a removed fault although another fault is on', async () => {
    await on({ kind: 'secondary-limit', rate: 1, route: 'POST */issues' }, ISSUES);
    expect(await site.ask('bot', 'GET', '/labels')).toBe(200);
    expect(await site.ask('bot', 'POST', '/issues', { title: 'Refused' })).toBe(403);
    expect(await site.ask('bot', 'POST', '/labels', { name: 'a', color: 'ffffff' })).toBe(403);
    await on(ISSUES);
    expect(await site.ask('bot', 'POST', '/issues', { title: 'Taken' })).toBe(201);
  });
});

it('closes without a wait for slow answers', async () => {
  await on({ kind: 'slow', rate: 1, durationMs: 3_600_000 });
  const late = site.ask('bot', 'GET', '/labels');
  await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
  await site.close();
  expect(await late).toBe(200);
  site = await openFaultSite();
});

it('counts only real strikes: no first read as stale, and no read for a limit on writes', async () => {
  await on({ kind: 'stale-read', rate: 1 });
  await site.marks(1, '/issues');
  await site.ask('ada', 'POST', '/issues', { title: 'New' });
  expect((await site.control('GET')).answer).toMatchObject({ struck: {} });
  await site.marks(1, '/issues');
  await on({ kind: 'secondary-limit', rate: 1 });
  await site.marks(3);
  expect((await site.control('GET')).answer['struck']).toEqual({ 'stale-read': 1 });
});

it('sends a doubled webhook twice with one GUID, and matches webhook faults by event', async () => {
  await on(
    { kind: 'webhook-doubled', rate: 1, route: 'issues' },
    { kind: 'webhook-dropped', rate: 1, route: 'pull_*' },
  );
  await site.ask('bot', 'POST', '/issues', { title: 'Twice' });
  await expect.poll(() => site.heard.length).toBe(2);
  expect(new Set(site.heard.map(({ guid }) => guid)).size).toBe(1);
});

describe('a malformed control request', () => {
  it.each([
    ['an unknown field', { faults: [{ kind: 'slow', rate: 1, routes: 'GET /x' }] }, 'routes'],
    ['an unknown field next to the list', { fault: [] }, 'fault'],
    ['an unknown kind', { faults: [{ kind: 'earthquake', rate: 1 }] }, 'faults[0].kind'],
    ['no rate', { faults: [{ kind: 'slow' }] }, 'faults[0].rate'],
    ['a rate in percent', { faults: [{ kind: 'slow', rate: 20 }] }, 'faults[0].rate'],
    ['a path without a method', { faults: [{ kind: 'slow', rate: 1, route: '/repos/x' }] }, 'METHOD /path'],
    ['a webhook fault on a path', { faults: [{ kind: 'webhook-dropped', rate: 1, route: 'POST /x' }] }, 'event'],
    ['a push fault with another route', { faults: [{ kind: 'push-answer-lost', rate: 1, route: 'pull' }] }, 'push'],
    ['a clock fault on a route', { faults: [{ kind: 'clock-skew', rate: 1, route: 'GET /x' }] }, 'no routes'],
    ['a negative delay', { faults: [{ kind: 'slow', rate: 1, durationMs: -5 }] }, 'durationMs'],
    ['too many faults', { faults: Array(33).fill({ kind: 'slow', rate: 0 }) }, 'faults'],
    ['a body that is not an object', [], 'object'],
  ])('is refused with the position of the error: %s', async (_what, body, place) => {
    await on(LABELS);
    const { status, answer } = await site.control('PUT', body);
    expect([status, String(answer['message'])]).toEqual([422, expect.stringContaining(place)]);
    expect((await site.control('GET')).answer['faults']).toEqual([expect.objectContaining(LABELS)]);
  });

  it('with a pattern full of stars causes no slow matching', async () => {
    await on({ kind: 'slow', rate: 1, route: `GET ${'*a'.repeat(95)}*b` });
    const before = process.cpuUsage();
    expect(await site.ask('bot', 'GET', `/labels?${'a'.repeat(10)}`)).toBe(200);
    expect(await site.ask('bot', 'GET', `/contents/${'a'.repeat(4_000)}`)).toBe(403);
    const { user, system } = process.cpuUsage(before);
    expect(user + system, 'microseconds of processor').toBeLessThan(2_000_000);
  });
});
