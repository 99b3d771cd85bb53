/** A job that a person starts by hand in a rehearsed lab: the real engine reads its records. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endJobs, livingJobs } from '../../demo/end-jobs.ts';
import { addPeoplesLane } from '../../demo/own-job/people-lane.ts';
import { startOwnJob } from '../../demo/own-job/start-own-job.ts';
import { addSecondLane } from '../../demo/second-lane.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { stopStep } from '../../src/domain/engine.ts';
import { createLocalEngine } from '../../src/engines/local/engine.ts';
import { listAdoptingLanes } from '../../src/run/lane.ts';
import { permitFor } from '../support/capabilities.ts';

const EXAMPLE = join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-own-job-'));
});
afterEach(async () => {
  await endJobs(folder);
  await rm(folder, { recursive: true, force: true });
});

async function started() {
  const repository = join(folder, 'work');
  await mkdir(join(repository, 'experiments/ferries'), { recursive: true });
  await writeFile(
    join(repository, 'experiments/ferries/daily.py'),
    'import time\nprint("up", flush=True)\ntime.sleep(600)\n',
  );
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@lab.example', ...args], { cwd: repository });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'The lab');
  const { stdout: commit } = await git('rev-parse', 'HEAD');
  const place = {
    repository,
    branch: 'main',
    engineFolder: join(folder, 'jobs'),
    clones: join(folder, 'clones'),
    experiment: 'experiments/ferries/daily.py',
  };
  const job = await startOwnJob(place, 'ada', Date.UTC(2026, 10, 21, 5, 17, 16));
  const engine = createLocalEngine({ directory: place.engineFolder, now: Date.now, stopGraceMs: 500 });
  while (!existsSync(join(place.engineFolder, job.jobId, 'command.json'))) await sleep(25);
  return { job, engine, commit };
}

describe('a job that was started by hand', () => {
  it('is described by the engine with command, commit and log, and without a run', async () => {
    const { job, engine, commit } = await started();
    expect(job).toEqual({
      jobId: 'ada-20261121051716',
      cluster: 'us-central1',
      experiment: 'experiments/ferries/daily.py',
    });
    const told = await engine.describe(job.jobId);
    expect(told).toMatchObject({
      kind: 'described',
      job: { status: 'RUNNING', metadata: null },
      origin: { gitCommit: commit },
    });
    expect(told.kind === 'described' && told.origin.entrypoint).toContain(`python3 ${job.experiment}`);
    const log = join(folder, 'jobs', job.jobId, 'log');
    while (!(await readFile(log, 'utf8')).includes('up')) await sleep(25);
  });

  it('is stopped by the engine like any other job, and ends with the lab', async () => {
    const { job, engine } = await started();
    const { kind } = await engine.stop(job.jobId, permitFor(stopStep(job.jobId)));
    expect(['stopped', 'stopping']).toContain(kind);
    while ((await livingJobs(folder)).length > 0) await sleep(25);
    expect(await engine.observe(job.jobId, null)).toMatchObject({ kind: 'found', status: 'STOPPED' });
  });

  it('can be adopted in the lab of npm start, with one or two ferry lanes', async () => {
    const example = await readFile(EXAMPLE, 'utf8');
    for (const text of [addPeoplesLane(example), addPeoplesLane(addSecondLane(example))]) {
      const read = readLabConfig(text);
      expect(read.kind).toBe('valid');
      if (read.kind !== 'valid') continue;
      expect(listAdoptingLanes(read.config).map(({ laneName, lane }) => [laneName, lane.cluster])).toEqual([
        ['people', 'us-central1'],
      ]);
    }
  });
});
