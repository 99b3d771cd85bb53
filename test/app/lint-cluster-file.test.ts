/** One cluster file as text: what cannot be read is said and never fine. */

import { describe, expect, it } from 'vitest';
import { lintClusterFile } from '../../src/care/infra/lint.ts';

const found = (text: string): unknown =>
  lintClusterFile(text, ['/tmp/m']).map(({ code, line }) => `${code}@${line}`);

describe('a cluster file', () => {
  it('is not understood where an alias stands for a list or a command', () => {
    expect(found('x: &list\n  - touch /tmp/m/x\nsetup_commands: *list\n')).toEqual(['not-understood@3']);
    expect(found('x: &one touch /tmp/m/x\nsetup_commands:\n  - *one\n')).toEqual(['not-understood@3']);
  });

  it('is judged by both lists of a key that stands twice', () => {
    expect(found('setup_commands: [touch /tmp/m/x]\nsetup_commands: []\n')).toEqual(['write-unguarded@1']);
  });

  it('is not fine where a list of commands holds something else', () => {
    expect(found('setup_commands:\n  - [touch /tmp/m/x]\n')).toEqual(['not-understood@2']);
    expect(found('a: 1\nsetup_commands: touch /tmp/m/x\n')).toEqual(['not-understood@2']);
    expect(found('setup_commands:\ninitialization_commands: []\n')).toEqual([]);
  });

  it('is not understood, with the line, where it is no YAML, or too long', () => {
    expect(found('a: 1\nb: [\n')).toEqual([expect.stringMatching(/^not-understood@[23]$/)]);
    expect(found(`# ${'x'.repeat(100_001)}\n`)).toEqual(['not-understood@1']);
  });

  it.each([
    ['groups', '( '.repeat(20_000)],
    ['negations', `${'! '.repeat(20_000)} true`],
    ['conditions', 'if '.repeat(20_000)],
  ])('of commands nested without end is not understood: %s', (_what, commands) => {
    expect(found(`setup_commands:\n  - |\n    ${commands} /tmp/m\n`)).toEqual(['not-understood@3']);
  });

  it('is judged to the end of a long chain', () => {
    const chain = `${'true && '.repeat(10_000)} touch /tmp/m/x`;
    expect(found(`setup_commands:\n  - ${chain}\n`)).toEqual(['write-unguarded@2']);
  });

  it.each(['[', '- ', '? ', 'a: ', '{ '])('of YAML nested without end is not understood: %s', (sign) => {
    expect(found(`setup_commands: ${sign.repeat(20_000)}`)).toEqual(['not-understood@1']);
  });
});
