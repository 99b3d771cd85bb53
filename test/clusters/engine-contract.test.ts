/** What every engine behind the interface must do, run on the local one and on the simulated one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { createLocalEngine } from '../../src/clusters/local/engine.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import type { JobScript } from '../support/ferry-script.ts';
import { createSimulatedEngine } from '../support/simulated-engine.ts';

async function localBench(): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  const engine = createLocalEngine({ directory: join(directory, 'jobs'), now: Date.now, stopGraceMs: 1_000 });
  const say = `process.stdout.write(${JSON.stringify(SAID)});`;
  const sources = {
    quick: say,
    failing: `${say} process.exitCode = 3`,
    endless: `${say} setInterval(() => {}, 1e6)`,
  };
  return {
    engine,
    jobId: 'job-1',
    preamble: /^$/,
    directory,
    command: (kind) => [process.execPath, '-e', sources[kind]],
    pass: () => sleep(25),
    close: async () => {
      await engine.stop('job-1');
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
    preamble: /^$/,
    directory: tmpdir(),
    command: (kind) => [kind],
    pass: async () => {
      nowMs += 25;
    },
    close: async () => undefined,
  };
}

describe.each([
  ['local', localBench],
  ['simulated', simulatedBench],
])('the %s engine', (_, open) => {
  engineContract(open);
});
