/** A coordinator with gangs of children on a real Iris, as Marin launches everything. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FoundJob, JobObservation } from '../../src/domain/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { describeWithIris, realEngine, startTestIris, type TestIris } from '../support/iris-cluster.ts';

const LOOKS = 120;

describeWithIris('a coordinator on a real Iris', () => {
  let iris: TestIris;
  let tree: string;
  beforeAll(async () => {
    iris = await startTestIris();
    tree = join(iris.record.folder, 'tree');
    await mkdir(tree);
    await writeFile(join(tree, 'train.py'), '');
  }, 300_000);
  afterAll(() => iris.close());

  /** Launches a gang of two tasks below the coordinator, as its program would. */
  async function gang(name: string, cpuMillicores: number): Promise<string> {
    const jobId = `/${iris.user}/coord/${name}`;
    const answer = await fetch(new URL('iris.cluster.ControllerService/LaunchJob', iris.controller), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: jobId,
        entrypoint: { runCommand: { argv: ['sleep', '600'] } },
        resources: { cpuMillicores, memoryBytes: '67108864', diskBytes: '67108864' },
        replicas: 2,
        clientRevisionDate: new Date().toISOString().slice(0, 10),
      }),
    });
    expect(await answer.text()).toContain(jobId);
    return jobId;
  }

  async function until(accept: (seen: FoundJob) => boolean): Promise<FoundJob> {
    let seen: JobObservation = { kind: 'unknown', message: '' };
    for (let look = 0; look < LOOKS; look += 1) {
      seen = await realEngine(iris).observe('coord', null);
      if (seen.kind === 'found' && accept(seen)) return seen;
      await sleep(1_000);
    }
    throw new Error(`the coordinator never got there: ${JSON.stringify(seen)}`);
  }

  it('waits while its gang waits, runs with it, and runs alone when it has ended', async () => {
    const engine = realEngine(iris, { cpuMillicores: 100 });
    const sent = await submitTo(engine, {
      submissionId: 'coord',
      command: ['sleep', '600'],
      env: { IRIS_PORT_JAX: '32614' },
      workingDirectory: tree,
      metadata: { run: 'run-coord', attempt: 1, manifest: 'sha256:aa' },
    });
    expect(sent.kind).toBe('submitted');
    await until(({ status, details }) => status === 'RUNNING' && details['child'] === undefined);
    const wide = await gang('wide', 500_000);
    const waiting = await until(({ status }) => status === 'PENDING');
    expect(waiting).toMatchObject({
      details: { child: wide, workersAsked: '2', workersReady: '0', reason: expect.stringMatching(/CPU/i) },
    });
    const narrow = await gang('narrow', 100);
    const running = await until(({ details }) => details['workersReady'] === '2');
    expect(running).toMatchObject({ status: 'RUNNING', details: { child: narrow, workersAsked: '2' } });
    await stopIn(engine, 'coord');
  });
});
