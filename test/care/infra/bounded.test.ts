// What a fork's cluster files may cost: the reader's bounds, and that nothing beyond one is ever called fine.

import { describe, expect, it } from 'vitest';
import { lintClusterFile } from '../../../src/care/infra/lint-cluster-file.ts';
import { readYaml } from '../../../src/config/read-yaml.ts';

const commands = (text: string): string => `setup_commands:\n  - |\n    ${text}\n`;
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join('');

const WORST: Readonly<Record<string, string>> = {
  'one list behind thousands of keys': `b_commands: &a\n${'  - a\n'.repeat(300)}${many(2_000, (index) => `k${index}_commands: *a\n`)}`,
  'one list behind forty keys': `b_commands: &a\n${'  - a\n'.repeat(300)}${many(40, (index) => `k${index}_commands: *a\n`)}`,
  'thousands of commands': `setup_commands:\n${'  - a\n'.repeat(16_000)}`,
  'a command that does not end': commands('a;'.repeat(40_000)),
  'thousands of mount points': commands(many(700, (index) => `gcsfuse b /m${index};`)),
  'variables that multiply a program': commands(
    `A="${'a;'.repeat(500)}";${'bash -c $A$A$A$A$A$A$A;'.repeat(500)}`,
  ),
};

describe('a cluster file of a fork', () => {
  for (const [name, text] of Object.entries(WORST))
    it(`is told as not judged, too large: ${name}`, () => {
      const linted = lintClusterFile(text, ['/m']);
      const whats = linted.ok ? linted.value.map(({ what }) => what) : [linted.error.what];
      expect(whats).toEqual([expect.stringMatching(/^not judged: too large: /)]);
    });
});

describe('a config of a fork', () => {
  it('is unreadable with thousands of aliases, which are not looked up one by one', () => {
    const text = `a: &a [b]\n${many(4_000, (index) => `k${index}: *a\n`)}`;
    const reading = readYaml(text);
    expect(reading.problems).toMatchObject([
      { code: 'alias', message: expect.stringContaining('more than') },
    ]);
  });
});
