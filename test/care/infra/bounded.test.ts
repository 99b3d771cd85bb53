// The maximum cost of a fork's cluster files: the limits of the check, and that nothing beyond a limit is
// called fine.

import { describe, expect, it } from 'vitest';
import { lintClusterFile } from '../../../src/care/infra/lint.ts';
import { readYaml } from '../../../src/config/read-yaml.ts';

const commands = (text: string): string => `setup_commands:\n  - |\n    ${text}\n`;
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join('');

const WORST: Readonly<Record<string, string>> = {
  'more than a file may hold': commands('a;'.repeat(60_000)),
  'thousands of mount points': commands(many(700, (index) => `gcsfuse b /m${index};`)),
};

describe('a cluster file of a fork', () => {
  for (const [name, text] of Object.entries(WORST))
    it(`is reported as not judged, too large: ${name}`, () => {
      const whats = lintClusterFile(text, ['/m']).map(({ what }) => what);
      expect(whats).toEqual([expect.stringMatching(/^not judged: too large: /)]);
    });
});

describe('a config of a fork', () => {
  it('is unreadable with thousands of aliases, without resolving each one', () => {
    const text = `a: &a [b]\n${many(4_000, (index) => `k${index}: *a\n`)}`;
    const reading = readYaml(text);
    expect(reading.problems).toMatchObject([{ code: 'alias', message: expect.stringContaining('more than') }]);
  });
});
