/** The `vast` engine meets the contract of all engines, on instances that are real processes. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import { openVastBench } from '../support/vast-bench.ts';

async function open(): Promise<EngineBench> {
  const bench = await openVastBench();
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
  const say = `process.stdout.write(${JSON.stringify(SAID)});`;
  const sources = { quick: say, failing: `${say} process.exitCode = 3`, endless: `${say} setInterval(() => {}, 1e6)` };
  return {
    engine: bench.engine,
    jobId: 'job-1',
    log: new RegExp(`^${SAID}$`),
    directory,
    command: (kind) => [process.execPath, '-e', sources[kind]],
    pass: async () => {
      bench.clock.advance(1_000);
      await sleep(10);
    },
    close: async () => {
      await bench.end();
      await rm(directory, { recursive: true });
    },
  };
}

describe('the vast engine', () => {
  engineContract(ABILITIES.vast, open);
});
