/** The example lab's config is valid, complete, and fits the files that it speaks of. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMap, isPair, isScalar, type Node, type Pair, parseDocument, visit } from 'yaml';
import { readLabConfig } from '../../src/app/config-source.ts';
import { configSchema } from '../../src/config/schema.ts';
import { bucketOf, DEFAULT_BUCKETS } from '../../src/delta/bucket.ts';
import { readKnobs } from '../../src/delta/read-knobs.ts';
import { applyEdits } from '../../src/kinds/ferry/edit.ts';
import { KINDS } from '../../src/kinds/registry.ts';
import type { LabConfig } from '../../src/run/lane-scope.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { experimentFile, readText } from '../support/read-experiments.ts';
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

  it('says every key of the schema, so that nobody has to guess a default', () => {
    const written: unknown = parseDocument(text).toJS();
    expect(written).toEqual(configSchema(KINDS).parse(written));
  });

  it('has a comment above every key that stands for the first time', () => {
    expect(keysWithoutComment(text)).toEqual([]);
  });

  it.each(Object.entries(DEMO_KEYS))('lists the public half of the demo key of %s', (role, demo) => {
    const key = config.keys.find((one) => one.role === role);
    expect(key).toMatchObject({ id: `${role}-demo`, public: demo.public });
  });

  it('names files and workflows that are there', () => {
    const paths = [
      lane.experiment,
      ...lane.ships,
      ...lane.scope,
      ...Object.values(config.workflows).map((file) => `.github/workflows/${file}`),
    ];
    expect(paths.filter((path) => !existsSync(join(LAB, path)))).toEqual([]);
  });
});

describe('the candidates', () => {
  const knobs = readKnobs(experiment);

  it("are many enough, over several of the policy's buckets", () => {
    expect(lane.candidates.length).toBeGreaterThanOrEqual(5);
    expect(new Set(lane.candidates.map((candidate) => candidate.bucket)).size).toBeGreaterThanOrEqual(4);
  });

  it.each(lane.candidates)(
    '$id is a knob of the experiment, in the bucket that the delta gives it',
    (candidate) => {
      expect(knobs.map((knob) => knob.path)).toContain(candidate.path);
      expect(bucketOf(candidate.path, DEFAULT_BUCKETS)).toBe(candidate.bucket);
    },
  );

  it.each(lane.candidates.flatMap(({ id, path, values }) => values.map((value) => ({ id, path, value }))))(
    '$id: $value can be written and changes that knob alone',
    async ({ path, value }) => {
      const edited = await applyEdits(experiment, [{ path, after: value }], readText);
      expect(edited).toMatchObject({ ok: true, value: { changes: [{ path, after: value }] } });
    },
  );

  it('change none of the knobs that set the scale, which are knobs too', () => {
    expect(lane.candidates.filter((candidate) => lane.scaleKnobs.includes(candidate.path))).toEqual([]);
    expect(lane.scaleKnobs.filter((path) => !knobs.some((knob) => knob.path === path))).toEqual([]);
  });
});

describe('the lane', () => {
  const valueAt = (path: string): string | undefined =>
    readKnobs(experiment).find((knob) => knob.path === path)?.value;

  it('has the run name, the steps and the checkpoints of the experiment', () => {
    const name = lane.runName.replace('{date}', '{FERRY_DATE}');
    expect(experiment.text).toContain(`RUN_NAME = f"${name}"`);
    expect(valueAt('DEFAULT_NUM_TRAIN_STEPS')).toBe(String(lane.finalStep));
    expect(valueAt('train_config.SimpleTrainConfig().steps_per_checkpoint')).toBe(
      String(lane.retention.permanentEverySteps),
    );
  });

  it('tells the job everything through the variables that the lab documents', () => {
    const readme = readFileSync(join(LAB, 'README.md'), 'utf8');
    for (const name of Object.keys(lane.environment)) expect(readme).toContain(`\`${name}\``);
  });
});

function valid(): LabConfig {
  const reading = readLabConfig(text);
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
  return reading.config;
}

/** Dotted paths, without list indexes, of keys that nothing explains: neither a comment above nor one above their map. */
function keysWithoutComment(yaml: string): readonly string[] {
  const lines = yaml.split('\n');
  const document = parseDocument(yaml);
  const bare: string[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.key) || !isTop(ancestors)) return;
      const line = yaml.slice(0, pair.key.range?.[0] ?? 0).split('\n').length;
      if (!(lines[line - 2] ?? '').trimStart().startsWith('#')) bare.push(String(pair.key.value));
    },
  });
  return bare;
}

/** Keys of the file, of the approvals, of a cluster and of the lane: each is a decision of its own. */
function isTop(ancestors: readonly (Node | Pair | unknown)[]): boolean {
  const path = ancestors.filter(isPair).map((pair) => (isScalar(pair.key) ? String(pair.key.value) : ''));
  const inMap = isMap(ancestors.at(-1));
  return inMap && /^(|approvals|clusters\.[^.]+|lanes\.daily)$/.test(path.join('.'));
}
