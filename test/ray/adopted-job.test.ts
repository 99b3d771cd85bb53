/**
 * A job that a person submitted by hand to a real Ray head, as ray_run.py does: described, observed, read
 * and stopped like our own jobs. Takes about half a minute.
 */

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCommandLine } from '../../src/contracts/fields.ts';
import { type Engine, isTerminal, type JobDescription } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn } from '../support/capabilities.ts';
import { readText } from '../support/log-text.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';

const COMMIT = '5'.repeat(40);
const SECRET = 'hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345';

describeWithRay('a job that a person has submitted to a real Ray head', () => {
  let head: RayHead;
  let engine: Engine;
  beforeAll(async () => {
    head = await startRayHead();
    engine = createRestEngine({ address: head.address, token: head.token });
  });
  afterAll(() => head.close());

  const byHand = async (submission_id: string, entrypoint: string): Promise<void> => {
    const bearer = `Bearer ${head.token}`;
    // Ray rejects requests with an origin header, which browsers and Node's own fetch send.
    const body = JSON.stringify({
      submission_id,
      entrypoint,
      runtime_env: { env_vars: { GIT_COMMIT: COMMIT, HF_TOKEN: SECRET } },
    });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        new URL('api/jobs/', head.address),
        {
          method: 'POST',
          headers: { authorization: bearer, 'x-ray-authorization': bearer, 'content-type': 'application/json' },
        },
        (answer) => answer.resume().once('end', () => resolve(answer.statusCode)),
      );
      asked.once('error', reject).end(body);
    });
    expect(status).toBe(200);
  };
  const when = async (jobId: string, accept: (status: string) => boolean): Promise<JobDescription> => {
    for (let look = 0; look < 600; look += 1) {
      const told = await engine.describe(jobId);
      if (told.kind === 'described' && accept(told.job.status)) return told;
      await sleep(200);
    }
    throw new Error(`${jobId} never got there`);
  };

  it('is described with submitter, command and commit, without metadata, and can be read and stopped', async () => {
    const id = 'ray-run-ada-sweep-20261121-051716';
    await byHand(id, 'python -c "import time; print(4711, flush=True); time.sleep(1000)"');
    const told = await when(id, (status) => status === 'RUNNING');
    expect(told).toMatchObject({
      job: { status: 'RUNNING', metadata: null },
      origin: {
        submitter: 'ada',
        entrypoint: 'python -c "import time; print(4711, flush=True); time.sleep(1000)"',
        gitCommit: COMMIT,
      },
    });
    for (let look = 0; look < 100; look += 1) {
      const read = await readText(engine, id, 0);
      if (read.kind === 'chunk' && read.text.includes('4711')) break;
      await sleep(200);
    }
    expect(await readText(engine, id, 0)).toMatchObject({ text: expect.stringContaining('4711') });
    await stopIn(engine, id);
    expect(await when(id, (status) => isTerminal(status as never))).toMatchObject({ job: { status: 'STOPPED' } });
  });

  it('is described without a secret in its command, also if the command needs a shell', async () => {
    await byHand('by-hand-2', `cd /tmp && echo ${SECRET} && exit 3`);
    const told = await when('by-hand-2', (status) => status === 'FAILED');
    expect(JSON.stringify(told)).not.toContain(SECRET);
    if (told.kind !== 'described') throw new Error('not described');
    expect(told.origin.entrypoint).toBe('cd /tmp && echo *** && exit 3');
    expect(readCommandLine(told.origin.entrypoint ?? '')).toBeNull();
    expect(await engine.describe('by-hand-3')).toMatchObject({ kind: 'absent' });
  });
});
