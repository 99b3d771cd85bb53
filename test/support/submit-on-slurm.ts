/**
 * A separate runner that submits one job to a Slurm cluster, so that a test can kill it: cluster and job come
 * on standard input.
 */

import { text } from 'node:stream/consumers';
import type { JobSpec } from '../../src/domain/engine.ts';
import type { SlurmCluster } from '../../src/engines/slurm/definition.ts';
import { createSlurmEngine } from '../../src/engines/slurm/engine.ts';
import { submitTo } from './capabilities.ts';

// The test itself writes it.
const { cluster, spec } = JSON.parse(await text(process.stdin)) as {
  readonly cluster: SlurmCluster;
  readonly spec: JobSpec;
};
await submitTo(createSlurmEngine({ cluster, path: process.env['PATH'] ?? '', now: Date.now }), spec);
