/** A coordinator on Iris is judged by its newest living child; the settings of Marin's launches reach the controller. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobObservation } from '../../src/domain/engine.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { callOverHttp, tokenHeaders } from '../../src/engines/shared/http.ts';
import { submitTo } from '../support/capabilities.ts';
import { irisConfig } from '../support/iris-config.ts';
import { type IrisLab, openIrisLab } from '../support/iris-lab.ts';

let lab: IrisLab;
beforeEach(async () => {
  lab = await openIrisLab();
});
afterEach(() => lab.close());

/** The running coordinator starts a gang. */
async function gang(name: string, tasks: Readonly<Record<string, number>>, more: object = {}): Promise<void> {
  const body = {
    name: `/alice/job-1/${name}`,
    entrypoint: { runCommand: { argv: ['endless'] } },
    replicas: 16,
    resources: { cpuMillicores: 5_000, device: { tpu: { variant: 'v5p-32' } } },
    clientRevisionDate: '2026-11-22',
  };
  lab.iris.answer('iris.cluster.ControllerService/LaunchJob', JSON.stringify(body), undefined);
  const job = lab.iris.world.jobs.get(body.name);
  if (job === undefined) throw new Error('there is no gang');
  Object.assign(job, { tasks, state: 'JOB_STATE_PENDING', ...more });
}

async function seen(changes: Parameters<IrisLab['engine']>[0] = {}): Promise<JobObservation> {
  return lab.engine(changes).observe('job-1', null);
}

describe('a coordinator', () => {
  beforeEach(async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(1_000);
  });

  it('runs until it starts a child', async () => {
    expect(await seen()).toMatchObject({ status: 'RUNNING' });
  });

  it('is pending while its gang waits, with the reason and the counts of tasks', async () => {
    await gang('train', { pending: 16 }, { pendingReason: 'Scheduler: no v5p-32' });
    expect(await seen()).toMatchObject({
      status: 'PENDING',
      message: expect.stringContaining('/alice/job-1/train is PENDING, with 0 of 16 tasks running'),
      details: { child: '/alice/job-1/train', workersAsked: '16', workersReady: '0' },
    });
  });

  it('runs with some of the tasks of its gang, and tells how many', async () => {
    await gang('train', { running: 12, pending: 4 }, { state: 'JOB_STATE_RUNNING' });
    expect(await seen()).toMatchObject({
      status: 'RUNNING',
      details: { workersAsked: '16', workersReady: '12', childState: 'RUNNING' },
    });
  });

  it('is judged by the newest child that lives', async () => {
    await gang('first', { failed: 16 }, { state: 'JOB_STATE_FAILED' });
    lab.pass(1_000);
    await gang('second', { running: 16 }, { state: 'JOB_STATE_RUNNING' });
    lab.pass(1_000);
    await gang('third', { killed: 16 }, { state: 'JOB_STATE_KILLED' });
    expect(await seen()).toMatchObject({ status: 'RUNNING', details: { child: '/alice/job-1/second' } });
  });

  it('is not judged by the child of a job with a longer name', async () => {
    await submitTo(lab.engine(), lab.spec({ submissionId: 'job-10', command: ['endless'] }));
    lab.pass(1_000);
    expect(await seen()).toMatchObject({ status: 'RUNNING' });
  });

  it('shows another accelerator than its cluster asks for', async () => {
    await gang('train', { running: 16 }, { state: 'JOB_STATE_RUNNING' });
    expect(await seen({ childDevice: { kind: 'tpu', variant: 'v5p-64' } })).toMatchObject({
      details: { acceleratorAsked: 'v5p-64', accelerator: 'v5p-32' },
    });
  });
});

describe('the settings of a cluster', () => {
  it('reach the controller', async () => {
    await submitTo(
      lab.engine({
        ...{ targetCluster: 'cw-us-east-08a', priority: 'interactive', extras: ['cpu'] },
        ...{ taskImage: 'ghcr.io/lab/task:1', ports: ['jax'] },
      }),
      lab.spec(),
    );
    expect(lab.iris.world.jobs.get('/alice/job-1')?.launched.request).toMatchObject({
      ...{ targetCluster: 'cw-us-east-08a', priorityBand: 'PRIORITY_BAND_INTERACTIVE' },
      ...{ taskImage: 'ghcr.io/lab/task:1', ports: ['jax'] },
      environment: { extras: ['cpu'] },
    });
  });

  it.each([
    ['IRIS_PORT_JAX', 'submitted'],
    ['IRIS_TASK_ID', 'rejected'],
    ['IRIS_JOB_ENV', 'rejected'],
  ])('the variable %s of a job is %s', async (name, kind) => {
    expect(await submitTo(lab.engine(), lab.spec({ env: { [name]: '32614' } }))).toMatchObject({ kind });
  });

  it.each([
    [false, 'rejected'],
    [true, 'submitted'],
  ])('send a secret by value: %s', async (secretValues, kind) => {
    const spec = lab.spec({ env: { WANDB_API_KEY: 'k'.repeat(40) }, secretNames: ['WANDB_API_KEY'] });
    expect(await submitTo(lab.engine({ secretValues }), spec)).toMatchObject({ kind });
    const job = lab.iris.world.jobs.get('/alice/job-1');
    expect(job?.launched.env['WANDB_API_KEY']).toBe(secretValues ? 'k'.repeat(40) : undefined);
  });
});

describe('a token command of a header', () => {
  // threat T255
  it('sees no key of ferrybot and no secret of a job', async () => {
    const environment = { ...process.env, FERRYBOT_RUNNER_KEY: 'runner', WANDB_API_KEY: 'wandb', IRIS_TOKEN: 'iris' };
    const command = ['bash', '-c', 'echo "$FERRYBOT_RUNNER_KEY$WANDB_API_KEY$IRIS_TOKEN:${HOME:+home}"'];
    const headers = tokenHeaders({ Authorization: command }, { environment, now: () => 0 });
    expect(await headers()).toEqual({ kind: 'headers', headers: { Authorization: 'Bearer :home' } });
  });

  it('runs once in twenty minutes, and its failure leaves the job unknown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-token-'));
    const count = join(folder, 'count');
    await writeFile(count, '');
    let nowMs = 0;
    const command = ['bash', '-c', `echo x >> ${count}; echo the-token`];
    const headers = tokenHeaders({ 'Proxy-Authorization': command }, { environment: process.env, now: () => nowMs });
    const value = { kind: 'headers', headers: { 'Proxy-Authorization': 'Bearer the-token' } };
    expect(await headers()).toEqual(value);
    expect(await headers()).toEqual(value);
    nowMs += 21 * 60_000;
    expect(await headers()).toEqual(value);
    expect(await readFile(count, 'utf8')).toBe('x\nx\n');
    const failing = createIrisEngine({
      cluster: irisConfig(),
      token: null,
      now: () => 0,
      http: callOverHttp,
      headers: tokenHeaders({ 'Proxy-Authorization': ['false'] }, { environment: {}, now: () => 0 }),
    });
    expect(await failing.observe('job-1', null)).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('Proxy-Authorization'),
    });
    await rm(folder, { recursive: true });
  });
});
