/** What `--engine slurm` makes of the example lab's config. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slurmLabConfig } from '../../demo/slurm/slurm-config.ts';
import { readLabConfig } from '../../src/app/config-source.ts';

const LAB = readFileSync(join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml'), 'utf8');

it('is a valid config whose cluster is that of the private one, and whose outputs the watch can read', () => {
  const place = { folder: '/lab/jobs/slurm', conf: '/tmp/fs-1/slurm.conf', outputs: '/lab/outputs' };
  const reading = readLabConfig(slurmLabConfig(LAB, place));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
  expect(reading.config.clusters).toMatchObject({
    'us-central1': { engine: 'slurm', folder: '/lab/jobs/slurm', conf: '/tmp/fs-1/slurm.conf' },
  });
  expect(reading.config.lanes['daily']?.outputRoot).toBe('/lab/outputs/{run}');
});
