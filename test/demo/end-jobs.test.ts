/** A rehearsal that is abandoned leaves no job behind; the records are those of the real engine. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endJobs, livingJobs } from '../../demo/end-jobs.ts';
import { createLocalEngine } from '../../src/engines/local/engine.ts';
import { submitTo } from '../support/capabilities.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-end-'));
});
afterEach(async () => {
  await endJobs(folder);
  await rm(folder, { recursive: true, force: true });
});

/** Submits a job that runs until it is stopped, and waits until its command runs. */
async function endlessJob(): Promise<ReturnType<typeof createLocalEngine>> {
  const engine = createLocalEngine({ directory: join(folder, 'jobs'), now: Date.now, stopGraceMs: 500 });
  const source = "process.stdout.write('here'); setInterval(() => {}, 1e6)";
  await submitTo(engine, {
    submissionId: 'job-1',
    command: [process.execPath, '-e', source],
    env: {},
    workingDirectory: folder,
    metadata: { run: 'run-1', attempt: 1, manifest: 'sha256:aa' },
  });
  while (!existsSync(join(folder, 'jobs/job-1/command.json'))) await sleep(25);
  return engine;
}

describe('the jobs of a rehearsal', () => {
  it('are none if none was started', async () => {
    expect(await livingJobs(join(folder, 'nothing'))).toEqual([]);
  });

  it('end with it, both the command and its supervisor', async () => {
    const engine = await endlessJob();
    const [job] = await livingJobs(folder);
    expect(job).toMatchObject({ jobId: 'job-1', supervisor: expect.any(Number), command: expect.any(Number) });
    await endJobs(folder);
    expect(await livingJobs(folder)).toEqual([]);
    for (const pid of [job?.supervisor, job?.command]) expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/);
    // The bot was not asked to stop the job, so its status is FAILED, not STOPPED.
    expect(await engine.observe('job-1', null)).toMatchObject({ kind: 'found', status: 'FAILED' });
  });

  it('end even if the supervisor was killed before', async () => {
    await endlessJob();
    const [job] = await livingJobs(folder);
    process.kill(job?.supervisor ?? 0, 'SIGKILL');
    await endJobs(folder);
    expect(await livingJobs(folder)).toEqual([]);
  });

  it('are not confused with another process that has one of their process ids', async () => {
    await endlessJob();
    const record = join(folder, 'jobs/job-1/command.json');
    const [job] = await livingJobs(folder);
    await writeFile(record, JSON.stringify({ pid: process.pid, processStart: '1' }));
    expect(await livingJobs(folder)).toEqual([{ jobId: 'job-1', supervisor: job?.supervisor, command: null }]);
  });
});
