/** What a job of Iris is told as: by its task and its own word, never by the job's state or a code alone. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { type IrisLab, openIrisLab } from '../support/iris-lab.ts';

let lab: IrisLab;
beforeEach(async () => {
  lab = await openIrisLab();
});
afterEach(() => lab.close());

describe('an answer that was lost', () => {
  it('has nothing sent again, because a restarted controller may have forgotten the job', async () => {
    lab.iris.world.checkpoint();
    lab.pass(60_000);
    lab.faults.push({ method: 'LaunchJob', fault: 'restore-after' });
    const outcome = await submitTo(lab.engine(), lab.spec());
    expect(outcome).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/not confirmed/) });
    lab.pass(60_000);
    lab.iris.world.tick();
    expect(lab.iris.world.jobs.size).toBe(0);
  });

  it('is unknown while a controller that is told to end lingers', async () => {
    lab.faults.push({ method: 'LaunchJob', fault: 'shutdown' });
    expect(await submitTo(lab.engine(), lab.spec())).toMatchObject({ kind: 'unknown' });
    lab.pass(60_000);
    lab.iris.world.tick();
    expect(lab.iris.world.starts()).toEqual([]);
  });
});

describe('a name that is taken', () => {
  it('stays taken when the job has ended: it is adopted, and never replaced', async () => {
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    expect((await submitTo(lab.engine(), lab.spec())).kind).toBe('adopted');
    expect(lab.iris.world.starts()).toHaveLength(1);
  });
});

it('a key of another user takes the job elsewhere, which is told and not taken for a start of ours', async () => {
  await lab.close();
  lab = await openIrisLab({ keys: { 'bob-key': 'bob' } });
  expect(await submitTo(lab.engine({}, 'bob-key'), lab.spec())).toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/as \/bob\/job-1 where \/alice\/job-1 was asked for/),
  });
  expect(await submitTo(lab.engine({ user: 'bob' }, 'wrong'), lab.spec())).toMatchObject({ kind: 'unknown' });
});

describe('a stop', () => {
  it('is over when the job says so, and not when Iris says KILLED', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(2_000);
    await lab.engine().observe('job-1', null);
    // A young job may run on for half a minute.
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

  it('of a process that was killed without a word is over when no worker can keep it any longer', async () => {
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

  it('is over when a newer controller has written down that its worker said so', async () => {
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

  it('by a time limit of Iris is over no sooner than any other', async () => {
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

  it('by a time limit is over when the job says so itself', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    await lab.engine().observe('job-1', null);
    // Its process is told to end, as for a stop.
    lab.iris.world.terminate('/alice/job-1');
    const error = 'Execution timeout exceeded';
    const states = { state: 'JOB_STATE_FAILED', taskState: 'TASK_STATE_FAILED', error };
    Object.assign(lab.iris.world.jobs.get('/alice/job-1') ?? {}, states);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
    lab.pass(2_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({ errorType: 'TIMEOUT' });
  });

  it('of a job that was never placed is over at once', async () => {
    await submitTo(lab.engine({ cpuMillicores: 500_000 }), lab.spec());
    lab.pass(60_000);
    expect(await stopIn(lab.engine(), 'job-1')).toEqual({ kind: 'stopped' });
  });

  it('takes that job alone, whatever begins with its name', async () => {
    for (const submissionId of ['exp-1', 'exp-10', 'EXP-1', 'exp-1b'])
      await submitTo(lab.engine(), lab.spec({ submissionId, command: ['endless'] }));
    lab.pass(60_000);
    await stopIn(lab.engine(), 'exp-1');
    const states = [...lab.iris.world.jobs.values()].map(
      ({ launched, state }) => `${launched.name} ${state}`,
    );
    expect(states.filter((text) => text.endsWith('KILLED'))).toEqual(['/alice/exp-1 JOB_STATE_KILLED']);
  });

  it('whose answer is lost is unknown until a look sees it', async () => {
    await submitTo(lab.engine(), lab.spec({ command: ['endless'] }));
    lab.pass(60_000);
    lab.faults.push({ method: 'TerminateJob', fault: 'lost-before' });
    expect(await stopIn(lab.engine(), 'job-1')).toMatchObject({ kind: 'unknown' });
    expect(await stopIn(lab.engine(), 'job-1')).toEqual({ kind: 'stopped' });
  });
});

describe('a job that is lost, waits or runs again', () => {
  it('is RUNNING for fifty seconds after its worker died, and then FAILED by the loss', async () => {
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

  it('waits again although the job is RUNNING, runs again, and both are told', async () => {
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

  it('by its task is PENDING while the job is RUNNING', async () => {
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

  it('gives the reason why it waits', async () => {
    await submitTo(lab.engine({ cpuMillicores: 500_000 }), lab.spec());
    lab.pass(3_600_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      status: 'PENDING',
      message: expect.stringMatching(/Insufficient CPU/),
    });
  });

  it('is absent where nobody ever saw it, lost where somebody did, and unknown where nobody answers', async () => {
    const engine = lab.engine();
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'absent' });
    expect(await engine.observe('job-1', 'host-1:1:1')).toMatchObject({
      kind: 'state-lost',
      message: expect.stringMatching(/forgotten the job/),
    });
    lab.faults.push({ method: 'GetJobStatus', fault: 'bad-gateway-before' });
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('that was over before its worker told of the start has succeeded once it says so itself', async () => {
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

  it('that a worker says SUCCEEDED of without having started it is not taken for one', async () => {
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    await lab.engine().observe('job-1', null);
    // Somebody frees the name by hand and launches it anew: the worker hands its old result out.
    lab.iris.world.jobs.delete('/alice/job-1');
    await submitTo(lab.engine(), lab.spec());
    lab.pass(10_000);
    expect(await lab.engine().observe('job-1', null)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/never started/),
    });
  });
});

describe('what is sent', () => {
  const secret = 'hunter2-hunter2-hunter2';

  it('has no value of a secret, but where the workers have it', async () => {
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

  it('is refused where a secret stands in the command or under another name', async () => {
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

  it('asks for no restart, one task, and a refusal where the name is taken', async () => {
    await submitTo(lab.engine(), lab.spec());
    expect(lab.iris.world.jobs.get('/alice/job-1')?.launched.request).toMatchObject({
      ...{ existingJobPolicy: 'EXISTING_JOB_POLICY_ERROR', replicas: 1 },
      ...{ maxRetriesFailure: 0, maxRetriesPreemption: 0, clientRevisionDate: '2026-11-22' },
    });
  });

  it('is the tree as it lies there, under one name for the same content, which the record has', async () => {
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
