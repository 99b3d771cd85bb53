/** The configuration in docs/ray-scripts.md is valid and has no warning. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { z } from 'zod';
import { readLabConfig } from '../../src/app/config-source.ts';
import { raySchema } from '../../src/engines/ray/definition.ts';

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
    expect(codesOf({ closureLog: 'experiments/log.md' })).toContain('log-shipped');
    expect(codesOf({ experiment: 'docs/daily.py', scope: ['docs/daily.py'] })).toContain('not-shipped');
    expect(codesOf({ scope: ['experiments/ferries/daily.py', 'lib/docs/guide.md'] })).toContain('not-shipped');
    expect(codesOf({ ships: ['experiments', './lib'] })).toContain('bad-value');
  });
});
