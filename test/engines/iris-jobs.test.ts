/**
 * The status of an Iris job comes from its task and the job's own end line, never from the job state or an
 * exit code.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { type IrisLab, openIrisLab } from '../support/iris-lab.ts';

let lab: IrisLab;
beforeEach(async () => {
  lab = await openIrisLab();
});
afterEach(() => lab.close());

describe('a lost answer to a submit', () => {
  it('does not resubmit to a restarted controller, which may have forgotten the job', async () => {
    lab.iris.world.checkpoint();
    lab.pass(60_000);
    lab.faults.push({ method: 'LaunchJob', fault: 'restore-after' });
    const outcome = await submitTo(lab.engine(), lab.spec());
    expect(outcome).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/not confirmed/) });
    lab.pass(60_000);
    lab.iris.world.tick();
    expect(lab.iris.world.jobs.size).toBe(0);
  });

  it('reports unknown while a controller that is shutting down still answers', async () => {
    lab.faults.push({ method: 'LaunchJob', fault: 'shutdown' });
    expect(await submitTo(lab.engine(), lab.spec())).toMatchObject({ kind: 'unknown' });
    lab.pass(60_000);
    lab.iris.world.tick();
    expect(lab.iris.world.starts()).toEqual([]);
  });
});

describe('a job name that is taken', () => {
  it('adopts the ended job under that name and never replaces it', async () => {
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    expect((await submitTo(lab.engine(), lab.spec())).kind).toBe('adopted');
    expect(lab.iris.world.starts()).toHaveLength(1);
  });
});

it("reports unknown when the key of another user creates the job under that user's name", async () => {
  await lab.close();
  lab = await openIrisLab({ keys: { 'bob-key': 'bob' } });
  expect(await submitTo(lab.engine({}, 'bob-key'), lab.spec())).toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/as \/bob\/job-1 where \/alice\/job-1 was asked for/),
  });
  expect(await submitTo(lab.engine({ user: 'bob' }, 'wrong'), lab.spec())).toMatchObject({ kind: 'unknown' });
});

describe('stopping a job', () => {
  it('reports the job stopped when the job confirms its end, not when Iris reports KILLED', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(2_000);
    await lab.engine().observe('job-1', null);
    // A new job may keep running for half a minute.
    expect(await stopIn(lab.engine(), 'job-1')).toMatchObject({ kind: 'stopping' });
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'RUNNING',
      endedAtMs: null,
      message: expect.stringMatching(/KILLED.*may still run/),
    });
    expect(lab.iris.world.runs()).toHaveLength(1);
    lab.pass(20_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'STOPPED',
      message: expect.stringMatching(/says itself that it has ended, with status 143/),
    });
    expect(lab.iris.world.runs()).toHaveLength(0);
  });

  it('reports a process killed without an end line as stopped once no worker can still run it', async () => {
    await lab.close();
    lab = await openIrisLab({ runtime: 'process' });
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    expect(await stopIn(lab.engine(), 'job-1')).toMatchObject({ kind: 'stopping' });
    lab.pass(600_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
    lab.pass(120_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'STOPPED',
      message: expect.stringMatching(/has not said itself/),
    });
  });

  it('reports the job stopped once a newer controller has recorded that its worker confirmed the end', async () => {
    await lab.close();
    lab = await openIrisLab({ runtime: 'process', release: '2026-06-18' });
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    expect((await stopIn(lab.engine(), 'job-1')).kind).toBe('stopped');
    expect(lab.iris.world.runs()).toHaveLength(0);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'STOPPED',
      message: expect.stringMatching(/Its worker has said that it has ended/),
    });
  });

  it('reports a job that hit an Iris time limit as failed only after its attempt has finished', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    await lab.engine().observe('job-1', null);
    const job = lab.iris.world.jobs.get('/alice/job-1');
    if (job === undefined) throw new Error('no job');
    const finishedAt = lab.now();
    const error = 'Execution timeout exceeded';
    Object.assign(job, { state: 'JOB_STATE_FAILED', taskState: 'TASK_STATE_FAILED', error, finishedAt });
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'RUNNING',
      details: { stopping: 'yes' },
    });
    const [attempt] = job.attempts;
    Object.assign(attempt ?? {}, { finishedAt });
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'FAILED',
      errorType: 'TIMEOUT',
      exitCode: null,
    });
  });

  it('reports a job that hit a time limit as TIMEOUT when the job confirms its end', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    await lab.engine().observe('job-1', null);
    // Iris terminates the process, as it does for a stop.
    lab.iris.world.terminate('/alice/job-1');
    const error = 'Execution timeout exceeded';
    const states = { state: 'JOB_STATE_FAILED', taskState: 'TASK_STATE_FAILED', error };
    Object.assign(lab.iris.world.jobs.get('/alice/job-1') ?? {}, states);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
    lab.pass(2_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ errorType: 'TIMEOUT' });
  });

  it('stops a job that was never placed immediately', async () => {
    await submitTo(lab.engine({ cpuMillicores: 500_000 }), lab.spec());
    lab.pass(60_000);
    expect(await stopIn(lab.engine(), 'job-1')).toEqual({ kind: 'stopped' });
  });

  it('stops only the named job, not jobs whose names share its prefix', async () => {
    for (const submissionId of ['exp-1', 'exp-10', 'EXP-1', 'exp-1b'])
      await submitTo(lab.engine(), lab.spec({ submissionId, command: ['endless'] }));
    lab.pass(60_000);
    await stopIn(lab.engine(), 'exp-1');
    const states = [...lab.iris.world.jobs.values()].map(({ launched, state }) => `${launched.name} ${state}`);
    expect(states.filter((text) => text.endsWith('KILLED'))).toEqual(['/alice/exp-1 JOB_STATE_KILLED']);
  });

  it('reports unknown when the answer is lost, and stopped at the next check', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    lab.faults.push({ method: 'TerminateJob', fault: 'lost-before' });
    expect(await stopIn(lab.engine(), 'job-1')).toMatchObject({ kind: 'unknown' });
    expect(await stopIn(lab.engine(), 'job-1')).toEqual({ kind: 'stopped' });
  });
});

describe('a job that is lost, pending or restarted', () => {
  it('reports RUNNING for fifty seconds after the worker died, then FAILED with WORKER_FAILED', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(1_000);
    lab.iris.world.loseWorker();
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
    lab.pass(51_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'FAILED',
      errorType: 'WORKER_FAILED',
      exitCode: null,
      message: expect.stringMatching(/ping threshold/),
    });
  });

  it('counts the restart and the lost worker in the details after Iris restarts the task', async () => {
    await submitTo(lab.engine({ maxRetriesPreemption: 1 }), lab.spec({ command: ['endless'] }));
    lab.pass(1_000);
    lab.iris.world.loseWorker();
    lab.pass(49_999);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ details: { irisState: 'RUNNING' } });
    lab.pass(2_000);
    await lab.engine().observe('job-1', null);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'RUNNING',
      message: expect.stringMatching(/started it 1 time\(s\) again \(1 lost workers, 0 failures\)/),
      details: { restarts: '1', lostWorkers: '1' },
    });
  });

  it('reports PENDING by the task state while the job state is RUNNING', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(1_000);
    const job = lab.iris.world.jobs.get('/alice/job-1');
    if (job !== undefined) {
      lab.iris.world.tick();
      job.taskState = 'TASK_STATE_ASSIGNED';
    }
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'PENDING',
      details: { irisState: 'RUNNING', taskState: 'ASSIGNED' },
    });
  });

  it('gives the reason why the job is pending', async () => {
    await submitTo(lab.engine({ cpuMillicores: 500_000 }), lab.spec());
    lab.pass(3_600_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'PENDING',
      message: expect.stringMatching(/Insufficient CPU/),
    });
  });

  it('reports absent if never seen, state-lost if seen before, and unknown if the controller does not answer', async () => {
    const engine = lab.engine();
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'absent' });
    expect(await engine.observe('job-1', 'host-1:1:1')).toMatchObject({
      kind: 'state-lost',
      message: expect.stringMatching(/forgotten the job/),
    });
    lab.faults.push({ method: 'GetJobStatus', fault: 'bad-gateway-before' });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('reports success from the end line when the worker never reported the start, and unknown without the line', async () => {
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    await lab.engine().observe('job-1', null);
    const attempt = lab.iris.world.jobs.get('/alice/job-1')?.attempts[0];
    if (attempt === undefined) throw new Error('the job was not placed');
    attempt.startedAt = null;
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    lab.iris.world.loseLines();
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('reports unknown for a worker that reports SUCCEEDED without having started the job', async () => {
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    await lab.engine().observe('job-1', null);
    // The name is freed by hand and launched again: the worker returns its old result.
    lab.iris.world.jobs.delete('/alice/job-1');
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/never started/),
    });
  });
});

describe('the launch request', () => {
  const secret = 'hunter2-hunter2-hunter2';

  it('never contains the value of a secret, only the path of its file on the workers', async () => {
    const spec = lab.spec({ env: { MODE: 'fast', WANDB_API_KEY: secret }, secretNames: ['WANDB_API_KEY'] });
    expect(await submitTo(lab.engine(), spec)).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/name the file of the workers/),
    });
    const secretFiles = { WANDB_API_KEY: '/run/secrets/wandb' };
    expect((await submitTo(lab.engine({ secretFiles }), spec)).kind).toBe('submitted');
    const sent = JSON.stringify([...lab.iris.world.jobs.values()].map(({ launched }) => launched));
    expect(sent).not.toContain(secret);
    expect(sent).toContain('WANDB_API_KEY=/run/secrets/wandb');
    expect(sent).toContain('"MODE":"fast"');
  });

  it('is rejected when a secret is in the command or under another variable name', async () => {
    const secretFiles = { KEY: '/run/secrets/key' };
    for (const changes of [{ command: ['train', `--key=${secret}`] }, { env: { KEY: secret, COPY: secret } }])
      expect(
        await submitTo(
          lab.engine({ secretFiles }),
          lab.spec({ env: { KEY: secret }, secretNames: ['KEY'], ...changes }),
        ),
      ).toMatchObject({ kind: 'rejected', code: 'refused' });
    expect(lab.iris.world.jobs.size).toBe(0);
  });

  it('asks for no retry, one replica, and an error when the name is taken', async () => {
    await submitTo(lab.engine(), lab.spec());
    expect(lab.iris.world.jobs.get('/alice/job-1')?.launched.request).toMatchObject({
      ...{ existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR', replicas: 1 },
      ...{ maxRetriesFailure: 0, maxRetriesPreemption: 0, clientRevisionDate: '2026-11-22' },
    });
  });

  it('ships the working tree under the same bundle name for the same content, and records that name', async () => {
    const first = await submitTo(lab.engine(), lab.spec());
    const second = await submitTo(lab.engine(), lab.spec({ submissionId: 'job-2' }));
    if (first.kind !== 'submitted' || second.kind !== 'submitted') throw new Error('not submitted');
    expect(first.job.locator).toEqual({
      kind: 'dashboard',
      url: expect.stringMatching(/#\/job\/%2Falice%2Fjob-1$/),
      bundle: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(second.job.locator).toMatchObject({ bundle: Reflect.get(first.job.locator, 'bundle') });
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      details: { bundle: Reflect.get(first.job.locator, 'bundle') },
    });
  });
});
