/** The contract of every engine, tested on a real Slurm cluster of this machine. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { ABILITIES } from '../../scripts/engines/abilities.ts';
import { stopIn } from '../support/capabilities.ts';
import { type EngineBench, engineContract, SAID } from '../support/engine-contract.ts';
import { describeWithSlurm, startTestCluster, type TestCluster } from '../support/slurm-cluster.ts';

describeWithSlurm('the slurm engine on a real cluster', () => {
  let cluster: TestCluster;
  let jobs = 0;
  beforeAll(async () => {
    cluster = await startTestCluster();
  });
  afterAll(() => cluster.close());

  const open = async (): Promise<EngineBench> => {
    const directory = await mkdtemp(join(tmpdir(), 'ferrybot-contract-'));
    jobs += 1;
    const jobId = `job-${jobs}`;
    const engine = cluster.engine();
    const say = `process.stdout.write(${JSON.stringify(SAID)});`;
    const sources = {
      quick: say,
      failing: `${say} process.exitCode = 3`,
      endless: `${say} setInterval(() => {}, 1e6)`,
    };
    return {
      engine,
      jobId,
      log: new RegExp(`^${SAID}$`),
      directory,
      command: (kind) => [process.execPath, '-e', sources[kind]],
      pass: () => sleep(200),
      close: async () => {
        await stopIn(engine, jobId);
        await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  };
  engineContract(ABILITIES.slurm, open);
});
