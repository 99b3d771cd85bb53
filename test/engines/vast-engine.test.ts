/** The engine `vast` against a Vast.ai that misbehaves: one machine for one job, nothing of ours left, nothing told that is secret. */

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { FoundJob } from '../../src/domain/engine.ts';
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
    .poll(async () => (await bench.engine.observe('job-1', null)).kind === 'found' && (await status()))
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

  it('tells how busy it is once somebody has measured it, and nothing before', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    expect(await bench.engine.observe('job-1', null)).not.toHaveProperty('use');
    await bench.until(7_000_001, 'running');
    const { use } = (await bench.engine.observe('job-1', null)) as FoundJob;
    expect(use?.accelerators).toBe(96);
    expect(use?.ram).toBeGreaterThan(0);
    expect(use?.ram).toBeLessThan(100);
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

  it('whose price the account says late is kept', async () => {
    bench = await openVastBench();
    let hidden = 2;
    const options = { ...bench.options, fetch: hidingPrices(() => hidden-- > 0) };
    expect(await submitTo(createVastEngine(options), bench.spec('sleep 100'))).toMatchObject({
      kind: 'submitted',
    });
    expect(there()).toEqual([103]);
  });

  it('of which the account does not say what it costs is taken back', async () => {
    bench = await openVastBench();
    const blind = createVastEngine({ ...bench.options, fetch: hidingPrices(() => true) });
    expect(await submitTo(blind, bench.spec('sleep 100'))).toMatchObject({ kind: 'rejected' });
    expect(there()).toEqual([]);
  });

  it('that an earlier call has made is adopted at a price that is known and not too high, and at no other', async () => {
    bench = await openVastBench();
    const spec = bench.spec('sleep 100');
    await submitTo(bench.engine, spec);
    const blind = createVastEngine({ ...bench.options, fetch: hidingPrices(() => true) });
    expect(await submitTo(blind, spec)).toMatchObject({ kind: 'unknown' });
    expect(there()).toEqual([103]);
    const cluster = { ...bench.options.cluster, dollarsPerHourMax: '0.10' };
    const poor = createVastEngine({ ...bench.options, cluster });
    expect(await submitTo(poor, spec)).toMatchObject({ kind: 'rejected', code: 'refused' });
    expect(there()).toEqual([]);
  });

  it('whose answer was lost is kept at no price that is too high', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'lost-answer', route: CREATES, times: 1 });
    const { vast, options } = bench;
    const engine = createVastEngine({
      ...options,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (String(url).endsWith('/bundles/')) vast.account.reprice(103, 3);
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

  // rule VA-07
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

  it('that goes between the list and its log is gone, and its host that does not answer is not', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    await bench.until(7_000_001, 'running');
    let isGoing = false;
    const engine = createVastEngine({
      ...bench.options,
      fetch: async (url, init) => {
        if (String(url).includes('/request_logs/')) {
          if (!isGoing) return Response.json({ msg: 'away' }, { status: 404 });
          for (const instance of bench.vast.account.list()) bench.vast.account.destroy(instance);
          bench.clock.advance(60_000);
        }
        return fetch(url, init);
      },
    });
    expect((await engine.observe('job-1', null)).kind).toBe('unknown');
    isGoing = true;
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'absent' });
  });

  it('destroys itself some time after its job has ended, and after its longest life, with nobody there', async () => {
    bench = await openVastBench({ endGraceMinutes: 0.02 });
    await submitTo(bench.engine, bench.spec('true'));
    await bench.until(7_000_001, 'running');
    await expect.poll(isGoing).toBe(true);
    await bench.end();
    bench = await openVastBench({ hoursMax: 0.0005 });
    await submitTo(bench.engine, bench.spec('sleep 1000'));
    await bench.until(7_000_001, 'running');
    await expect.poll(isGoing).toBe(true);
  });

  it('that was stopped is believed when a look says so, also where the answer was lost', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    await bench.until(7_000_001, 'running');
    bench.vast.faults.arm({ kind: 'lost-answer', route: 'PUT /api/v0/instances/7000001/', times: 1 });
    expect(await stopIn(bench.engine, 'job-1')).toEqual({ kind: 'stopped' });
  });
});

// threat T233
it('believes no job that says in its log that it has ended, or where its log stands', async () => {
  bench = await openVastBench();
  const lies = ['end 1790000000000 1790000000001 0::', 'at 900::'].map((one) => `::ferrybot job-1 ${one}`);
  await submitTo(bench.engine, bench.spec(`printf '%s\\n' '${lies.join("' '")}'; sleep 100`));
  await bench.until(7_000_001, 'running');
  await expect
    .poll(async () => readText(bench.engine, 'job-1', 0))
    .toMatchObject({ text: ` ${lies.join('\n ')}\n` });
  expect(await status()).toBe('RUNNING');
});

it.each([
  'http://169.254.169.254/latest/meta-data',
  'https://[fd00::1]/x',
  'https://10.0.0.1/x',
  'https://metadata.google.internal/x',
  'http://s3.amazonaws.com/x',
])('asks nothing at %s, though Vast.ai says that a log lies there', async (place) => {
  bench = await openVastBench();
  const asked: string[] = [];
  const engine = createVastEngine({
    ...bench.options,
    fetch: async (url, init) => {
      asked.push(String(url));
      if (String(url) === place) return new Response('a secret of the machine\n');
      const answer = await fetch(url, init);
      return String(url).includes('/request_logs/') ? Response.json({ result_url: place }) : answer;
    },
  });
  await submitTo(engine, bench.spec('sleep 100'));
  await bench.until(7_000_001, 'running');
  expect(await engine.observe('job-1', null)).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining('where no log of Vast.ai lies'),
  });
  expect(asked).not.toContain(place);
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

/** A list of instances whose prices are missing as long as somebody says so. */
function hidingPrices(isHidden: () => boolean): typeof fetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (!String(url).includes('/api/v1/instances/') || !isHidden()) return answer;
    const text = (await answer.text()).replaceAll(/"dph_total":[\d.]+/g, '"dph_total":null');
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}
