/**
 * The `vast` engine against a Vast.ai that misbehaves: one machine per job, nothing left behind, no secret
 * disclosed.
 */

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

/** Instances that are currently billed. */
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

/** True if the instance is being destroyed or is gone. */
function isGoing(): boolean {
  const instance = bench.vast.account.find(7_000_001);
  return instance === null || instance.next?.to === 'gone';
}

const creates = (): readonly string[] =>
  bench.vast.asked.flatMap(({ route, body }) => (route.startsWith('PUT /api/v0/asks/') ? [body] : []));

describe('a rented machine', () => {
  it("gets the shipped tree, the lane's environment and the pinned image, but no key of ferrybot or Vast.ai", async () => {
    bench = await openVastBench();
    const script = 'python3 train.py; echo "$WANDB_API_KEY" | wc -c; env | grep -c "CONTAINER_API_KEY\\|FERRYBOT_TREE"';
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

  it('is not rented for a job with a GitHub token or a runner variable, by name or by value', async () => {
    bench = await openVastBench();
    const token = `ghs_${'x'.repeat(36)}`;
    for (const env of [{ GITHUB_TOKEN: 'x' }, { HARMLESS: token }, { MINE: bench.vast.key }, { ACTIONS_ID: '1' }])
      expect(await submitTo(bench.engine, bench.spec('true', { env }))).toMatchObject({
        kind: 'rejected',
        code: 'refused',
      });
    expect(creates()).toEqual([]);
  });

  it('is the cheapest offer that meets the requirements, and its observation gives the reason', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('true'));
    expect(there()).toEqual([103]);
    expect(await bench.engine.observe('job-1', null)).toMatchObject({
      details: { gpu: '1 RTX 4090', offer: expect.stringContaining('the cheapest of 2 that fit') },
    });
  });

  it('reports its use once a measurement exists, and nothing before', async () => {
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

describe('creating an instance', () => {
  it('destroys the instance and rents the next offer when the host raised the price after the search', async () => {
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

  it('keeps an instance that gets its price late in the account', async () => {
    bench = await openVastBench();
    let hidden = 2;
    const options = { ...bench.options, fetch: hidingPrices(() => hidden-- > 0) };
    expect(await submitTo(createVastEngine(options), bench.spec('sleep 100'))).toMatchObject({ kind: 'submitted' });
    expect(there()).toEqual([103]);
  });

  it('destroys an instance when the account never reports its price', async () => {
    bench = await openVastBench();
    const blind = createVastEngine({ ...bench.options, fetch: hidingPrices(() => true) });
    expect(await submitTo(blind, bench.spec('sleep 100'))).toMatchObject({ kind: 'rejected' });
    expect(there()).toEqual([]);
  });

  it('adopts an instance of an earlier call only at a known price within the limit', async () => {
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

  it('destroys an instance that is too expensive although the answer was lost', async () => {
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

  it('finds the instance by its label after a lost answer, and rents no second one', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'lost-answer', route: CREATES, times: 1 });
    expect(await submitTo(bench.engine, bench.spec('sleep 100'))).toMatchObject({ kind: 'submitted' });
    expect(await submitTo(bench.engine, bench.spec('sleep 100'))).toMatchObject({ kind: 'adopted' });
    expect(there()).toEqual([103]);
  });

  it('destroys an instance that a failed creation made anyway', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'failed-but-done', route: CREATES, times: 1 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'submitted' });
    expect(there()).toHaveLength(1);
  });

  it('reports unknown and rents no other when a failed creation left an instance that cannot be destroyed', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'failed-but-done', route: CREATES, times: 1 });
    bench.vast.faults.arm({ kind: 'said-but-not-done', route: 'DELETE *', times: 9 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'unknown' });
    expect(there()).toHaveLength(1);
  });

  it('reports unknown for a delayed creation and later adopts it instead of doubling it', async () => {
    bench = await openVastBench();
    bench.vast.faults.arm({ kind: 'late', route: CREATES, times: 1, delayMs: 120_000 });
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'unknown' });
    bench.clock.advance(120_000);
    await expect.poll(there).toEqual([103]);
    expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'adopted' });
    expect(there()).toEqual([103]);
  });

  // rule VA-07
  it('takes the next offer when another renter took the first, and rejects the job when none is left', async () => {
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

describe('an unusable answer', () => {
  it.each(['empty', 'deprecated', 'too-many', 'server-error', 'lost-request'] as const)(
    'is never read as an empty account: %s',
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
  ])('is unknown when the list %s', async (_, list) => {
    bench = await openVastBench();
    const engine = createVastEngine({
      ...bench.options,
      fetch: async (url, init) => (String(url).includes('/v1/instances/') ? Response.json(list) : fetch(url, init)),
    });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('is rejected as unauthorized when the key is wrong, not read as absence', async () => {
    bench = await openVastBench();
    for (const key of ['wrong', null])
      expect(await submitTo(createVastEngine({ ...bench.options, key }), bench.spec('true'))).toMatchObject({
        kind: 'rejected',
        code: 'unauthorized',
      });
  });
});

describe('an instance', () => {
  it('is reported as frozen, unknown or outbid according to its state', async () => {
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

  it('that is gone is absent if never seen, and state-lost if seen before', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    for (const instance of bench.vast.account.list()) bench.vast.account.destroy(instance);
    bench.clock.advance(60_000);
    expect(await bench.engine.observe('job-1', null)).toMatchObject({ kind: 'absent' });
    expect(await bench.engine.observe('job-1', '4711')).toMatchObject({ kind: 'state-lost' });
  });

  it('is absent when it is destroyed between list and log, and unknown when only the log request fails', async () => {
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

  it('destroys itself after the grace time of its job, and after its maximum lifetime, without a watcher', async () => {
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

  it('that was stopped is reported as stopped, also when the answer was lost', async () => {
    bench = await openVastBench();
    await submitTo(bench.engine, bench.spec('sleep 100'));
    await bench.until(7_000_001, 'running');
    bench.vast.faults.arm({ kind: 'lost-answer', route: 'PUT /api/v0/instances/7000001/', times: 1 });
    expect(await stopIn(bench.engine, 'job-1')).toEqual({ kind: 'stopped' });
  });
});

// threat T233
it('ignores end and offset lines that a job writes into its own log', async () => {
  bench = await openVastBench();
  const lies = ['end 1790000000000 1790000000001 0::', 'at 900::'].map((one) => `::ferrybot job-1 ${one}`);
  await submitTo(bench.engine, bench.spec(`printf '%s\\n' '${lies.join("' '")}'; sleep 100`));
  await bench.until(7_000_001, 'running');
  await expect.poll(async () => readText(bench.engine, 'job-1', 0)).toMatchObject({ text: ` ${lies.join('\n ')}\n` });
  expect(await status()).toBe('RUNNING');
});

it.each([
  'http://169.254.169.254/latest/meta-data',
  'https://[fd00::1]/x',
  'https://10.0.0.1/x',
  'https://metadata.google.internal/x',
  'http://s3.amazonaws.com/x',
])('sends no request to %s when Vast.ai names it as the place of a log', async (place) => {
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

it('reads a long log in pieces as one text, with invalid bytes replaced', async () => {
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

it('rejects a tree that is too large to be sent with the creation', async () => {
  bench = await openVastBench();
  const { workingDirectory } = bench.spec('true');
  await writeFile(`${workingDirectory}/data.bin`, randomBytes(2 * 1024 * 1024));
  expect(await submitTo(bench.engine, bench.spec('true'))).toMatchObject({ kind: 'rejected', code: 'refused' });
  expect(creates()).toEqual([]);
});

/** A list of instances without prices as long as `isHidden` returns true. */
function hidingPrices(isHidden: () => boolean): typeof fetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (!String(url).includes('/api/v1/instances/') || !isHidden()) return answer;
    const text = (await answer.text()).replaceAll(/"dph_total":[\d.]+/g, '"dph_total":null');
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}
