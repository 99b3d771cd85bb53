/** The engine `vast` against a Vast.ai that misbehaves: one machine for one job, nothing of ours left, nothing told that is secret. */

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createVastEngine } from '../../src/engines/vast/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { openVastBench, type VastBench } from '../support/vast-bench.ts';

let bench: VastBench;
afterEach(() => bench.end());

const CREATES = 'PUT /api/v0/asks/*';
const LISTS = 'GET /api/v1/instances/*';

/** Instances that are billed now. */
const there = (): readonly number[] => bench.vast.account.list().map(({ offer }) => offer.id);

async function ended(): Promise<void> {
  await bench.until(7_000_001, 'running');
  await expect
    .poll(async () => (await bench.engine.observe('job-1', null)).kind === 'found' && (await status()), {
      timeout: 30_000,
    })
    .toMatch(/SUCCEEDED|FAILED/);
}

async function status(): Promise<string> {
  const seen = await bench.engine.observe('job-1', null);
  return seen.kind === 'found' ? seen.status : seen.kind;
}

/** Asked to be destroyed, or destroyed already. */
function isGoing(): boolean {
  const instance = bench.vast.account.find(7_000_001);
  return instance === null || instance.next?.to === 'gone';
}

const creates = (): readonly string[] =>
  bench.vast.asked.flatMap(({ route, body }) => (route.startsWith('PUT /api/v0/asks/') ? [body] : []));

describe('what a rented machine gets', () => {
  it('is the shipped tree, the environment of the lane and the pinned image: no key of ours, none of its own', async () => {
    bench = await openVastBench();
    const script =
      'python3 train.py; echo "$WANDB_API_KEY" | wc -c; env | grep -c "CONTAINER_API_KEY\\|FERRYBOT_TREE"';
    const secret = 'wandb-secret-0123456789';
    await submitTo(bench.engine, bench.spec(script, { env: { WANDB_API_KEY: secret } }));
    await ended();
    expect(await readText(bench.engine, 'job-1', 0)).toMatchObject({ text: 'shipped\n24\n0\n', atEnd: true });
    const [create = ''] = creates();
    expect(create).not.toContain(bench.vast.key);
    expect(JSON.parse(create)).toMatchObject({
      image: expect.stringMatching(/@sha256:[0-9a-f]{64}$/),
      label: 'ferrybot:lab:job-1',
      cancel_unavail: true,
      env: { WANDB_API_KEY: secret },
    });
    const seen = JSON.stringify(await bench.engine.observe('job-1', null));
    for (const never of [secret, bench.vast.key, bench.vast.account.find(7_000_001)?.jupyterToken])
      expect(seen).not.toContain(never);
  });

  it('is no token of GitHub and nothing of the runner, by name or by value', async () => {
    bench = await openVastBench();
    const token = `ghs_${'x'.repeat(36)}`;
    for (const env of [
      { GITHUB_TOKEN: 'x' },
      { HARMLESS: token },
      { MINE: bench.vast.key },
      { ACTIONS_ID: '1' },
    ])
      expect(await submitTo(bench.engine, bench.spec('true', { env }))).toMatchObject({
        kind: 'rejected',
        code: 'refused',
      });
    expect(creates()).toEqual([]);
  });

  it('is the cheapest that fits the hard needs, and the look says why', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('true'));
    expect(there()).toEqual([103]);
    expect(await bench.engine.observe('job-1', null)).toMatchObject({
      details: { gpu: '1 RTX 4090', offer: expect.stringContaining('the cheapest of 2 that fit') },
    });
  });
});

describe('a creation', () => {
  it('whose host raised the price after the search is taken back, and the next offer is rented', async () => {
    bench = await openVastBench();
    const engine = createVastEngine({
      ...bench.options,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (String(url).endsWith('/bundles/')) bench.vast.account.reprice(103, 3);
        return answer;
      },
    });
    expect(await submitTo(engine, bench.spec('true'))).toMatchObject({ kind: 'submitted' });
    expect(there()).toEqual([106]);
  });

  it('whose answer was lost is found by its label, and nothing is rented a second time', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'lost-answer', route: CREATES, times: 1 });
    expect(await submitTo(bench.engine, bench.spec('sleep 100'))).toMatchObject({ kind: 'submitted' });
    expect(await submitTo(bench.engine, bench.spec('sleep 100'))).toMatchObject({ kind: 'adopted' });
    expect(there()).toEqual([103]);
  });

  it('that failed and made an instance all the same is taken back', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'failed-but-done', route: CREATES, times: 1 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'submitted' });
    expect(there()).toHaveLength(1);
  });

  it('that failed, made an instance, and does not let go of it is unknown: no other one is rented', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'failed-but-done', route: CREATES, times: 1 });
    bench.vast.faults.arm({ kind: 'said-but-not-done', route: 'DELETE *', times: 9 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'unknown' });
    expect(there()).toHaveLength(1);
  });

  it('that comes late is unknown and not doubled', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'late', route: CREATES, times: 1, delayMs: 120_000 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'unknown' });
    bench.clock.advance(120_000);
    await expect.poll(there).toEqual([103]);
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'adopted' });
    expect(there()).toEqual([103]);
  });

  it('of an offer that somebody else took goes on with the next, and ends where none is left', async () => {
    bench = await openVastBench();
    const engine = createVastEngine({
      ...bench.options,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (String(url).endsWith('/bundles/')) bench.vast.account.rented.add(103);
        return answer;
      },
    });
    expect(await submitTo(engine, bench.spec('true'))).toMatchObject({ kind: 'submitted' });
    expect(there()).toEqual([106]);
    const dear = await submitTo(bench.engine, bench.spec('true', { submissionId: 'job-2' }));
    expect(dear).toMatchObject({ kind: 'rejected', code: 'refused' });
  });
});

describe('an answer that is none', () => {
  it.each(['empty', 'deprecated', 'too-many', 'server-error', 'lost-request'] as const)(
    'is never *no instances*: %s',
    async (kind) => {
      bench = await openVastBench();
      await submitTo(bench.engine, bench.spec('sleep 100'));
      bench.vast.faults.arm({ kind, route: LISTS, times: 99 });
      expect((await bench.engine.observe('job-1', null)).kind).toBe('unknown');
      expect((await bench.engine.observe('never', null)).kind).toBe('unknown');
      expect((await submitTo(bench.engine, bench.spec('sleep 100'))).kind).toBe('unknown');
      expect(there()).toHaveLength(1);
    },
  );

  it.each([
    ['has fewer rows than the account says', { instances: null, next_token: null, total_instances: 1 }],
    ['says that it failed', { success: false, instances: [], next_token: null, total_instances: 0 }],
  ])('is a list that %s', async (_, list) => {
    bench = await openVastBench();
    const engine = createVastEngine({
      ...bench.options,
      fetch: async (url, init) =>
        String(url).includes('/v1/instances/') ? Response.json(list) : fetch(url, init),
    });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('is the refusal of a key, which is told and not taken for absence', async () => {
    bench = await openVastBench();
    for (const key of ['wrong', null])
      expect(await submitTo(createVastEngine({ ...bench.options, key }), bench.spec('true'))).toMatchObject({
        kind: 'rejected',
        code: 'unauthorized',
      });
  });
});

describe('an instance', () => {
  it('that froze, was outbid or lost its host is told as what it is', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    const instance = bench.vast.account.find(7_000_001);
    if (instance === null) throw new Error('not there');
    expect(await status()).toBe('PENDING');
    await bench.until(instance.id, 'running');
    expect(await status()).toBe('RUNNING');
    bench.vast.account.happen(instance, 'frozen');
    expect(await bench.engine.observe('job-1', null)).toMatchObject({
      status: 'RUNNING',
      message: expect.stringMatching(/frozen.*billed/),
    });
    bench.vast.account.happen(instance, 'unknown');
    expect(await status()).toBe('unknown');
    bench.vast.account.happen(instance, 'outbid');
    expect(await bench.engine.observe('job-1', null)).toMatchObject({ status: 'FAILED', exitCode: null });
  });

  it('that is gone is absent to who never saw it, and lost to who did', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    for (const instance of bench.vast.account.list()) bench.vast.account.destroy(instance);
    bench.clock.advance(60_000);
    expect(await bench.engine.observe('job-1', null)).toMatchObject({ kind: 'absent' });
    expect(await bench.engine.observe('job-1', '4711')).toMatchObject({ kind: 'state-lost' });
  });

  it('destroys itself some time after its job has ended, and after its longest life, with nobody there', async () => {
    bench = await openVastBench({ endGraceMinutes: 0.02 });
    await submitTo(bench.engine, bench.spec('true'));
    await bench.until(7_000_001, 'running');
    await expect.poll(isGoing, { timeout: 20_000 }).toBe(true);
    await bench.end();
    bench = await openVastBench({ hoursMax: 0.0005 });
    await submitTo(bench.engine, bench.spec('sleep 1000'));
    await bench.until(7_000_001, 'running');
    await expect.poll(isGoing, { timeout: 20_000 }).toBe(true);
  });

  it('that was stopped is believed when a look says so, also where the answer was lost', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    await bench.until(7_000_001, 'running');
    bench.vast.faults.arm({ kind: 'lost-answer', route: 'PUT /api/v0/instances/7000001/', times: 1 });
    expect(await stopIn(bench.engine, 'job-1')).toEqual({ kind: 'stopped' });
  });
});

it('reads a long log piece by piece as one text, whatever bytes it has', async () => {
  bench = await openVastBench();
  const script = "for i in $(seq 1 3000); do echo line $i käse; done; printf 'bad \\xff byte\\n'";
  await submitTo(bench.engine, bench.spec(script));
  await ended();
  const whole = await readText(bench.engine, 'job-1', 0);
  if (whole.kind !== 'chunk') throw new Error(whole.kind);
  expect(whole.text.split('\n')).toHaveLength(3_002);
  expect(whole.text).toMatch(/^line 1 käse\n[\s\S]*line 3000 käse\nbad \? byte\n$/);
  const bytes = Buffer.from(whole.text);
  for (const offset of [1, 40_000, bytes.length - 5]) {
    const rest = await readText(bench.engine, 'job-1', offset);
    expect(rest).toMatchObject({ nextOffset: bytes.length, atEnd: true });
    expect(rest.kind === 'chunk' && rest.text).toBe(bytes.subarray(offset).toString('utf8'));
  }
});

it('refuses a tree that is too large to be handed over with the creation', async () => {
  bench = await openVastBench();
  const { workingDirectory } = bench.spec('true');
  await writeFile(`${workingDirectory}/data.bin`, randomBytes(2 * 1024 * 1024));
  expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({
    kind: 'rejected',
    code: 'refused',
  });
  expect(creates()).toEqual([]);
});
