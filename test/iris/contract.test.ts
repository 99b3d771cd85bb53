/**
 * The contract of every engine and its lost answers, on the recorded Iris controller, or on the real one that
 * `npm run test:iris -- --controller URL` names: jobs of `IRIS_USER` with the key `IRIS_TOKEN`, if any, that python3 runs.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { callOverHttp, type Http } from '../../src/engines/http.ts';
import { createIrisEngine } from '../../src/engines/iris/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import { irisConfig } from '../support/iris-config.ts';
import { serveIris } from '../support/iris-http.ts';
import { createRecordedIris } from '../support/recorded-iris.ts';

const controller = process.env['FERRYBOT_TEST_CONTROLLER'] ?? '';
/** A name is never used again, by another run of these tests either. */
const STAMP = Date.now().toString(36);
let jobs = 0;

async function realBench(http: Http = callOverHttp): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  await writeFile(join(directory, 'train.py'), '');
  jobs += 1;
  const jobId = `ferrybot-test-${STAMP}-${jobs}`;
  const token = process.env['IRIS_TOKEN'] ?? null;
  const cluster = irisConfig({ controller, user: process.env['IRIS_USER'] ?? 'alice', cpuMillicores: 100 });
  const engine = createIrisEngine({ cluster: { ...cluster, memoryMb: 256 }, token, now: Date.now, http });
  const say = `import sys, time; sys.stdout.write(${JSON.stringify(SAID)}); sys.stdout.flush();`;
  const sources = { quick: say, failing: `${say} sys.exit(3)`, endless: `${say} time.sleep(1e6)` };
  return {
    engine,
    jobId,
    log: new RegExp(`^ferrybot begin ${jobId}:0\\n${SAID}ferrybot end ${jobId}:0 0\\n$`),
    directory,
    program: 'bash',
    command: (kind) => ['python3', '-c', sources[kind]],
    pass: () => sleep(1_000),
    close: async () => {
      await stopIn(engine, jobId);
      await rm(directory, { recursive: true });
    },
  };
}

/** The log has the wrapper's first and last word; virtual time moves on the controller. */
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

/** The first launch arrives, and its answer does not come back. */
function losing(http: Http): Http {
  let isLost = false;
  return async (request) => {
    const result = await http(request);
    if (isLost || !request.url.pathname.endsWith('/LaunchJob')) return result;
    isLost = true;
    return { kind: 'failed', sent: true, message: 'the answer was lost' };
  };
}

const open = controller === '' ? recordedBench : realBench;

describe('the iris engine', () => {
  engineContract(ABILITIES.iris, () => open());

  it('adopts the job whose answer was lost, and starts it once', async () => {
    const bench = controller === '' ? await recordedBench(losing) : await realBench(losing(callOverHttp));
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
