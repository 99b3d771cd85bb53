/** One cluster file as text: aliases are followed, and what cannot be read is said and never fine. */

import { describe, expect, it } from 'vitest';
import { lintClusterFile } from '../../src/care/infra/lint-cluster-file.ts';
import { INFRA_COMMAND_CHARACTERS_MAX } from '../../src/care/infra/setup-entries.ts';

const found = (text: string): unknown => {
  const linted = lintClusterFile(text, ['/tmp/m']);
  return linted.ok ? linted.value.map(({ code, line }) => `${code}@${line}`) : linted.error.line;
};

/** Signs that nest deeper than is followed, in a command within the bound of its characters. */
const SHORT = Math.floor(INFRA_COMMAND_CHARACTERS_MAX / 'true && '.length) - 10;

describe('a cluster file', () => {
  it('is read through its aliases, on the line of the anchor', () => {
    expect(found('x: &list\n  - touch /tmp/m/x\nsetup_commands: *list\n')).toEqual(['write-unguarded@2']);
    expect(found('x: &one touch /tmp/m/x\nsetup_commands:\n  - *one\n')).toEqual(['write-unguarded@1']);
  });

  it('is not fine where a list of commands holds something else', () => {
    expect(found('setup_commands:\n  - [touch /tmp/m/x]\n')).toEqual(['not-understood@2']);
    expect(found('a: 1\nsetup_commands: touch /tmp/m/x\n')).toEqual(['not-understood@2']);
    expect(found('setup_commands:\ninitialization_commands: []\n')).toEqual([]);
  });

  it('is an error with its line where it is no YAML, or too long', () => {
    expect(found('a: 1\nb: [\n')).toBeGreaterThanOrEqual(2);
    expect(found(`# ${'x'.repeat(100_001)}\n`)).toBe(1);
  });

  it.each([
    ['groups', '( '.repeat(20_000)],
    ['negations', `${'! '.repeat(20_000)} true`],
    ['conditions', 'if '.repeat(20_000)],
    ['a chain', `${'true && '.repeat(10_000)} touch /tmp/m/x`],
    ['groups that are short enough to be read', '( '.repeat(SHORT)],
    ['negations that are short enough to be read', `${'! '.repeat(SHORT)} true`],
    ['conditions that are short enough to be read', 'if '.repeat(SHORT)],
    ['a chain that is short enough to be read', `${'true && '.repeat(SHORT)} touch /tmp/m/x`],
  ])('of commands nested without end is not understood: %s', (_what, commands) => {
    expect(found(`setup_commands:\n  - |\n    ${commands} /tmp/m\n`)).toEqual(['not-understood@3']);
  });

  it('is judged beside a command that is too long to be read, which is told on its own line', () => {
    const long = 'true;'.repeat(10_000);
    expect(found(`setup_commands:\n  - ${long}\n  - touch /tmp/m/x\n`)).toEqual([
      'not-understood@2',
      'write-unguarded@3',
    ]);
  });

  it.each(['[', '- ', '? ', 'a: ', '{ '])('of YAML nested without end is an error: %s', (sign) => {
    expect(found(`setup_commands: ${sign.repeat(20_000)}`)).toBe(1);
  });
});
