/** The simulated Vast.ai: its API, its billing, and its faults. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { openVastLab, type VastLab } from '../support/vast-market.ts';

const CREATE = { client_id: 'me', image: 'pytorch/pytorch', disk: 30, label: 'mine', runtype: 'args' };
const LIST = '/api/v1/instances/?limit=25';
const HOUR = 3_600_000;

let lab: VastLab;
beforeEach(async () => {
  lab = await openVastLab();
});
afterEach(() => lab.end());

async function rent(args: readonly string[] = ['sleep', '1000'], offer = 103, more: object = {}): Promise<number> {
  const made = await lab.ask('PUT', `/api/v0/asks/${offer}/`, { ...CREATE, args, ...more });
  expect(made).toMatchObject({ status: 200, body: { success: true } });
  return (made.body as { new_contract: number }).new_contract;
}

async function logOf(id: number): Promise<string> {
  const { body } = await lab.ask('PUT', `/api/v0/instances/request_logs/${id}/`, { tail: '100' });
  const { result_url } = body as { result_url: string };
  for (;;) {
    const read = await fetch(result_url);
    if (read.status === 200) return read.text();
  }
}

it('lists the offers that pass the filters, in the requested order', async () => {
  const { body } = await lab.ask('POST', '/api/v0/bundles/', {
    gpu_name: { eq: 'RTX 4090' },
    num_gpus: { eq: '1' },
    reliability: { gt: 0.9 },
    rentable: { eq: true },
    order: [['dph_total', 'asc']],
    type: 'on-demand',
  });
  expect((body as { offers: { id: number }[] }).offers.map(({ id }) => id)).toEqual([102, 103, 106, 104]);
  const bad = await lab.ask('POST', '/api/v0/bundles/', { gpu_name: { like: 'RTX' } });
  expect(bad).toMatchObject({ status: 400, body: { success: false, error: 'invalid_args' } });
});

it('runs the command as a real process with its own environment, isolated from this machine’s', async () => {
  const script = 'echo "up $FERRY ${HOME_OF_TEST-none}"; exit 3';
  process.env['HOME_OF_TEST'] = 'leaked';
  const id = await rent(['bash', '-c', script], 103, { env: { FERRY: 'daily' } });
  expect((await lab.ask('GET', `/api/v0/instances/${id}/?owner=me`)).body).toMatchObject({
    instances: { actual_status: null, label: 'mine', extra_env: [['FERRY', 'daily']] },
  });
  await lab.until(id, 'exited');
  delete process.env['HOME_OF_TEST'];
  expect(await logOf(id)).toBe('up daily none\n');
});

it('bills storage from creation on, and the GPU only while it is running or frozen', async () => {
  const id = await rent();
  const instance = lab.vast.account.find(id);
  if (instance === null) throw new Error('not there');
  await lab.until(id, 'running');
  const before = { ...instance.charges };
  lab.clock.advance(HOUR);
  lab.vast.account.happen(instance, 'frozen');
  lab.clock.advance(HOUR);
  lab.vast.account.happen(instance, 'outbid');
  lab.clock.advance(10 * HOUR);
  lab.vast.account.advance();
  expect(instance.charges.gpu - before.gpu).toBeCloseTo(0.72, 2);
  expect(instance.charges.storage - before.storage).toBeCloseTo((12 * 0.15 * 30) / 720, 2);
  expect(instance).toMatchObject({ actual: 'stopped', intended: 'running' });
});

it('bills an instance until its destruction is complete, and then answers null and 404', async () => {
  const id = await rent();
  const destroyed = await lab.ask('DELETE', `/api/v0/instances/${id}/`, {});
  expect(destroyed).toEqual({ status: 200, body: { success: true } });
  expect((await lab.ask('GET', LIST)).body).toMatchObject({ total_instances: 1 });
  lab.clock.advance(2_000);
  expect((await lab.ask('GET', LIST)).body).toMatchObject({ instances: [], total_instances: 0 });
  expect((await lab.ask('GET', `/api/v0/instances/${id}/?owner=me`)).body).toEqual({ instances: null });
  expect(await lab.ask('DELETE', `/api/v0/instances/${id}/`, {})).toEqual({
    status: 404,
    body: { success: false, error: 'no_such_instance', msg: `Instance ${id} not found.` },
  });
});

it('lists pages of 25 with a token for the next page, and filters by label', async () => {
  for (let count = 0; count < 27; count += 1)
    await rent(['true'], 103, { label: count === 26 ? 'last' : 'mine', cancel_unavail: false });
  const first = (await lab.ask('GET', '/api/v1/instances/?limit=100')).body as {
    instances: unknown[];
    next_token: string;
  };
  expect(first.instances).toHaveLength(25);
  const rest = await lab.ask('GET', `${LIST}&after_token=${first.next_token}`);
  expect(rest.body).toMatchObject({ next_token: null, total_instances: 27, label_counts: { mine: 26, last: 1 } });
  const filter = encodeURIComponent(JSON.stringify({ label: { in: ['last'] } }));
  const one = await lab.ask('GET', `${LIST}&select_filters=${filter}`);
  expect(one.body).toMatchObject({ total_instances: 1, instances: [{ label: 'last', actual_status: 'stopped' }] });
});

it('lets an instance’s key destroy only that instance, and not list any', async () => {
  const mine = await rent();
  const other = await rent(['sleep', '1000'], 106);
  const key = lab.vast.account.find(mine)?.apiKey;
  const as = (method: string, path: string): Promise<Response> =>
    fetch(`${lab.vast.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  expect((await as('GET', LIST)).status).toBe(403);
  expect((await as('DELETE', `/api/v0/instances/${other}/`)).status).toBe(403);
  expect((await as('DELETE', `/api/v0/instances/${mine}/`)).status).toBe(200);
  expect((await fetch(`${lab.vast.url}${LIST}`)).status).toBe(401);
});

it('simulates empty bodies, 429 without Retry-After, retired addresses, and lost or false answers', async () => {
  const { faults, account } = lab.vast;
  expect((await lab.ask('GET', '/api/v0/instances/')).body).toMatchObject({ error: 'deprecated_endpoint' });
  faults.arm({ kind: 'too-many', route: 'GET /api/v1/*', times: 1 });
  const response = await fetch(`${lab.vast.url}${LIST}`, { headers: { authorization: `Bearer ${lab.vast.key}` } });
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, null]);
  expect(await response.text()).toMatch(/^API requests too frequent/);
  faults.arm({ kind: 'empty', route: 'GET /api/v1/*', times: 1 });
  expect(await lab.ask('GET', LIST)).toEqual({ status: 200, body: '' });

  faults.arm({ kind: 'lost-answer', route: 'PUT /api/v0/asks/*', times: 1 });
  await expect(lab.ask('PUT', '/api/v0/asks/103/', { ...CREATE, args: ['true'] })).rejects.toThrow();
  faults.arm({ kind: 'failed-but-done', route: 'PUT /api/v0/asks/*', times: 1 });
  const failed = await lab.ask('PUT', '/api/v0/asks/106/', { ...CREATE, args: ['true'] });
  expect(failed).toMatchObject({ status: 400, body: { success: false, new_contract: expect.any(Number) } });
  faults.arm({ kind: 'late', route: 'PUT /api/v0/asks/*', times: 1, delayMs: 60_000 });
  await expect(lab.ask('PUT', '/api/v0/asks/104/', { ...CREATE, args: ['true'] })).rejects.toThrow();
  expect(account.list()).toHaveLength(2);
  lab.clock.advance(60_000);
  await expect.poll(() => account.list().length).toBe(3);

  const [first] = account.list();
  faults.arm({ kind: 'said-but-not-done', route: 'DELETE *', times: 1 });
  expect((await lab.ask('DELETE', `/api/v0/instances/${first?.id}/`, {})).body).toEqual({ success: true });
  lab.clock.advance(HOUR);
  expect(account.list()).toHaveLength(3);
});

it('stops every instance without credit, and refuses an offer that another customer has rented', async () => {
  lab.vast.account.rented.add(106);
  const gone = await lab.ask('PUT', '/api/v0/asks/106/', { ...CREATE, args: ['true'] });
  expect(gone).toMatchObject({ status: 410, body: { success: false } });
  const id = await rent();
  await lab.until(id, 'running');
  lab.clock.advance(400 * HOUR);
  expect((await lab.ask('GET', '/api/v0/users/current')).body).toMatchObject({ credit: expect.any(Number) });
  expect(lab.vast.account.credit()).toBeLessThanOrEqual(0);
  expect(lab.vast.account.find(id)?.actual).toBe('stopped');
});
