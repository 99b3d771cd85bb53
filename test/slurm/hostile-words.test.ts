/** What a job's own code writes about itself in a real Slurm: it affects no other job, and hides none. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askCluster } from '../../demo/slurm/cluster.ts';
import type { JobObservation, JobSpec } from '../../src/domain/engine.ts';
import { submitTo } from '../support/capabilities.ts';
import { describeWithSlurm, startTestCluster, type TestCluster } from '../support/slurm-cluster.ts';

describeWithSlurm('the comment of a job in a real Slurm', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
    await mkdir(join(cluster.record.folder, 'tree'));
    for (const id of ['hostile', 'honest']) await submitTo(cluster.engine(), spec(id));
    for (const id of ['honest', 'hostile'])
      while (!hasBegun(await cluster.engine().observe(id, null))) await sleep(200);
  });
  afterAll(() => cluster.close());

  const spec = (submissionId: string): JobSpec => ({
    submissionId,
    command: ['sleep', '600'],
    env: {},
    workingDirectory: join(cluster.record.folder, 'tree'),
    metadata: { run: `run-${submissionId}`, attempt: 1, manifest: 'sha256:aa' },
  });
  const hasBegun = (seen: JobObservation): boolean => seen.kind === 'found' && seen.startedAtMs !== null;
  /** The `scontrol update` that any job of the account may run on itself. */
  const comment = async (of: string, text: string): Promise<void> => {
    const id = await askCluster(cluster.record, 'squeue', ['--noheader', `--name=${of}`, '--format=%i']);
    await askCluster(cluster.record, 'scontrol', ['update', `jobid=${id?.trim()}`, `comment=${text}`]);
  };
  const lookAtHonest = async (): Promise<JobObservation | undefined> => {
    const asked = ['hostile', 'honest'].map((jobId) => ({ jobId, lastSession: null }));
    return (await cluster.engine().observeMany?.(asked))?.[1];
  };

  // threat T205
  it('with line breaks does not hide the other jobs', async () => {
    await comment('hostile', 'one\ntwo');
    expect(await lookAtHonest()).toMatchObject({ kind: 'found', status: 'RUNNING' });
    expect((await cluster.engine().live?.())?.kind).toBe('known');
  });

  // threat T204
  it('with forged queue lines does not end another job', async () => {
    const about = ['--noheader', '--name=honest', '--Format=JobID:|,Comment:|'];
    const [id, said] = (await askCluster(cluster.record, 'squeue', about))?.split('|') ?? [];
    const line = `${id}|${id}|N/A|CANCELLED|None|0|0|1795421532|1795421533|localhost|honest|${said}|`;
    await comment('hostile', `x|\n${line}\n${line}`);
    expect(await lookAtHonest()).toMatchObject({ kind: 'found', status: 'RUNNING' });
  });
});
