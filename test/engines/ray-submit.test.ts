/**
 * Submits to the recorded head thousands of times, while answers are lost, doubled and garbled and the head
 * restarts.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { submitTo } from '../support/capabilities.ts';
import { type Launched, launchOverRest } from '../support/launch-over-rest.ts';
import { createRandom } from '../support/random.ts';
import { createRecordedRay, type Fault, type RecordedRay } from '../support/recorded-ray.ts';

const SUBMITS = 10_000;
const TRIES_MAX = 25;
/** Two runners take up every tenth attempt at the same time. */
const TWO_RUNNERS_EVERY = 10;
const FAULTS: readonly Fault[] = [
  'lost-before',
  'lost-after',
  'lost-after',
  'doubled',
  'html',
  'bad-gateway',
  'already-exists',
  'restart-before',
  'restart-after',
];

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ferrybot-submit-'));
  await writeFile(join(directory, 'train.py'), 'print("step")\n');
});
afterAll(() => rm(directory, { recursive: true }));

function specOf(attempt: number): JobSpec {
  const metadata = { run: `run-${attempt}`, attempt: 1, manifest: 'sha256:aa' };
  return {
    submissionId: `ferrybot-run-${attempt}-a1`,
    command: ['python', 'train.py'],
    env: { HF_TOKEN: 'hf-secret-value' },
    workingDirectory: directory,
    metadata,
  };
}

function engineOf(ray: RecordedRay): Engine {
  const sleep = async (): Promise<void> => undefined;
  return createRestEngine({ address: 'http://ray.example:8265', token: ray.token, http: ray.http, sleep });
}

describe('submitting over the Jobs API', () => {
  it(`starts each of ${SUBMITS} attempts at most once, and reports the outcome of each`, async () => {
    const random = createRandom(20261121);
    let isRough = false;
    const ray = createRecordedRay({
      now: () => 0,
      fault: () => {
        if (!isRough || !random.chance(0.12)) return null;
        // A head restarts more rarely than an answer is lost.
        const fault = random.pick(FAULTS);
        return fault.startsWith('restart') && random.chance(0.8) ? null : fault;
      },
    });
    const engine = engineOf(ray);
    const outcomes = new Map<string, Launched>();
    const pairs = new Map<string, readonly Launched[]>();
    for (let attempt = 0; attempt < SUBMITS; attempt += 1) {
      const spec = specOf(attempt);
      const claimSession = ray.session();
      isRough = true;
      if (attempt % TWO_RUNNERS_EVERY === 0) {
        // The runner that claimed, and a runner that finds the claim and checks first.
        const both = await Promise.all([
          launchOverRest(engine, spec, claimSession, TRIES_MAX),
          launchOverRest(engine, spec, claimSession, TRIES_MAX, false),
        ]);
        pairs.set(spec.submissionId, both);
      } else outcomes.set(spec.submissionId, await launchOverRest(engine, spec, claimSession, TRIES_MAX));
      isRough = false;
    }
    const starts = Map.groupBy(ray.started(), ({ id }) => id);
    let startedByTwo = 0;
    for (const [id, both] of pairs) {
      const started = starts.get(id) ?? [];
      // A restarted head has ended its jobs: no two jobs of one attempt ran in one session.
      expect(new Set(started.map(({ session }) => session)).size, id).toBe(started.length);
      for (const one of both) expect(['started', 'lost'], JSON.stringify([id, one])).toContain(one.kind);
      // No outcome reports a job as started that was not.
      if (both.some(({ kind }) => kind === 'started')) expect(started.length, id).toBeGreaterThan(0);
      if (both.every(({ kind }) => kind === 'started') && started.length === 1) startedByTwo += 1;
    }
    expect(startedByTwo).toBeGreaterThan(pairs.size / 2);
    const count = (kind: Launched['kind']): number =>
      [...outcomes.values()].filter((outcome) => outcome.kind === kind).length;
    // The head's own count decides.
    for (const [id, outcome] of outcomes) {
      const started = starts.get(id) ?? [];
      expect(started.length, id).toBeLessThanOrEqual(1);
      expect(['started', 'lost'], id).toContain(outcome.kind);
      if (outcome.kind === 'started') expect(started[0]?.session, id).toBe(outcome.session);
    }
    expect([...starts.keys()].every((id) => outcomes.has(id) || pairs.has(id))).toBe(true);
    const adopted = [...outcomes.values()].filter((o) => o.kind === 'started' && o.adopted).length;
    expect(adopted).toBeGreaterThan(SUBMITS / 20);
    expect(count('lost')).toBeGreaterThan(SUBMITS / 200);
    expect(count('started')).toBeGreaterThan(SUBMITS * 0.8);
  });

  it('reports a conflict for a job that has our id and another identity', async () => {
    const ray = createRecordedRay({ now: () => 0 });
    const other = { ...specOf(1), metadata: { run: 'somebody', attempt: 7, manifest: 'sha256:bb' } };
    await submitTo(engineOf(ray), other);
    expect(await submitTo(engineOf(ray), specOf(1))).toEqual({ kind: 'conflict', found: other.metadata });
    const bare = { entrypoint: 'sleep 1000', submission_id: specOf(2).submissionId };
    const headers = { authorization: `Bearer ${ray.token}` };
    ray.answer({ method: 'POST', path: 'api/jobs/', headers, body: JSON.stringify(bare) });
    expect(await submitTo(engineOf(ray), specOf(2))).toEqual({ kind: 'conflict', found: null });
    expect(ray.started()).toHaveLength(2);
  });

  it('reports unknown when the submit was not confirmed, and does not submit again by itself', async () => {
    let posts = 0;
    const ray = createRecordedRay({
      now: () => 0,
      fault: ({ method, path }) => {
        if (method !== 'POST' || path !== 'api/jobs/') return null;
        posts += 1;
        return 'lost-before';
      },
    });
    expect(await submitTo(engineOf(ray), specOf(1))).toEqual({
      kind: 'unknown',
      message: 'the submit was not confirmed: no answer: ECONNRESET socket hang up',
    });
    expect(posts).toBe(1);
  });

  it('rejects an environment that Ray would expand, so that the job gets only approved values', async () => {
    const ray = createRecordedRay({ now: () => 0 });
    const env = { PATH_LIKE: '$HOME/x', BRACES: 'a${HOME}', FINE: 'costs 5$ or $ 6' };
    expect(await submitTo(engineOf(ray), { ...specOf(1), env })).toEqual({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringMatching(/^Ray would give no job the variable "PATH_LIKE", "BRACES" as it is/),
    });
    expect(ray.started()).toEqual([]);
  });

  it('adopts an existing job without a second submit', async () => {
    const ray = createRecordedRay({ now: () => 0 });
    await submitTo(engineOf(ray), specOf(1));
    const before = ray.requests();
    expect((await submitTo(engineOf(ray), specOf(1))).kind).toBe('adopted');
    // The session and the job.
    expect(ray.requests() - before).toBe(2);
  });

  it('passes each argument unchanged to the job, whatever a shell would make from it', async () => {
    const entrypoints: string[] = [];
    const ray = createRecordedRay({
      now: () => 0,
      plan: (entrypoint) => {
        entrypoints.push(entrypoint);
        return { pendingMs: 0, endAfterMs: null, exitCode: 0, log: '' };
      },
    });
    const command = ['python', 'a b', "it's", '$(rm -rf /)', '`x`', 'a;b', '--name=value', '', '*', '\n'];
    await submitTo(engineOf(ray), { ...specOf(1), command });
    expect(entrypoints).toEqual(["python 'a b' 'it'\\''s' '$(rm -rf /)' '`x`' 'a;b' --name=value '' '*' '\n'"]);
    expect(await submitTo(engineOf(ray), { ...specOf(2), command: ['python', 'a\0b'] })).toMatchObject({
      kind: 'rejected',
      code: 'refused',
    });
  });
});
