/** Patches as git writes them are applied as git does, and nothing else is accepted as a patch. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyPatch,
  firstChangedLine,
  formatPatch,
  isChangeMasked,
  parsePatch,
} from '../../src/domain/launch/small-fix.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ferrybot-patch-'));
  git('init', '--quiet');
});
afterAll(() => rmSync(folder, { recursive: true }));

function git(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return spawnSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd: folder, encoding: 'utf8', env });
}

/** The diff that git prints between two texts of `a.py`. */
function diffOf(before: string, after: string, context: number): string {
  writeFileSync(join(folder, 'a.py'), before);
  git('add', 'a.py');
  writeFileSync(join(folder, 'a.py'), after);
  return git('diff', `-U${context}`, 'a.py').stdout;
}

function readOne(patch: string) {
  const read = parsePatch(patch);
  if (!read.ok) return read.error;
  const [file] = read.value;
  if (file === undefined) throw new Error('a patch of no file');
  return file;
}

const lines = fc.array(fc.constantFrom('', ' x = 1', 'x = 2', '+y', '-z', '@@ a', 'é', '\tif a:'), {
  minLength: 1,
  maxLength: 9,
});
const texts = fc.tuple(lines, fc.boolean()).map(([all, ends]) => all.join('\n') + (ends ? '\n' : ''));

describe('a patch by git', () => {
  it('gives the same result as in git, except for a change of only the final newline', () => {
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
        fc.pre(before !== after && before !== '' && before.endsWith('\n') === after.endsWith('\n'));
        const patch = diffOf(before, after, context);
        const file = readOne(patch);
        if (typeof file === 'string') throw new Error(`${file}: ${patch}`);
        expect(applyPatch(before, file)).toEqual({ ok: true, value: after });
        // The patch that people are shown is the same, also for git.
        writeFileSync(join(folder, 'a.py'), before);
        writeFileSync(join(folder, 'shown'), formatPatch([file]));
        if (before.endsWith('\n')) {
          expect(git('apply', '--unidiff-zero', 'shown').status).toBe(0);
          expect(readFileSync(join(folder, 'a.py'), 'utf8')).toBe(after);
        }
        const above = (text: string): readonly string[] => text.split('\n').slice(0, firstChangedLine(file) - 1);
        expect(above(before)).toEqual(above(after));
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('never raises an exception, also for text that is no patch', () => {
    const parts = fc.constantFrom(
      '--- a/a.py',
      '+++ b/a.py',
      '@@ -1 +1 @@',
      '@@ -0,0 +1 @@',
      '-a',
      '+b',
      ' c',
      '',
      '\\ No newline at end of file',
      'diff --git a/a.py b/a.py',
      '@@ -9999999,0 +1,99999 @@',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), texts, (all, text) => {
        const read = parsePatch(all.join('\n'));
        if (read.ok) for (const file of read.value) applyPatch(text, file);
      }),
    );
  });
});

const PATCH = '--- a/lib/a.py\n+++ b/lib/a.py\n@@ -1 +1 @@\n-a\n+b\n';

describe('a rejected patch', () => {
  // threat T219
  it.each([
    ['', 'patch-none'],
    [' \n', 'patch-none'],
    ['sure, here it is', 'patch-unreadable'],
    [`${PATCH}and that is all`, 'patch-unreadable'],
    [PATCH + PATCH, 'patch-unreadable'],
    [PATCH.replace('+++ b/lib/a.py', '+++ b/lib/b.py'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', '/etc/passwd'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', '../a.py'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', 'lib/./a.py'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', '.git/config'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', 'lib/.git/config'), 'patch-unreadable'],
    [PATCH.replaceAll('lib/a.py', 'lib/ä.py'), 'patch-unreadable'],
    [PATCH.replace('@@ -1 +1 @@', '@@ -1,2 +1 @@'), 'patch-unreadable'],
    [PATCH.replace('@@ -1 +1 @@', '@@ -0 +1 @@'), 'patch-unreadable'],
    [`diff --git a/lib/b.py b/lib/b.py\n${PATCH}`, 'patch-unreadable'],
    [`diff --git a/lib/a.py b/lib/a.py\ndeleted file mode 100644\n${PATCH}`, 'patch-unreadable'],
    [`diff --git a/lib/a.py b/lib/a.py\nindex 1234..5678 160000\n${PATCH}`, 'patch-unreadable'],
    ['diff --git a/lib/a.py b/lib/a.py\nBinary files differ\n', 'patch-unreadable'],
    ['diff --git a/lib/a.py b/lib/b.py\nrename from lib/a.py\n', 'patch-unreadable'],
    [PATCH.replace('+b', '+b\u202ec'), 'patch-hidden-signs'],
    [PATCH.replace('+b', '+b\u200b'), 'patch-hidden-signs'],
    [PATCH.replace('+b', '+b\u001b[8m'), 'patch-hidden-signs'],
    [PATCH.replace('+b', '+b\r+c'), 'patch-hidden-signs'],
    [PATCH.replace('+b', `+${'b'.repeat(1_600)}`), 'patch-too-large'],
    [['a', 'b', 'c', 'd'].map((name) => PATCH.replaceAll('lib/a.py', name)).join(''), 'patch-too-large'],
    [PATCH + ' '.repeat(30_000), 'patch-too-large'],
  ])('%j: %s', (patch, fault) => {
    expect(readOne(patch)).toBe(fault);
  });

  it.each([
    ['with the line in another place', 'b\na\n'],
    ['in a shorter file', ''],
    ['with a longer line', 'ab\n'],
  ])('does not fit its text, %s', (_how, text) => {
    const file = readOne(PATCH);
    if (typeof file === 'string') throw new Error(file);
    expect(applyPatch(text, file)).toEqual({ ok: false, error: 'patch-does-not-apply' });
  });

  it.each([
    ['a\n', 2],
    ['a', 2],
    ['', 1],
  ])('adds a line beyond the end of %j', (text, line) => {
    const file = readOne(PATCH.replace('@@ -1 +1 @@\n-a', `@@ -${line},0 +${line + 1} @@`));
    if (typeof file === 'string') throw new Error(file);
    expect(applyPatch(text, file)).toEqual({ ok: false, error: 'patch-does-not-apply' });
  });
});

it('a patch for a long file is applied like any other', () => {
  const before = '\n'.repeat(400_000);
  const file = readOne(PATCH.replace('@@ -1 +1 @@\n-a', '@@ -399999,0 +400000 @@'));
  if (typeof file === 'string') throw new Error(file);
  const after = applyPatch(`${before}a\n`, file);
  expect(after.ok && after.value === `${before.slice(1)}b\n\na\n`).toBe(true);
});

describe('a shown patch with redacted parts', () => {
  const shown = '--- a/lib/a.py\n+++ b/lib/a.py\n@@ -1,2 +1,2 @@\n kept = 1\n-a\n+b = system(1)\n';
  it.each([
    ['nothing', shown, false],
    ['a part of an unchanged line', shown.replace('kept = 1', '***'), false],
    ['a part of an added line', shown.replace('system(1)', '***'), true],
    ['a removed line', shown.replace('-a', '-***'), true],
    ['the name of a file', shown.replace('lib/a.py', '***'), true],
    ['everything after a position', shown.replace(/kept.*/s, '***'), true],
  ])('hides a change if it lacks something new or named: %s', (_what, redacted, isHidden) => {
    expect(isChangeMasked(shown, redacted)).toBe(isHidden);
  });
});
