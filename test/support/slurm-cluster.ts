/** A real Slurm cluster for a test file, and suites that need it. */

import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import type { ClusterRecord } from '../../demo/private-cluster.ts';
import { freePorts } from '../../demo/ray/free-ports.ts';
import { closeCluster, missingPrograms, startCluster } from '../../demo/slurm/cluster.ts';
import { configurationPath, PORTS } from '../../demo/slurm/cluster-files.ts';
import type { Engine } from '../../src/domain/engine.ts';
import type { SlurmCluster } from '../../src/engines/slurm/definition.ts';
import { createSlurmEngine } from '../../src/engines/slurm/engine.ts';
import { slurmConfig } from './slurm-config.ts';

export type TestCluster = {
  readonly record: ClusterRecord;
  /** The shared folder of its jobs. */
  readonly jobs: string;
  readonly config: (changes?: Partial<SlurmCluster>) => SlurmCluster;
  readonly engine: (changes?: Partial<SlurmCluster>) => Engine;
  readonly close: () => Promise<void>;
};

/** Starts one with its own ports, folder and key. */
export async function startTestCluster(): Promise<TestCluster> {
  // Short: the socket below it may have 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'sl-'));
  const record = { folder, ports: await freePorts(PORTS) };
  const jobs = join(folder, 'jobs');
  await mkdir(jobs, { mode: 0o700 });
  try {
    await startCluster(record);
  } catch (error) {
    await closeCluster(record);
    throw error;
  }
  const config: TestCluster['config'] = (changes = {}) => ({
    ...slurmConfig({ folder: jobs, conf: configurationPath(record), cpusPerTask: 1 }),
    ...changes,
  });
  return {
    record,
    jobs,
    config,
    engine: (changes) =>
      createSlurmEngine({ cluster: config(changes), path: process.env['PATH'] ?? '', now: Date.now }),
    close: () => closeCluster(record),
  };
}

/** A suite on a real cluster: skipped with a reason if there is no Slurm; in CI a skip fails the run. */
export function describeWithSlurm(name: string, suite: () => void): void {
  const missing = missingPrograms();
  const skipReason = `there is no ${missing.join(', ')}: npm run setup:slurm installs them`;
  describe.skipIf(missing.length > 0)(name, { meta: { skipReason } }, suite);
}
