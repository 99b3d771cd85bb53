/** What every engine behind the interface must do, run on the local one and on the simulated one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalEngine } from '../../src/clusters/local/engine.ts';
import type { Engine, FoundJob, JobSpec } from '../../src/domain/engine.ts';
import { isTerminal } from '../../src/domain/engine.ts';
import type { JobScript } from '../support/ferry-script.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

/** One engine, ready for a test: jobs of three kinds, and a way to let a little time pass. */
type Bench = {
  readonly engine: Engine;
  readonly command: (kind: 'quick' | 'failing' | 'endless') => readonly string[];
  readonly directory: string;
  readonly pass: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const SAID = 'up 🚀 käse\nprogress\n';

async function localBench(): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  const engine = createLocalEngine({ directory: join(directory, 'jobs'), now: Date.now, stopGraceMs: 1_000 });
  const say = `process.stdout.write(${JSON.stringify(SAID)});`;
  const sources = {
    quick: say,
    failing: `${say} process.exitCode = 3`,
    endless: `${say} setInterval(() => {}, 1e6)`,
  };
  return {
    engine,
    directory,
    command: (kind) => [process.execPath, '-e', sources[kind]],
    pass: () => sleep(25),
    close: async () => {
      await engine.stop('job-1');
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function simulatedBench(): Promise<Bench> {
  let nowMs = Date.UTC(2026, 10, 21);
  const lines = SAID.trimEnd()
    .split('\n')
    .map((text, index) => ({ atMs: index * 100, text }));
  const script = (spec: JobSpec): JobScript => ({
    pendingMs: 50,
    lines,
    endAtMs: spec.command[0] === 'endless' ? 1e12 : 1_000,
    exitCode: spec.command[0] === 'failing' ? 3 : 0,
    metrics: [],
  });
  return {
    engine: createSimulatedEngine({ now: () => nowMs, script }),
    directory: tmpdir(),
    command: (kind) => [kind],
    pass: async () => {
      nowMs += 25;
    },
    close: async () => undefined,
  };
}

describe.each([
  ['local', localBench],
  ['simulated', simulatedBench],
])('the %s engine', (_, open) => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await open();
  });
  afterEach(() => bench.close());

  const spec = (kind: 'quick' | 'failing' | 'endless', changes: Partial<JobSpec> = {}): JobSpec => ({
    submissionId: 'job-1',
    command: bench.command(kind),
    env: {},
    workingDirectory: bench.directory,
    metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
    ...changes,
  });
  const when = async (accept: (job: FoundJob) => boolean): Promise<FoundJob> => {
    for (let look = 0; look < 600; look += 1) {
      const seen = await bench.engine.observe('job-1', null);
      if (seen.kind === 'found' && accept(seen)) return seen;
      await bench.pass();
    }
    throw new Error('the job never got there');
  };
  const saidAll = async (): Promise<void> => {
    for (let look = 0; look < 600; look += 1) {
      const read = await bench.engine.readLog('job-1', 0);
      if (read.kind === 'chunk' && read.text === SAID) return;
      await bench.pass();
    }
    throw new Error('the job never said it all');
  };

  it('names its session', async () => {
    expect(await bench.engine.session()).toMatchObject({ kind: 'session', id: expect.stringMatching(/./) });
  });

  it('positively has no job of an id that nobody submitted', async () => {
    for (const id of ['job-1', '../job-1', '']) {
      expect(await bench.engine.observe(id, null)).toMatchObject({ kind: 'absent' });
      expect(await bench.engine.readLog(id, 0)).toEqual({ kind: 'absent' });
      expect(await bench.engine.stop(id)).toEqual({ kind: 'absent' });
    }
  });

  it('refuses an id that could be a path, and a command without a program', async () => {
    for (const submissionId of ['', '../x', 'a/b', '.hidden', 'x'.repeat(129)])
      expect(await bench.engine.submit(spec('quick', { submissionId }))).toMatchObject({
        kind: 'rejected',
        code: 'bad-submission-id',
      });
    expect(await bench.engine.submit(spec('quick', { command: [] }))).toMatchObject({
      code: 'empty-command',
    });
  });

  it('starts an id once, gives the same job to who asks again, and another one to nobody', async () => {
    const first = await bench.engine.submit(spec('quick'));
    const again = await bench.engine.submit(spec('quick'));
    expect(first).toMatchObject({ kind: 'submitted', job: { engine: bench.engine.name, jobId: 'job-1' } });
    expect(again).toEqual({ ...first, kind: 'adopted' });
    for (const change of [{ run: 'other' }, { attempt: 2 }, { manifest: 'sha256:bb' }]) {
      const metadata = { ...spec('quick').metadata, ...change };
      const outcome = await bench.engine.submit(spec('quick', { metadata }));
      expect(outcome).toEqual({ kind: 'conflict', found: spec('quick').metadata });
    }
  });

  it('lets a job run, end well, and stay ended', async () => {
    await bench.engine.submit(spec('quick'));
    const end = await when((job) => isTerminal(job.status));
    expect(end).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, errorType: null });
    expect(end.metadata).toEqual(spec('quick').metadata);
    expect(end.endedAtMs ?? 0).toBeGreaterThanOrEqual(end.startedAtMs ?? Number.NaN);
    await bench.pass();
    expect(await bench.engine.observe('job-1', null)).toEqual(end);
    expect(await bench.engine.stop('job-1')).toEqual({ kind: 'already-ended', status: 'SUCCEEDED' });
    expect(await bench.engine.observe('job-1', null)).toEqual(end);
  });

  it('says how a job failed', async () => {
    await bench.engine.submit(spec('failing'));
    expect(await when((job) => isTerminal(job.status))).toMatchObject({
      status: 'FAILED',
      exitCode: 3,
      errorType: 'JOB_ENTRYPOINT_COMMAND_ERROR',
    });
  });

  it('stops a job on request, with no exit code', async () => {
    await bench.engine.submit(spec('endless'));
    await saidAll();
    expect(await when((job) => job.status === 'RUNNING')).toMatchObject({ exitCode: null, endedAtMs: null });
    expect(['stopped', 'stopping']).toContain((await bench.engine.stop('job-1')).kind);
    expect(await when((job) => isTerminal(job.status))).toMatchObject({ status: 'STOPPED', exitCode: null });
    expect(await bench.engine.stop('job-1')).toEqual({ kind: 'already-ended', status: 'STOPPED' });
  });

  it('gives the log from any offset, and says when there is less of it than was read', async () => {
    await bench.engine.submit(spec('quick'));
    await when((job) => isTerminal(job.status));
    const size = Buffer.byteLength(SAID);
    const whole = { kind: 'chunk', text: SAID, offset: 0, nextOffset: size, atEnd: true };
    expect(await bench.engine.readLog('job-1', 0)).toEqual(whole);
    expect(await bench.engine.readLog('job-1', 3)).toMatchObject({ text: SAID.slice(3), nextOffset: size });
    expect(await bench.engine.readLog('job-1', size)).toMatchObject({
      text: '',
      nextOffset: size,
      atEnd: true,
    });
    expect(await bench.engine.readLog('job-1', size + 1)).toEqual({ kind: 'rewound', sizeBytes: size });
  });
});
