/** W&B's answers, including wrong ones; the key is sent to no other host. */

import { describe, expect, it } from 'vitest';
import { TRACKER_PAUSE_MS, TRACKER_WAIT_MS_MAX } from '../../src/trackers/request.ts';
import { createWandb } from '../../src/trackers/wandb.ts';
import { createWandbStandIn, type WandbRun } from '../support/wandb-stand-in.ts';

const KEY = 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2';
const RUN: WandbRun = {
  displayName: 'Hero 7B',
  state: 'running',
  heartbeatAt: '2026-11-20T10:00:30',
  summaryMetrics:
    '{"global_step": 4600, "_step": 4601, "_timestamp": 1795168800.25, "train": {"loss": 2.51}, "eval/paloma/c4_en/bpb": 1.12509, "note": "NaN: none"}',
};

function wandb(change: Partial<Parameters<typeof createWandbStandIn>[0]> = {}, key: string | null = KEY) {
  const clock = { now: 0 };
  const options = { key: KEY, entity: 'marin', project: 'hero', runOf: () => RUN, ...change };
  const server = createWandbStandIn(options);
  const settings = { address: null, entity: 'marin', project: 'hero', key };
  return { server, clock, tracker: createWandb({ fetch: server.fetch, now: () => clock.now }, settings) };
}

const saying = (status: number, headers: Record<string, string> = {}) => ({
  answer: () => new Response(`key ${KEY}`, { status, headers }),
});

describe('a run of W&B', () => {
  it('is described by its id: state, heartbeat, the newest row, its step and its metrics', async () => {
    const { tracker, server } = wandb();
    expect(await tracker.describe('hero-7b')).toEqual({
      kind: 'found',
      run: {
        identity: 'hero-7b',
        name: 'Hero 7B',
        url: 'https://wandb.ai/marin/hero/runs/hero-7b',
        state: 'running',
        heartbeatAt: Date.UTC(2026, 10, 20, 10, 0, 30),
        rowAt: 1_795_168_800_250,
        step: 4600,
        metrics: {
          global_step: '4600',
          _step: '4601',
          _timestamp: '1795168800.25',
          'train/loss': '2.51',
          'eval/paloma/c4_en/bpb': '1.12509',
        },
      },
    });
    expect(server.asked.map(({ url }) => url)).toEqual(['https://api.wandb.ai/graphql']);
  });

  it.each([
    ['as a string', '{"train/loss": "NaN", "x": 1}', { 'train/loss': 'NaN', x: '1' }],
    [
      'without quotes, as Python writes it',
      '{"train/loss": NaN, "x": -Infinity}',
      { 'train/loss': 'NaN', x: '-Infinity' },
    ],
    ['in its step and time', '{"x": 1, "global_step": "NaN", "_timestamp": Infinity}', { x: '1' }],
    ['next to control characters', '{"note": "a\u0001b NaN", "train/loss": NaN}', { 'train/loss': 'NaN' }],
  ])('accepts NaN %s', async (_, summaryMetrics, metrics) => {
    const answer = await wandb({ runOf: () => ({ ...RUN, summaryMetrics }) }).tracker.describe('hero-7b');
    expect(answer).toMatchObject({ kind: 'found', run: { metrics, step: null, rowAt: null } });
  });

  it('has the newest value of each metric with one request, even if no row contains two of them', async () => {
    const history = [
      { _step: 10, global_step: 10, 'eval/loss': 2.75 },
      { _step: 11, global_step: 11, 'train/loss': 2.5 },
      { _step: 12, global_step: 12, 'optim/lr': 0.001 },
    ];
    const summaryMetrics = JSON.stringify(Object.assign({}, ...history));
    const { tracker, server } = wandb({ runOf: () => ({ ...RUN, history, summaryMetrics }) });
    const answer = await tracker.describe('hero-7b');
    expect(answer).toMatchObject({
      kind: 'found',
      run: { step: 12, metrics: { 'eval/loss': '2.75', 'train/loss': '2.5', 'optim/lr': '0.001' } },
    });
    // A sampled history of these three keys would have no row.
    expect(server.asked.map(({ query }) => /istory/.test(query))).toEqual([false]);
  });

  it.each([
    [
      'of GPUs',
      '{"system.gpu.0.memoryAllocated": 41.5, "system.gpu.1.memoryAllocated": 93.25, "system.gpu.1.memory": 99}',
      93.25,
    ],
    ['of TPUs', '{"system.tpu.0.memoryUsage": 62.5, "system.tpu.0.memoryUsageBytes": 10485760000}', 62.5],
    ['without a metric for it', '{"system.memory": 31, "system.gpu.0.memoryAllocated": "NaN"}', undefined],
    ['that cannot be read', '{"system.gpu.0', undefined],
  ])('reports the memory use %s', async (_, systemMetrics, memoryPercent) => {
    const answer = await wandb({ runOf: () => ({ ...RUN, systemMetrics }) }).tracker.describe('hero-7b');
    expect(answer.kind === 'found' ? answer.run.memoryPercent : answer).toBe(memoryPercent);
    expect(answer).toMatchObject({ kind: 'found', run: { step: 4600 } });
  });

  it('returns the last lines of its log, with their times', async () => {
    const lines = ['one', 'two', 'three'].map((line, index) => ({ timestamp: `2026-11-20T10:00:0${index}`, line }));
    const { tracker } = wandb({ runOf: () => ({ ...RUN, lines }) });
    expect(await tracker.logTail('hero-7b', 2)).toEqual({
      kind: 'lines',
      lines: [
        { at: Date.UTC(2026, 10, 20, 10, 0, 1), text: 'two' },
        { at: Date.UTC(2026, 10, 20, 10, 0, 2), text: 'three' },
      ],
    });
  });

  it('is absent if W&B has no such run, or another project was asked', async () => {
    expect(await wandb({ runOf: () => null }).tracker.describe('hero-7b')).toMatchObject({ kind: 'absent' });
    expect(await wandb({ project: 'other' }).tracker.describe('hero-7b')).toMatchObject({ kind: 'absent' });
  });

  it('is unknown if the summary is broken', async () => {
    const { tracker } = wandb({ runOf: () => ({ ...RUN, summaryMetrics: '{"a": ' }) });
    expect(await tracker.describe('hero-7b')).toMatchObject({ kind: 'unknown' });
  });
});

describe('a request to W&B', () => {
  // threat T153
  it.each([
    ['refused', 'denied', saying(403)],
    ['with a wrong key', 'denied', { key: 'another' }],
    ['sent too often', 'limited', saying(429)],
    ['that fails on the server', 'unknown', saying(502)],
    ['that is redirected', 'unknown', saying(302, { location: 'https://elsewhere.example' })],
    ['answered without JSON', 'unknown', saying(200)],
    ['refused by GraphQL', 'denied', { answer: () => Response.json({ errors: [{ message: 'permission denied' }] }) }],
  ])('%s is %s, and the answer contains no key', async (_, kind, change) => {
    const { tracker, server } = wandb(change);
    const answer = await tracker.describe('hero-7b');
    expect(answer.kind).toBe(kind);
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(server.asked).toHaveLength(1);
  });

  it('is not repeated before the time that W&B names, but after it', async () => {
    const { tracker, server, clock } = wandb(saying(429, { 'ratelimit-reset': '90' }));
    await tracker.describe('hero-7b');
    clock.now = 89_999;
    expect(await tracker.describe('hero-8b')).toMatchObject({ kind: 'limited' });
    expect(server.asked).toHaveLength(1);
    clock.now = 90_000;
    await tracker.describe('hero-7b');
    expect(server.asked).toHaveLength(2);
  });

  it('pauses for a minute without an answer, and accepts no wait of a day', async () => {
    const calls: number[] = [];
    const clock = { now: 0 };
    const fetch = async () => {
      calls.push(clock.now);
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('away'), { code: 'ECONNREFUSED' }) });
    };
    const settings = { address: null, entity: 'marin', project: 'hero', key: KEY };
    const tracker = createWandb({ fetch, now: () => clock.now }, settings);
    expect(await tracker.describe('a')).toEqual({ kind: 'unknown', message: 'it does not answer (ECONNREFUSED)' });
    await tracker.describe('b');
    clock.now = TRACKER_PAUSE_MS;
    await tracker.describe('c');
    expect(calls).toEqual([0, TRACKER_PAUSE_MS]);
    const { tracker: long, server, clock: at } = wandb(saying(429, { 'retry-after': '86400' }));
    await long.describe('a');
    at.now = TRACKER_WAIT_MS_MAX;
    await long.describe('a');
    expect(server.asked).toHaveLength(2);
  });

  it('sends the key only in one header', async () => {
    const { tracker, server } = wandb();
    await tracker.describe('hero-7b');
    expect(server.asked.map(({ url }) => url).join()).not.toContain(KEY);
    expect(server.asked[0]?.authorization).toBe(`Basic ${Buffer.from(`api:${KEY}`).toString('base64')}`);
  });
});
