/**
 * What every engine must do, run on the local engine, the simulated engine, and the Ray engine against the
 * recorded head.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { createLocalEngine } from '../../src/engines/local/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn } from '../support/capabilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import type { JobScript } from '../support/ferry-script.ts';
import { createRecordedRay } from '../support/recorded-ray.ts';
import { serveRecordedRay } from '../support/serve-recorded-ray.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

async function localBench(): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  const engine = createLocalEngine({ directory: join(directory, 'jobs'), now: Date.now, stopGraceMs: 1_000 });
  const say = `process.stdout.write(${JSON.stringify(SAID)});`;
  const sources = { quick: say, failing: `${say} process.exitCode = 3`, endless: `${say} setInterval(() => {}, 1e6)` };
  return {
    engine,
    jobId: 'job-1',
    log: new RegExp(`^${SAID}$`),
    directory,
    command: (kind) => [process.execPath, '-e', sources[kind]],
    pass: () => sleep(25),
    close: async () => {
      await stopIn(engine, 'job-1');
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function simulatedBench(): Promise<EngineBench> {
  let nowMs = Date.UTC(2026, 10, 21);
  const lines = SAID.trimEnd()
    .split('\n')
    .map((text, index) => ({ atMs: index * 100, text }));
  const script = (spec: JobSpec): JobScript => ({
    pendingMs: 50,
    lines,
    endAtMs: spec.command[0] === 'endless' ? 1e12 : 1_000,
    exitCode: spec.command[0] === 'failing' ? 3 : 0,
    metrics: [],
  });
  return {
    engine: createSimulatedEngine({ now: () => nowMs, script }),
    jobId: 'job-1',
    log: new RegExp(`^${SAID}$`),
    directory: tmpdir(),
    command: (kind) => [kind],
    pass: async () => {
      nowMs += 25;
    },
    close: async () => undefined,
  };
}

/** Ray writes its own log lines first. The head runs on virtual time; the client really waits. */
async function rayBench(): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  await writeFile(join(directory, 'train.py'), '');
  let nowMs = Date.UTC(2026, 10, 21);
  const ray = createRecordedRay({
    now: () => nowMs,
    plan: (entrypoint) => ({
      pendingMs: 50,
      endAfterMs: entrypoint === 'endless' ? null : 1_000,
      exitCode: entrypoint === 'failing' ? 3 : 0,
      log: SAID,
    }),
  });
  const served = await serveRecordedRay(ray);
  const rest = createRestEngine({ address: served.address, token: ray.token });
  return {
    engine: createRayEngine({ rest, scripts: null, dashboard: served.address }),
    jobId: 'job-1',
    log: /^Runtime env is setting up\.\nRunning entrypoint for job job-1: quick\nup 🚀 käse\nprogress\n$/,
    directory,
    command: (kind) => [kind],
    pass: async () => {
      nowMs += 25;
    },
    close: async () => {
      await served.close();
      await rm(directory, { recursive: true });
    },
  };
}

describe.each([
  ['ray', ABILITIES.ray, rayBench],
  ['local', ABILITIES.local, localBench],
  [
    'simulated',
    { ...ABILITIES.local, forgetsWithSession: true, listsJobs: true, clearsOldTrees: false },
    simulatedBench,
  ],
])('the %s engine', (_, abilities, open) => {
  engineContract(abilities, open);
});
