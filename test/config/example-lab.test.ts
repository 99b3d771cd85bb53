/** The example lab's config is valid and complete, and matches the files that it names. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readLabConfig } from '../../src/app/config-source.ts';
import { configSchema } from '../../src/config/schema.ts';
import { readKnobs } from '../../src/delta/config-delta.ts';
import { KINDS } from '../../src/kinds/registry.ts';
import type { LabConfig } from '../../src/run/lane.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { experimentFile } from '../support/read-experiments.ts';
import { inLane } from '../support/run-parts.ts';

const LAB = join(import.meta.dirname, '../../fixtures/lab');
const text = readFileSync(join(LAB, '.github/ferrybot.yml'), 'utf8');
const config = valid();
const { lane } = inLane(config);
const experiment = await experimentFile(readFileSync(join(LAB, lane.experiment), 'utf8'));

describe('the example config', () => {
  it('is valid without a warning', () => {
    expect(readLabConfig(text)).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('contains every key of the schema, so that each default is documented', () => {
    const written: unknown = parseDocument(text).toJS();
    expect(written).toEqual(configSchema(KINDS).parse(written));
  });

  it.each(Object.entries(DEMO_KEYS))('lists the public half of the demo key of %s', (role, demo) => {
    const key = config.keys.find((one) => one.role === role);
    expect(key).toMatchObject({ id: `${role}-demo`, public: demo.public });
  });

  it('names existing files and workflows', () => {
    const paths = [
      lane.experiment,
      ...lane.ships,
      ...lane.scope,
      ...Object.values(config.workflows).map((file) => `.github/workflows/${file}`),
    ];
    expect(paths.filter((path) => !existsSync(join(LAB, path)))).toEqual([]);
  });
});

describe('the lane', () => {
  const valueAt = (path: string): string | undefined => readKnobs(experiment).find((knob) => knob.path === path)?.value;

  it('matches the experiment in run name, steps and checkpoints', () => {
    const name = lane.runName.replace('{date}', '{FERRY_DATE}');
    expect(experiment.text).toContain(`RUN_NAME = f"${name}"`);
    expect(valueAt('DEFAULT_NUM_TRAIN_STEPS')).toBe(String(lane.finalStep));
    expect(valueAt('train_config.SimpleTrainConfig().steps_per_checkpoint')).toBe(
      String(lane.retention.permanentEverySteps),
    );
  });

  it('configures the job only through variables that the lab documents', () => {
    const readme = readFileSync(join(LAB, 'README.md'), 'utf8');
    for (const name of Object.keys(lane.environment)) expect(readme).toContain(`\`${name}\``);
  });
});

function valid(): LabConfig {
  const reading = readLabConfig(text);
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
  return reading.config;
}
