/** Looking at the jobs of a Ray cluster: 200 on the recorded head over real HTTP, and 30 on a real one where `npm run setup:ray` made it. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { AskedJob, Engine, JobObservation } from '../src/domain/engine.ts';
import { createRestEngine } from '../src/engines/ray/rest/engine.ts';
import { callOverHttp, type Http } from '../src/engines/shared/http.ts';
import { submitTo } from '../test/support/capabilities.ts';
import { startRayHead } from '../test/support/ray-head.ts';
import { isRayThere } from '../test/support/ray-tools.ts';
import { createRecordedRay } from '../test/support/recorded-ray.ts';
import { serveRecordedRay } from '../test/support/serve-recorded-ray.ts';
import { measureQuickestMs, type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const RECORDED_JOBS = 200;
/** Forty running jobs already take 2.3 GB. */
const REAL_JOBS = 30;
/** The list, and the session before and after it. */
const REQUESTS_MAX = 3;
/** A person waits for it at most once in 30 s, and the event loop waits with it. */
const PASS_MS_MAX = 500;

/** Requests and milliseconds of one pass over many jobs, on the recorded head; on a real one too where it is set up. */
export async function measureRay(): Promise<readonly Result[]> {
  const recorded = await measureRecorded();
  return isRayThere() ? [...recorded, ...(await measureReal())] : recorded;
}

async function measureRecorded(): Promise<readonly Result[]> {
  const ray = createRecordedRay({ now: () => Date.now() });
  const served = await serveRecordedRay(ray);
  try {
    const engine = createRestEngine({ address: served.address, token: ray.token });
    const asked = await submitted(engine, RECORDED_JOBS);
    const before = ray.requests();
    await pass(engine, asked);
    const requests = ray.requests() - before;
    const ms = await measureQuickestMs(5, () => pass(engine, asked));
    return [
      resultWithBar(`ray-observe-${RECORDED_JOBS}-requests`, requests, 'requests', '<=', REQUESTS_MAX),
      resultWithBar(`ray-observe-${RECORDED_JOBS}`, ms, 'ms', '<=', PASS_MS_MAX),
    ];
  } finally {
    await served.close();
  }
}

async function measureReal(): Promise<readonly Result[]> {
  const head = await startRayHead();
  try {
    let requests = 0;
    const http: Http = (request) => {
      requests += 1;
      return callOverHttp(request);
    };
    const engine = createRestEngine({ address: head.address, token: head.token, http });
    const asked = await submitted(engine, REAL_JOBS);
    await untilRunning(engine, asked);
    requests = 0;
    await pass(engine, asked);
    const inOnePass = requests;
    return [
      resultWithBar(`ray-observe-${REAL_JOBS}-real-requests`, inOnePass, 'requests', '<=', REQUESTS_MAX),
      resultWithoutBar(`ray-observe-${REAL_JOBS}-real`, await measureQuickestMs(5, () => pass(engine, asked)), 'ms'),
    ];
  } finally {
    await head.close();
  }
}

async function submitted(engine: Engine, count: number): Promise<readonly AskedJob[]> {
  const asked: AskedJob[] = [];
  for (let index = 0; index < count; index += 1) {
    const jobId = `bench-${index}`;
    const outcome = await submitTo(engine, {
      submissionId: jobId,
      command: ['sleep', '1000'],
      env: {},
      workingDirectory: import.meta.dirname,
      metadata: { run: jobId, attempt: 1, manifest: 'sha256:aa' },
    });
    if (outcome.kind !== 'submitted') throw new Error(`${jobId}: ${outcome.kind}`);
    asked.push({ jobId, lastSession: outcome.job.session });
  }
  return asked;
}

async function pass(engine: Engine, asked: readonly AskedJob[]): Promise<readonly JobObservation[]> {
  const seen = (await engine.observeMany?.(asked)) ?? [];
  const found = seen.filter(({ kind }) => kind === 'found').length;
  if (found !== asked.length) throw new Error(`${found} of ${asked.length} jobs were found`);
  return seen;
}

async function untilRunning(engine: Engine, asked: readonly AskedJob[]): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    const seen = await pass(engine, asked);
    if (seen.every((job) => job.kind === 'found' && job.status === 'RUNNING')) return;
    await sleep(500);
  }
  throw new Error('the jobs never ran all at once');
}
