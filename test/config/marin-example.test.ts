/** The configuration in docs/ray-scripts.md is valid and has no warning. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { z } from 'zod';
import { rehearsalConfig } from '../../demo/own/rehearsal-config.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { listExcludedPaths } from '../../src/config/lane-of-file.ts';
import { raySchema } from '../../src/engines/ray/definition.ts';
import { allLanes } from '../../src/run/lane.ts';
import { createPathMatcher } from '../../src/settings/words.ts';
import { replaceInConfig } from './small-config.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/ray-scripts.md'), 'utf8');
const shown = z
  .object({
    clusters: z.record(z.string(), z.looseObject({})),
    lanes: z.object({ daily: z.record(z.string(), z.unknown()) }),
  })
  .parse(parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''));

/** The example lab's config with the parts that the page shows. */
function adopted(changes: Readonly<Record<string, unknown>> = {}): string {
  const document = parseDocument(readFileSync(join(ROOT, 'fixtures/lab/.github/ferrybot.yml'), 'utf8'));
  document.set('clusters', document.createNode(shown.clusters));
  for (const [key, value] of Object.entries({ ...shown.lanes.daily, ...changes }))
    document.setIn(['lanes', 'daily', key], document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

describe('the example for Marin', () => {
  it('is a config without an error or a warning', () => {
    const reading = readLabConfig(adopted());
    expect(reading).toMatchObject({ kind: 'valid', warnings: [] });
    if (reading.kind !== 'valid') return;
    expect(reading.config.lanes['daily']?.ships).toEqual(['.']);
  });

  it('is valid in a rehearsal, whose engine leaves nothing out', () => {
    const key = (byte: number) => ({ public: Buffer.alloc(32, byte).toString('base64'), privatePem: '' });
    const app = { publicPem: '', privatePem: '' };
    const roles = { control: key(1), runner: key(2), watch: key(3) };
    const rehearsed = rehearsalConfig(adopted(), { app, webhookSecret: '', roles });
    expect(rehearsed?.localClusters).toEqual(['us-central1']);
    const reading = readLabConfig(rehearsed?.text ?? '');
    if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems));
    const [daily] = allLanes(reading.config);
    if (daily === undefined) throw new Error('no lane');
    // The launcher refuses a job whose secrets it does not have.
    expect(daily.lane.passSecrets).toEqual([]);
    // A closure drops no approval: the log is no part of what the job gets.
    const isExcluded = createPathMatcher(listExcludedPaths(daily));
    const log = 'docs/experiments/daily-ferry-log.md';
    expect([log, `lib/${log}`, 'docs/experiments/other.md'].map(isExcluded)).toEqual([true, false, false]);
  });

  it.each([
    ['local', '{ engine: local }'],
    ['ray', '{ engine: ray, dashboard: "http://10.0.0.2:8265" }'],
    ['slurm', '{ engine: slurm, jobs: /shared/jobs }'],
    [
      'iris',
      '{ engine: iris, controller: "http://10.0.0.2:10000", user: lab, tokenFrom: null, device: { kind: cpu } }',
    ],
  ])('ships the whole tree on %s without a problem of the lane', (_, cluster) => {
    const text = replaceInConfig('{ engine: local, acceleratorHoursPerRun: "2.5" }', cluster);
    const reading = readLabConfig(text.replace('ships: [experiments]', 'ships: [.]'));
    const problems = reading.kind === 'invalid' ? reading.problems : [];
    expect(problems.filter(({ path }) => path.startsWith('lanes.'))).toEqual([]);
  });

  it('submits, lists, reads and stops with the defaults that the suite on a real head tests', () => {
    const { scripts } = raySchema.parse(shown.clusters['us-central1']);
    const defaults = raySchema.shape.scripts.parse({});
    expect(scripts).toEqual({ ...defaults, python: ['/opt/marin/.venv/bin/python'], pythonWithoutUv: null });
  });

  it('is refused with paths beside the whole tree, and with its log or experiment in the wrong place', () => {
    const codesOf = (changes: Readonly<Record<string, unknown>>): readonly string[] => {
      const reading = readLabConfig(adopted(changes));
      return (reading.kind === 'valid' ? reading.warnings : reading.problems).map(({ code }) => code);
    };
    expect(codesOf({ ships: ['.', 'lib'] })).toContain('doubled');
    expect(codesOf({ closureLog: 'experiments/log.md' })).toEqual(['log-in-scope']);
    expect(codesOf({ experiment: 'docs/daily.py', scope: ['docs/daily.py'] })).toContain('not-shipped');
    expect(codesOf({ scope: ['experiments/ferries/daily.py', 'lib/docs/guide.md'] })).toContain('not-shipped');
    expect(codesOf({ ships: ['experiments', './lib'] })).toContain('bad-value');
  });
});
