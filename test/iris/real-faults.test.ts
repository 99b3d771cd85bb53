/**
 * A real Iris with lost answers, a controller that dies, returns and loses state, and a lost worker: each
 * attempt starts once, and its end is reported correctly.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listProcesses, startController, startWorker } from '../../demo/iris/cluster.ts';
import { readOf } from '../../demo/processes.ts';
import {
  type Engine,
  isTerminal,
  type JobObservation,
  type JobSpec,
  type SubmitOutcome,
} from '../../src/domain/engine.ts';
import { callOverHttp, type Http } from '../../src/engines/shared/http.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { describeWithIris, realEngine, startTestIris, type TestIris } from '../support/iris-cluster.ts';
import { readText } from '../support/log-text.ts';

/** 200 on demand (`FERRYBOT_IRIS_SUBMITS=200`), this many in CI. */
const SUBMITS = Number(process.env['FERRYBOT_IRIS_SUBMITS'] ?? 8);
const LOOKS = 300;
const FAULTS = ['none', 'lost-after', 'lost-before', 'doubled', 'controller'] as const;

describeWithIris('a real Iris', () => {
  let iris: TestIris;
  let tree: string;
  beforeAll(async () => {
    iris = await startTestIris();
    tree = join(iris.record.folder, 'tree');
    await mkdir(tree);
    await writeFile(join(tree, 'train.py'), '');
  }, 300_000);
  afterAll(() => iris.close());

  const specOf = (submissionId: string, script: string): JobSpec => ({
    submissionId,
    command: ['bash', '-c', script],
    env: {},
    workingDirectory: tree,
    metadata: { run: `run-${submissionId}`, attempt: 1, manifest: 'sha256:aa' },
  });
  /** Each start of a command appends its name here, as an independent count. */
  const starts = (): string => join(iris.record.folder, 'starts');
  const startsOf = async (id: string): Promise<number> =>
    (await readFile(starts(), 'utf8')).split('\n').filter((line) => line === id).length;
  const until = async (
    engine: Engine,
    id: string,
    accept: (seen: JobObservation) => boolean,
  ): Promise<JobObservation> => {
    let seen: JobObservation = { kind: 'unknown', message: '' };
    for (let look = 0; look < LOOKS; look += 1) {
      seen = await engine.observe(id, null);
      if (accept(seen)) return seen;
      await sleep(1_000);
    }
    throw new Error(`${id} never got there: ${JSON.stringify(seen)}`);
  };
  const hasEnded = (seen: JobObservation): boolean => seen.kind === 'found' && isTerminal(seen.status);
  const isRunning = (seen: JobObservation): boolean => seen.kind === 'found' && seen.status === 'RUNNING';
  const killController = async (): Promise<void> => {
    for (const pid of await daemons(iris, 'controller')) process.kill(pid, 'SIGKILL');
    await sleep(500);
  };

  it(
    `starts each of ${SUBMITS} attempts once with faults on the way`,
    async () => {
      for (let index = 0; index < SUBMITS; index += 1) {
        const fault = FAULTS[index % FAULTS.length] ?? 'none';
        const spec = specOf(`many-${index}`, `echo many-${index} >> ${starts()}; exit ${index % 3}`);
        const isDying = fault === 'controller';
        const engine = realEngine(iris, {}, isDying ? callOverHttp : faulty(fault));
        const first = submitTo(engine, spec);
        if (isDying) {
          await sleep(index * 10);
          await killController();
          await startController(iris.record);
        }
        // As a launcher does: a new process repeats the submit until the outcome is known.
        let outcome: SubmitOutcome = await first;
        for (let tries = 0; tries < 30 && outcome.kind === 'unknown'; tries += 1) {
          await sleep(500);
          outcome = await submitTo(realEngine(iris), spec);
        }
        expect([fault, outcome.kind]).toEqual([fault, expect.stringMatching(/submitted|adopted/)]);
        expect((await submitTo(realEngine(iris), spec)).kind).toBe('adopted');
      }
      for (let index = 0; index < SUBMITS; index += 1) {
        const id = `many-${index}`;
        const seen = await until(realEngine(iris), id, hasEnded);
        const code = index % 3;
        expect(seen).toMatchObject({ status: code === 0 ? 'SUCCEEDED' : 'FAILED', exitCode: code });
        expect([id, await startsOf(id)]).toEqual([id, 1]);
      }
    },
    SUBMITS * 90_000,
  );

  it('stops only that job, and reports the end when its worker confirms it', async () => {
    const engine = realEngine(iris);
    const names = ['exp-1', 'exp-10', 'EXP-1'];
    for (const name of names) await submitTo(engine, specOf(name, 'sleep 1000'));
    for (const name of names) await until(engine, name, isRunning);
    const outcome = await stopIn(engine, 'exp-1');
    expect(['stopped', 'stopping']).toContain(outcome.kind);
    expect(await until(engine, 'exp-1', hasEnded)).toMatchObject({
      status: 'STOPPED',
      exitCode: null,
      message: expect.stringMatching(/(worker|job) (has said|says itself) that it has ended/),
    });
    for (const name of ['exp-10', 'EXP-1']) {
      expect(await engine.observe(name, null)).toMatchObject({ status: 'RUNNING' });
      await stopIn(engine, name);
    }
    expect(await submitTo(engine, specOf('exp-1', 'sleep 1000'))).toMatchObject({ kind: 'adopted' });
  }, 300_000);

  it('gives the log from its beginning after a restart of the controller', async () => {
    const engine = realEngine(iris);
    await submitTo(engine, specOf('talk', 'for i in $(seq 30); do echo line $i; sleep 1; done'));
    await until(engine, 'talk', isRunning);
    let text = '';
    const readOn = async (enough: RegExp): Promise<void> => {
      for (let look = 0; look < LOOKS && !enough.test(text); look += 1) {
        const read = await readText(engine, 'talk', Buffer.byteLength(text));
        if (read.kind === 'chunk') text += read.text;
        else if (read.kind === 'rewound') text = '';
        else await sleep(1_000);
        await sleep(200);
      }
      expect(text).toMatch(enough);
    };
    await readOn(/^line 3$/m);
    await killController();
    await startController(iris.record);
    await readOn(/^ferrybot end talk:0 0$/m);
    const lines = text.split('\n').filter((line) => line.startsWith('line '));
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.at(-1)).toBe('line 30');
  }, 300_000);

  it('reports a lost worker, and an approved restart', async () => {
    const markers = join(iris.record.folder, 'marks');
    await mkdir(markers);
    const engine = realEngine(iris);
    const restarting = realEngine(iris, { maxRetriesPreemption: 1, markers });
    await submitTo(engine, specOf('once', `echo once >> ${starts()}; sleep 1000`));
    await submitTo(restarting, specOf('twice', `echo twice >> ${starts()}; sleep 1000`));
    await submitTo(engine, specOf('stopped', 'sleep 1000'));
    for (const name of ['once', 'twice', 'stopped']) await until(engine, name, isRunning);
    for (const pid of await daemons(iris, 'worker.py')) process.kill(pid, 'SIGKILL');
    // No process is left that could confirm its end.
    await stopIn(engine, 'stopped');
    await until(engine, 'once', hasEnded);
    expect(await engine.observe('once', null)).toMatchObject({
      status: 'FAILED',
      errorType: 'WORKER_FAILED',
      exitCode: null,
    });
    await startWorker(iris.record, 'worker-2');
    const again = await until(
      restarting,
      'twice',
      (seen) => isRunning(seen) && seen.kind === 'found' && seen.details?.['restarts'] === '1',
    );
    expect(again).toMatchObject({ details: { lostWorkers: '1' } });
    expect([await startsOf('once'), await startsOf('twice')]).toEqual([1, 2]);
    expect(await engine.observe('stopped', null)).toMatchObject({ status: 'RUNNING', details: { stopping: 'yes' } });
    await stopIn(restarting, 'twice');
  }, 400_000);

  it('is state-lost after the controller restarts from an older state, and nothing is started again', async () => {
    const engine = realEngine(iris);
    await submitTo(engine, specOf('late', `echo late >> ${starts()}; sleep 1000`));
    await until(engine, 'late', isRunning);
    const session = await engine.session();
    if (session.kind !== 'session') throw new Error('the controller does not answer');
    await killController();
    await rm(join(iris.record.folder, 'state', 'db'), { recursive: true });
    await startController(iris.record);
    expect(await engine.observe('late', session.id)).toMatchObject({
      kind: 'state-lost',
      message: expect.stringMatching(/has forgotten the job/),
    });
    expect(await startsOf('late')).toBe(1);
  }, 300_000);
});

/** Its processes with this word in the command line. */
async function daemons({ record }: TestIris, word: string): Promise<readonly number[]> {
  const pids = await listProcesses(record.folder);
  const lines = await Promise.all(pids.map((pid) => readOf(String(pid), 'cmdline')));
  return pids.filter((_, index) => /python/.test(lines[index] ?? '') && lines[index]?.includes(word));
}

/** The first launch does not arrive, arrives twice, or loses its answer. */
function faulty(fault: (typeof FAULTS)[number]): Http {
  let isOver = fault === 'none';
  return async (request) => {
    if (isOver || !request.url.pathname.endsWith('/LaunchJob')) return callOverHttp(request);
    isOver = true;
    if (fault !== 'lost-before') await callOverHttp(request);
    return fault === 'doubled'
      ? callOverHttp(request)
      : { kind: 'failed', sent: true, message: 'connection closed before message completed' };
  };
}
