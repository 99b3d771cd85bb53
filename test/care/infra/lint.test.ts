/**
 * The check of set-up commands on a corpus of good, bad and unclear commands with expected answers
 * (fixtures/infra/snippets.yml).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { lintClusterFile } from '../../../src/care/infra/lint.ts';

const snippet = z.strictObject({
  why: z.string(),
  answer: z.enum(['fine', 'unguarded', 'not-understood']),
  list: z.string().default('setup_commands'),
  entries: z.array(z.string()),
  setup: z.array(z.string()).optional(),
});
const corpus = z
  .record(z.enum(['good', 'bad', 'unclear']), z.array(snippet))
  .parse(parse(readFileSync(join(import.meta.dirname, '../../../fixtures/infra/snippets.yml'), 'utf8')));

function answerTo({ list, entries, setup }: z.infer<typeof snippet>): string {
  const lists = { [list]: entries, ...(setup === undefined ? {} : { setup_commands: setup }) };
  const codes = lintClusterFile(stringify(lists, { lineWidth: 0 }), []).map(({ code }) => code);
  if (codes.includes('write-unguarded')) return 'unguarded';
  return codes.length > 0 ? 'not-understood' : 'fine';
}

/** Findings for commands in consecutive lines of one entry, by their line in it. */
function found(...lines: readonly string[]): readonly string[] {
  const text = `setup_commands:\n  - |\n${lines.map((line) => `    ${line}\n`).join('')}`;
  return lintClusterFile(text, ['/m/p']).map(({ code, line }) => `${code}@${line - 2}`);
}

describe.each(Object.entries(corpus))('the check of %s set-up commands', (kind, snippets) => {
  it.each(snippets.map((one) => [one.why, one] as const))('gives the expected answer: %s', (_why, one) => {
    expect(answerTo(one)).toBe(one.answer);
  });

  it('calls only good ones fine', () => {
    expect(kind === 'good' || snippets.every(({ answer }) => answer !== 'fine')).toBe(true);
  });
});

describe('a write below a mount point', () => {
  it('is checked if the config names the mount point, even if no command mounts it', () => {
    const text = 'setup_commands:\n  - mkdir -p /mnt/gcs/models\n';
    expect(lintClusterFile(text, [])).toEqual([]);
    expect(lintClusterFile(text, ['/mnt/gcs/'])).toMatchObject([{ code: 'write-unguarded', line: 2 }]);
  });

  it.each([
    ['mountpoint -q /m/p && touch /m/p/x'],
    ['mountpoint -q /m/p/ &&', '  touch /m/p/x'],
    ['mountpoint -q /m/p || exit 1', 'touch /m/p/x'],
    ['sudo mountpoint --quiet "/m/p" || gcsfuse b /m/p || exit', 'touch /m/p/x # why'],
    ['gcsfuse b /m/p && cd /m/p && echo x > y'],
    ['exit 1', 'touch /m/p/x'],
  ])('is fine after a guard: %s %s', (...lines) => {
    expect(found(...lines.filter((line) => typeof line === 'string'))).toEqual([]);
  });

  it.each([
    ['mountpoint -q /m/p || touch /m/p/x'],
    ['mountpoint -q /m/p; touch /m/p/x'],
    ['mountpoint -q /m/p && echo yes || touch /m/p/x'],
    ['mountpoint -q /m/other && touch /m/p/x'],
    ['mountpoint -x /m/p && touch /m/p/x'],
    ['sudo -l mountpoint -q /m/p && touch /m/p/x'],
    ['mountpoint -q /m/p && timeout 5 umount /m/p; touch /m/p/x'],
    ['ls /m/p 2>/m/p/x'],
    ['ls &> "/m/p/x"'],
    ['touch /m/p//x'],
    ["cp a '/m/p'/x"],
  ])('is unguarded: %s', (line) => {
    expect([...new Set(found('true', line))]).toEqual(['write-unguarded@2']);
  });

  it('is not guarded by a check that an earlier entry passed with success, or by another list', () => {
    const lint = (text: string): unknown => lintClusterFile(text, ['/m/p']).map(({ line }) => line);
    expect(lint('setup_commands:\n  - mountpoint -q /m/p || exit 1\n  - touch /m/p/x\n')).toEqual([]);
    expect(lint('setup_commands:\n  - mountpoint -q /m/p || exit 0\n  - touch /m/p/x\n')).toEqual([3]);
    expect(lint('a_commands: [mountpoint -q /m/p]\nb_commands: [touch /m/p/x]\n')).toEqual([2]);
  });

  it.each([
    'if mountpoint -q /m/p; then touch /m/p/x; fi',
    'mountpoint -q /m/p && (touch /m/p/x)',
    'touch /m/p/x &',
    'touch /m/p/$(date)',
    'touch "/m/p/`date`"',
    'cat <<EOF > /m/p/x',
    "bash -c 'touch /m/p/x'",
    'M=/m/p; touch $M/x',
    'gcsfuse b /m/p || true',
  ])('is reported as not understood: %s', (line) => {
    expect(found('true', line)).toEqual(['not-understood@2']);
  });
});

describe('a construct that is not understood', () => {
  it('is ignored if no mount point is named', () => {
    expect(found('for i in 1 2; do echo $i; done')).toEqual([]);
  });

  it('invalidates earlier guards if it may unmount', () => {
    const text = (between: string): string =>
      `setup_commands:\n  - mountpoint -q /m/p\n  - ${between}\n  - touch /m/p/x\n`;
    expect(lintClusterFile(text('(sudo umount -a)'), ['/m/p'])).toMatchObject([{ line: 4 }]);
    expect(lintClusterFile(text('(sleep 1)'), ['/m/p'])).toEqual([]);
  });

  it('is any text except simple commands, and none raises an exception', () => {
    const parts = fc.constantFrom(
      ...['gcsfuse b /m/p', 'set -e', '&&', '||', ';', '\n', '|', '(', ')', '{', '}', 'if', 'then', 'fi', '!'],
      ...['"', "'", '$(', '>', '/m/p/x', 'mkdir', '#', '\\', '&', 'exit 1', 'for', 'do', '[[', 'M=/m/p'],
      ...['bash -c "cd $M; touch z"', '<<END', '\nEND\n', '`date`', '2>', 'sudo', 'mountpoint -q /m/p'],
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), (words) => {
        const text = stringify({ setup_commands: [words.join(' ')] });
        for (const { line } of lintClusterFile(text, ['/m/p'])) expect(line).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
