/** The config that `--engine slurm` and `--engine iris` make from the example lab's. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { irisLabConfig } from '../../demo/iris/iris-config.ts';
import { slurmLabConfig } from '../../demo/slurm/slurm-config.ts';
import { readLabConfig } from '../../src/app/config-source.ts';

const LAB = readFileSync(join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml'), 'utf8');
const outputs = '/lab/outputs';
const slurm = { folder: '/lab/jobs/slurm', conf: '/tmp/fs-1/slurm.conf' };
const iris = { controller: 'http://127.0.0.1:18400' };

it.each([
  ['slurm', slurmLabConfig(LAB, { ...slurm, outputs }), slurm],
  ['iris', irisLabConfig(LAB, { ...iris, outputs }), { ...iris, tokenFrom: null }],
])('--engine %s makes a valid config with the private cluster and readable outputs', (engine, text, keys) => {
  const reading = readLabConfig(text);
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
  expect(reading.config.clusters).toMatchObject({ 'us-central1': { engine, ...keys } });
  expect(reading.config.lanes['daily']?.outputRoot).toBe('/lab/outputs/{run}');
});
