/**
 * The local engine as a process manager: starts a job at most once, survives its starter, and distinguishes
 * lost from unknown.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Engine, type FoundJob, isTerminal, type JobSpec } from '../../src/domain/engine.ts';
import { createLocalEngine } from '../../src/engines/local/engine.ts';
import { type ProgramResult, readProcessStart, runProgram } from '../../src/host/process.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';

let directory: string;
let engine: Engine;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ferrybot-local-'));
  engine = createLocalEngine({ directory: join(directory, 'jobs'), now: Date.now, stopGraceMs: 500 });
});
afterEach(async () => {
  await stopIn(engine, 'job-1');
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const spec = (source: string, changes: Partial<JobSpec> = {}): JobSpec => ({
  submissionId: 'job-1',
  command: [process.execPath, '-e', source],
  env: { GIVEN: 'yes' },
  workingDirectory: directory,
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
  ...changes,
});
const sleeper = 'console.log("up"); setTimeout(() => {}, 60000)';

async function ended(jobId = 'job-1'): Promise<FoundJob> {
  for (let look = 0; look < 400; look += 1) {
    const seen = await engine.observe(jobId, null);
    if (seen.kind === 'found' && isTerminal(seen.status)) return seen;
    await sleep(25);
  }
  throw new Error('the job did not end');
}
/** Submits job-1 from another process, which then exits in the given way. */
function submitElsewhere(module: string, ending: string): Promise<ProgramResult> {
  const options = `{ directory: ${JSON.stringify(join(directory, 'jobs'))}, now: Date.now }`;
  const job = JSON.stringify(spec('setTimeout(() => console.log("late"), 1500)'));
  const source = `const { createLocalEngine, submitTo } = await import(${JSON.stringify(module)});
    const outcome = await submitTo(createLocalEngine(${options}), ${job});
    console.log(outcome.kind); ${ending}`;
  return runProgram(process.execPath, ['--input-type=module', '-e', source], { env: {} });
}
const logOf = (): Promise<string> => readFile(join(directory, 'jobs/job-1/log'), 'utf8');
async function logged(text: string): Promise<void> {
  for (let look = 0; look < 400; look += 1) {
    const read = await readText(engine, 'job-1', 0);
    if (read.kind === 'chunk' && read.text.includes(text)) return;
    await sleep(25);
  }
  throw new Error(`the log never said ${text}`);
}
const recordOf = async (name: string): Promise<{ pid: number }> =>
  JSON.parse(await readFile(join(directory, 'jobs/job-1', name), 'utf8'));

describe('starting a job at most once', () => {
  it('starts one process for ten concurrent submits of one id', async () => {
    const mark = join(directory, 'starts');
    const source = `require('fs').appendFileSync(${JSON.stringify(mark)}, 'x'); setTimeout(() => {}, 300)`;
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => submitTo(engine, spec(source))));
    expect(outcomes.map((o) => o.kind).sort()).toEqual([...Array(9).fill('adopted'), 'submitted']);
    await ended();
    expect(await submitTo(engine, spec(source))).toMatchObject({ kind: 'adopted' });
    expect(await readFile(mark, 'utf8')).toBe('x');
  });

  it('starts a job once when its submitter died before the start and several submitters retry', async () => {
    await submitTo(engine, spec('console.log("first")'));
    await ended();
    for (const name of ['process.json', 'command.json', 'exit.json', 'log'])
      await rm(join(directory, 'jobs/job-1', name));
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'PENDING' });
    const again = await Promise.all(Array.from({ length: 5 }, () => submitTo(engine, spec('console.log("second")'))));
    expect(new Set(again.map((outcome) => outcome.kind))).toEqual(new Set(['adopted']));
    expect(await ended()).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    await sleep(300);
    expect(await logOf()).toBe('second\n');
  });

  it('stops a claimed job that never started, so that a later submit does not start it', async () => {
    await submitTo(engine, spec('console.log("first")'));
    await ended();
    for (const name of ['process.json', 'command.json', 'exit.json', 'log'])
      await rm(join(directory, 'jobs/job-1', name));
    expect(await stopIn(engine, 'job-1')).toEqual({ kind: 'stopped' });
    expect(await submitTo(engine, spec('console.log("second")'))).toMatchObject({ kind: 'adopted' });
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'STOPPED' });
    expect(await readText(engine, 'job-1', 0)).toMatchObject({ text: '' });
  });

  it.each(['process.kill(process.pid, "SIGKILL")', ''])(
    'keeps the job running after its submitter exits (%s)',
    async (ending) => {
      const module = new URL('../support/local-submitter.ts', import.meta.url).href;
      const starter = await submitElsewhere(module, ending);
      expect(starter.stdout).toBe('submitted\n');
      // The submitter neither waits for the job nor stops it on exit.
      expect(await engine.observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
      expect(await ended()).toMatchObject({ status: 'SUCCEEDED' });
      expect(await logOf()).toBe('late\n');
    },
  );

  it('starts jobs from a minified bundle that contains the supervisor as text', async () => {
    const entryPoint = new URL('../support/local-submitter.ts', import.meta.url).pathname;
    const outfile = join(directory, 'bundle.mjs');
    // Dynamic require is what bundled CommonJS dependencies (cross-spawn) need in an ES module.
    const js = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
    const options = { bundle: true, minify: true, platform: 'node', format: 'esm', banner: { js } } as const;
    await build({ ...options, entryPoints: [entryPoint], outfile });
    expect((await submitElsewhere(outfile, '')).stdout).toBe('submitted\n');
    expect(await ended()).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('the environment of a job', () => {
  it("contains only the given variables and a separate home, nothing from ferrybot's environment", async () => {
    process.env['FERRYBOT_CONTROL_KEY'] = 'secret';
    await submitTo(engine, spec('console.log(JSON.stringify(process.env))'));
    delete process.env['FERRYBOT_CONTROL_KEY'];
    await ended();
    const seen = Object.keys(JSON.parse(await logOf()));
    expect(seen.sort()).toEqual(['FERRYBOT_SUBMISSION_ID', 'GIVEN', 'HOME', 'LANG', 'PATH']);
  });

  it('is never written to disk', async () => {
    await submitTo(engine, spec('', { env: { TOKEN: 'sekrit-value' } }));
    await ended();
    const found = await runProgram('grep', ['-r', 'sekrit-value', directory], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect(found).toMatchObject({ kind: 'exited', exitCode: 1 });
  });
});

describe('the end of a job', () => {
  it('reports PROCESS_LOST only when both supervisor and command died without an exit record', async () => {
    await submitTo(engine, spec(sleeper));
    await logged('up');
    process.kill((await recordOf('process.json')).pid, 'SIGKILL');
    await sleep(100);
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'RUNNING' });
    process.kill((await recordOf('command.json')).pid, 'SIGKILL');
    await sleep(100);
    expect(await engine.observe('job-1', null)).toMatchObject({
      status: 'FAILED',
      errorType: 'PROCESS_LOST',
      exitCode: null,
    });
  });

  it('stops a command after its supervisor died', async () => {
    await submitTo(engine, spec(sleeper));
    await logged('up');
    const { pid } = await recordOf('process.json');
    process.kill(pid, 'SIGKILL');
    // A killed process stays in the process table until its parent has waited for it.
    while ((await readProcessStart(pid)) !== null) await sleep(10);
    expect(await stopIn(engine, 'job-1')).toEqual({ kind: 'stopped' });
    expect(await engine.observe('job-1', null)).toMatchObject({ status: 'STOPPED' });
  });

  it('does not mistake a recycled pid for the job', async () => {
    await submitTo(engine, spec(sleeper));
    await logged('up');
    const path = join(directory, 'jobs/job-1/process.json');
    const real = await recordOf('process.json');
    // A living pid, with the start time of another process.
    await writeFile(path, JSON.stringify({ ...real, pid: process.pid }));
    await rm(join(directory, 'jobs/job-1/command.json'));
    expect(await engine.observe('job-1', null)).toMatchObject({ errorType: 'PROCESS_LOST' });
    process.kill(real.pid, 'SIGTERM');
  });

  it('reports PROCESS_LOST after a reboot, and unknown for a process of another container', async () => {
    await submitTo(engine, spec(sleeper));
    await logged('up');
    const path = join(directory, 'jobs/job-1/process.json');
    const real = await recordOf('process.json');
    await writeFile(path, JSON.stringify({ ...real, pidNamespace: 'pid:[1]' }));
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
    await writeFile(path, JSON.stringify({ ...real, bootId: 'earlier' }));
    await rm(join(directory, 'jobs/job-1/command.json'));
    expect(await engine.observe('job-1', null)).toMatchObject({ errorType: 'PROCESS_LOST' });
    process.kill(real.pid, 'SIGTERM');
  });

  it('reports a SIGTERM that ferrybot did not request as a failure', async () => {
    await submitTo(engine, spec(sleeper));
    await logged('up');
    process.kill((await recordOf('process.json')).pid, 'SIGTERM');
    expect(await ended()).toMatchObject({ status: 'FAILED', details: { signal: 'SIGTERM' } });
  });

  it('kills a command that ignores SIGTERM, with all its child processes', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); ${sleeper};
      require('child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setTimeout(() => {}, 60000)"])
        .on('spawn', function () { console.log('child=' + this.pid + ';') });`;
    await submitTo(engine, spec(stubborn));
    await logged(';');
    const child = Number(/child=(\d+);/.exec(await logOf())?.[1]);
    expect(await stopIn(engine, 'job-1')).toEqual({ kind: 'stopped' });
    // The child is gone, or a zombie that init has not collected yet.
    await expect.poll(() => readProcessStart(child)).toBeNull();
  });

  it('reports an unreadable record as unknown', async () => {
    await submitTo(engine, spec(''));
    await ended();
    await writeFile(join(directory, 'jobs/job-1/exit.json'), '{"exitCode":');
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'unknown' });
  });

  it('reports FAILED when the program does not exist', async () => {
    await submitTo(engine, spec('', { command: ['no-such-program-here'] }));
    expect(await ended()).toMatchObject({ status: 'FAILED', exitCode: null });
  });
});
