/** What `--engine iris` makes of the example lab's config. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { irisLabConfig } from '../../demo/iris/iris-config.ts';
import { readLabConfig } from '../../src/app/config-source.ts';

const LAB = readFileSync(join(import.meta.dirname, '../../fixtures/lab/.github/ferrybot.yml'), 'utf8');

it('is a valid config whose cluster is that of the private one, and whose outputs the watch can read', () => {
  const place = { controller: 'http://127.0.0.1:18400', outputs: '/lab/outputs' };
  const reading = readLabConfig(irisLabConfig(LAB, place));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
  expect(reading.config.clusters).toMatchObject({
    'us-central1': { engine: 'iris', controller: 'http://127.0.0.1:18400', tokenFrom: null },
  });
  expect(reading.config.lanes['daily']?.outputRoot).toBe('/lab/outputs/{run}');
});
