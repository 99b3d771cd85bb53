/** The engine `vast` on a simulated Vast.ai; each observation advances its clock by a second. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openVastLab, type VastLab } from '../../packages/playground/test/support/vast-market.ts';
import type { VastOptions } from '../../packages/playground/vast/server.ts';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { type VastCluster, vastSchema } from '../../src/engines/vast/definition.ts';
import { createVastEngine, type VastEngineOptions } from '../../src/engines/vast/engine.ts';

/** A cluster of the config for the small market: RTX 4090s with memory for the job. */
export function vastCluster(api: string, changes: Partial<VastCluster> = {}): VastCluster {
  return {
    ...vastSchema.parse({
      engine: 'vast',
      api,
      fleet: 'lab',
      image: `pytorch/pytorch@sha256:${'a'.repeat(64)}`,
      gpu: 'RTX 4090',
      vramGb: 24,
      ramGb: 32,
      diskGb: 30,
      dollarsPerHourMax: '0.50',
      dollarsMax: '20',
      hoursMax: 24,
      acceleratorHoursPerRun: '2',
    }),
    ...changes,
  };
}

export type VastBench = VastLab & {
  readonly engine: Engine;
  readonly options: VastEngineOptions;
  readonly spec: (script: string, changes?: Partial<JobSpec>) => JobSpec;
};

/** Opens both. */
export async function openVastBench(
  changes: Partial<VastCluster> = {},
  server: Partial<VastOptions> = {},
): Promise<VastBench> {
  const lab = await openVastLab(server);
  const directory = await mkdtemp(join(tmpdir(), 'ferrybot-vast-tree-'));
  await writeFile(join(directory, 'train.py'), 'print("shipped")\n');
  const options: VastEngineOptions = {
    cluster: vastCluster(lab.vast.url, changes),
    key: lab.vast.key,
    now: lab.clock.now,
    sleep: async (durationMs) => {
      lab.clock.advance(durationMs);
      await sleep(5);
    },
  };
  return {
    ...lab,
    engine: createVastEngine(options),
    options,
    spec: (script, more = {}) => ({
      submissionId: 'job-1',
      command: ['bash', '-c', script],
      env: {},
      workingDirectory: directory,
      metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
      ...more,
    }),
    end: async () => {
      await lab.end();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
