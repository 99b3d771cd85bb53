/**
 * The contract of every engine and its lost answers, on the recorded Iris controller, or on the real one
 * given by `npm run test:iris -- --controller URL`: jobs of `IRIS_USER` with the key `IRIS_TOKEN`, if set,
 * that python3 runs.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { callOverHttp, type Http } from '../../src/engines/shared/http.ts';
import { submitTo } from '../support/capabilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import { losing, realBench } from '../support/iris-cluster.ts';
import { irisConfig } from '../support/iris-config.ts';
import { serveIris } from '../support/iris-http.ts';
import { createRecordedIris } from '../support/recorded-iris.ts';

const controller = process.env['FERRYBOT_TEST_CONTROLLER'] ?? '';
const named = { controller, user: process.env['IRIS_USER'] ?? 'alice', token: process.env['IRIS_TOKEN'] ?? null };

/** The log includes the wrapper's first and last line; the controller runs on virtual time. */
async function recordedBench(wrap: (http: Http) => Http = (http) => http): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  await writeFile(join(directory, 'train.py'), '');
  let nowMs = Date.UTC(2026, 10, 21);
  const now = (): number => nowMs;
  const iris = createRecordedIris({
    now,
    plan: ([kind]) => ({
      pendingMs: 50,
      endAfterMs: kind === 'endless' ? null : 1_000,
      exitCode: kind === 'failing' ? 3 : 0,
      lines: SAID.trimEnd().split('\n'),
    }),
  });
  const served = await serveIris(iris);
  const pass = async (durationMs: number): Promise<void> => {
    nowMs += durationMs;
  };
  return {
    engine: createIrisEngine({
      cluster: irisConfig({ controller: served.address, tokenFrom: null }),
      token: null,
      now,
      http: wrap(callOverHttp),
      sleep: pass,
    }),
    jobId: 'job-1',
    log: /^ferrybot begin job-1:0\nup 🚀 käse\nprogress\nferrybot end job-1:0 0\n$/,
    directory,
    command: (kind) => [kind],
    pass: () => pass(25),
    close: async () => {
      await served.close();
      await rm(directory, { recursive: true });
    },
  };
}

const open = (wrap?: (http: Http) => Http): Promise<EngineBench> =>
  controller === '' ? recordedBench(wrap) : realBench(named, wrap?.(callOverHttp));

describe('the iris engine', () => {
  engineContract(ABILITIES.iris, () => open());

  it('adopts the job after a lost answer, and starts it once', async () => {
    const bench = await open(losing);
    const { engine, jobId: submissionId, directory: workingDirectory } = bench;
    try {
      const metadata = { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' };
      const spec = { submissionId, command: bench.command('endless'), env: {}, workingDirectory, metadata };
      expect((await submitTo(engine, spec)).kind).toBe('adopted');
      expect((await submitTo(engine, spec)).kind).toBe('adopted');
      expect(await engine.observe(submissionId, null)).toMatchObject({ kind: 'found', metadata });
    } finally {
      await bench.close();
    }
  });
});
