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
  it('strikes the same ones whatever goes on elsewhere, and whatever else is on', async () => {
    await on(LABELS);
    const alone = await site.marks(60);
    expect(alone).toMatch(/^(?=.*x)(?=.*\.)/);
    await on();
    await on(ISSUES, { kind: 'slow', rate: 0.5, seed: 3, durationMs: 1 }, LABELS);
    let beside = '';
    for (let index = 0; index < 60; index += 1) {
      beside += await site.marks(1);
      await site.marks(1, '/issues');
    }
    expect(beside).toBe(alone);
  });

  it('goes on with its history when another fault before it is switched off', async () => {
    await on(LABELS);
    const whole = await site.marks(60);
    await on();
    await on(ISSUES, LABELS);
    const first = await site.marks(30);
    await on(LABELS);
    expect(first + (await site.marks(30))).toBe(whole);
  });

  it('begins anew when it is switched off and on', async () => {
    await on(LABELS);
    const first = await site.marks(30);
    await on();
    expect(await site.marks(30)).not.toContain('x');
    await on(LABELS);
    expect(await site.marks(30)).toBe(first);
  });

  it('goes on after a restart, with all that was switched on', async () => {
    await on(LABELS);
    const whole = await site.marks(40);
    await on();
    await on(LABELS);
    const before = await site.marks(15);
    const kept = site.kept();
    await site.close();
    site = await openFaultSite(kept);
    expect(before + (await site.marks(25))).toBe(whole);
  });
});

describe('two faults on one route', () => {
  it('both happen: an answer is late and an error', async () => {
    await on(
      { kind: 'slow', rate: 1, durationMs: 60, route: 'GET /repos/lab/ferries/labels' },
      { kind: 'server-error', rate: 1, route: 'GET /api/v3/repos/lab/ferries/labels' },
    );
    const since = performance.now();
    expect(await site.ask('bot', 'GET', '/labels')).toBeGreaterThanOrEqual(500);
    expect(performance.now() - since).toBeGreaterThanOrEqual(55);
    expect((await site.control('GET')).answer).toMatchObject({ struck: { slow: 1, 'server-error': 1 } });
  });

  it('of which one takes the people too, the other still spares them', async () => {
    await on(
      { kind: 'server-error', rate: 1 },
      { kind: 'lost-request', rate: 1, route: 'GET */issues', people: true },
    );
    expect(await site.ask('ada', 'GET', '/labels')).toBe(200);
    expect(await site.ask('ada', 'GET', '/issues')).toBe('broken');
    expect(await site.ask('bot', 'GET', '/labels')).toBeGreaterThanOrEqual(500);
  });
});

describe('switching off', () => {
  it('lets a slow answer go that was to take an hour, undone by nothing', async () => {
    await on({ kind: 'slow', rate: 1, durationMs: 3_600_000 });
    const late = site.ask('bot', 'POST', '/issues', { title: 'Late' });
    await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
    await on();
    expect(await late).toBe(201);
  });

  it('leaves the slow answers of a fault that stays on', async () => {
    const slow = { kind: 'slow', rate: 1, durationMs: 300, seed: 4 };
    await on(slow);
    const since = performance.now();
    const late = site.ask('bot', 'GET', '/labels');
    await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
    await on(ISSUES, slow);
    expect(await late).toBe(200);
    expect(performance.now() - since).toBeGreaterThanOrEqual(295);
  });

  it('ends the storm of a secondary limit, though other faults are on', async () => {
    await on({ kind: 'secondary-limit', rate: 1, route: 'POST */issues' }, ISSUES);
    expect(await site.ask('bot', 'GET', '/labels')).toBe(200);
    expect(await site.ask('bot', 'POST', '/issues', { title: 'Refused' })).toBe(403);
    expect(await site.ask('bot', 'POST', '/labels', { name: 'a', color: 'ffffff' })).toBe(403);
    await on(ISSUES);
    expect(await site.ask('bot', 'POST', '/issues', { title: 'Taken' })).toBe(201);
  });
});

it('a playground that closes waits for no slow answer', async () => {
  await on({ kind: 'slow', rate: 1, durationMs: 3_600_000 });
  const late = site.ask('bot', 'GET', '/labels');
  await expect.poll(async () => (await site.control('GET')).answer).toMatchObject({ struck: { slow: 1 } });
  await site.close();
  expect(await late).toBe(200);
  site = await openFaultSite();
});

it('only what happened counts as struck: no first read is stale, and no read meets a limit of writes', async () => {
  await on({ kind: 'stale-read', rate: 1 });
  await site.marks(1, '/issues');
  await site.ask('ada', 'POST', '/issues', { title: 'New' });
  expect((await site.control('GET')).answer).toMatchObject({ struck: {} });
  await site.marks(1, '/issues');
  await on({ kind: 'secondary-limit', rate: 1 });
  await site.marks(3);
  expect((await site.control('GET')).answer['struck']).toEqual({ 'stale-read': 1 });
});

it('a webhook that is doubled is one delivery sent twice, and others go by their event', async () => {
  await on(
    { kind: 'webhook-doubled', rate: 1, route: 'issues' },
    { kind: 'webhook-dropped', rate: 1, route: 'pull_*' },
  );
  await site.ask('bot', 'POST', '/issues', { title: 'Twice' });
  await expect.poll(() => site.heard.length).toBe(2);
  expect(new Set(site.heard.map(({ guid }) => guid)).size).toBe(1);
});

describe('a control that is malformed', () => {
  it.each([
    ['an unknown field', { faults: [{ kind: 'slow', rate: 1, routes: 'GET /x' }] }, 'routes'],
    ['an unknown field beside the list', { fault: [] }, 'fault'],
    ['an unknown kind', { faults: [{ kind: 'earthquake', rate: 1 }] }, 'faults[0].kind'],
    ['no rate', { faults: [{ kind: 'slow' }] }, 'faults[0].rate'],
    ['a rate in percent', { faults: [{ kind: 'slow', rate: 20 }] }, 'faults[0].rate'],
    ['a path without a method', { faults: [{ kind: 'slow', rate: 1, route: '/repos/x' }] }, 'METHOD /path'],
    ['a webhook on a path', { faults: [{ kind: 'webhook-dropped', rate: 1, route: 'POST /x' }] }, 'event'],
    ['a push by another name', { faults: [{ kind: 'push-answer-lost', rate: 1, route: 'pull' }] }, 'push'],
    ['a clock on a route', { faults: [{ kind: 'clock-skew', rate: 1, route: 'GET /x' }] }, 'no routes'],
    ['a wait that is negative', { faults: [{ kind: 'slow', rate: 1, durationMs: -5 }] }, 'durationMs'],
    ['more than a list holds', { faults: Array(33).fill({ kind: 'slow', rate: 0 }) }, 'faults'],
    ['no object at all', [], 'object'],
  ])('is refused with the place: %s', async (_what, body, place) => {
    await on(LABELS);
    const { status, answer } = await site.control('PUT', body);
    expect([status, String(answer['message'])]).toEqual([422, expect.stringContaining(place)]);
    expect((await site.control('GET')).answer['faults']).toEqual([expect.objectContaining(LABELS)]);
  });

  it('costs no time: a pattern of nothing but stars is as quick as any', async () => {
    await on({ kind: 'slow', rate: 1, route: `GET ${'*a'.repeat(95)}*b` });
    const before = process.cpuUsage();
    expect(await site.ask('bot', 'GET', `/labels?${'a'.repeat(10)}`)).toBe(200);
    expect(await site.ask('bot', 'GET', `/contents/${'a'.repeat(4_000)}`)).toBe(403);
    const { user, system } = process.cpuUsage(before);
    expect(user + system, 'microseconds of processor').toBeLessThan(2_000_000);
  });
});
