/** The interpreter's verdict: right wherever it is given, bounded, and nothing of the file is run. */

import { existsSync } from 'node:fs';
import { chmod, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PySyntax } from '../../src/domain/python-syntax.ts';
import { judgedByPython } from '../../src/host/python-compile.ts';
import { createPythonParser } from '../../src/host/python-parser.ts';
import { readCorpus } from '../delta/corpus.ts';
import { createCompile } from '../support/cpython.ts';

const PATH = process.env['PATH'] ?? '';
const parser = await createPythonParser();
const compile = await createCompile();

async function refusal(text: string, interpreter = 'python3', path = PATH): Promise<PySyntax['refusal']> {
  return (await judgedByPython(parser.parse(text), interpreter, path)).refusal;
}

/** A folder for a PATH with a `python3` in it that is this program. */
async function pathWith(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${program}\n`);
  await chmod(join(folder, 'python3'), 0o755);
  return folder;
}

const answering = (minor: number): Promise<string> => pathWith(`echo ${minor}; echo 2 no`);

describe('the Python of this machine', () => {
  it('refuses nothing of the corpus that CPython 3.14 compiles, and says the line of what it refuses', async () => {
    // Each sixth: an interpreter is a process, and behind a version manager's shim a slow one.
    const texts = [...new Set(readCorpus().flatMap(({ base, head }) => [base, head]))].filter(
      (_, at) => at % 6 === 0,
    );
    const wrong: string[] = [];
    let refusals = 0;
    for (const text of texts) {
      const found = await refusal(text);
      if (found !== null) refusals += 1;
      if (found !== null && parser.parse(text).refusal === null && compile(text).ok) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    expect(refusals).toBeGreaterThan(10);
    expect(await refusal('A = 1\nB = \u{1F6A2}\n')).toEqual({
      line: 2,
      message: expect.stringMatching(/^invalid character '\\U0001f6a2'/),
    });
    expect(await refusal('A = 1\nreturn 2\n')).toEqual({ line: 2, message: "'return' outside function" });
  });

  it('runs nothing of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
    const mark = join(folder, 'mark');
    expect(await refusal(`open(${JSON.stringify(mark)}, "w")\nimport this\n`)).toBeNull();
    expect(existsSync(mark)).toBe(false);
  });

  it.each([
    ['ten thousand brackets', `A = ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`],
    ['five megabytes', 'A = 1\n'.repeat(900_000)],
    ['three hundred brackets', `A = ${'('.repeat(300)}1${')'.repeat(300)}\n`],
    ['null bytes', 'A = 1\0\n'],
    ['a long chain', `A = ${'-'.repeat(900)}1\n`],
    ['an integer that takes minutes', `A = ${'9'.repeat(200_000)}\n`],
    ['half a pair of UTF-16', 'A = "\ud800"\n'],
  ])('a file with %s ends nothing', async (_name, text) => {
    const started = performance.now();
    const { refusal: found } = await judgedByPython(parser.parse(text), 'python3', PATH);
    expect(performance.now() - started).toBeLessThan(100_000);
    expect([null, 'string']).toContain(found === null ? null : typeof found.message);
  });
});

describe('whose verdict counts', () => {
  it("is the job's own interpreter, and any Python only where that is not here", async () => {
    const none = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
    const job = await answering(14);
    await symlink(join(job, 'python3'), join(job, 'python3.14'));
    expect(await refusal('A = 1\n', join(job, 'python3.14'))).toEqual({ line: 2, message: 'no' });
    expect(await refusal('A = 1\n', '/nowhere/python', job)).toEqual({ line: 2, message: 'no' });
    expect(await refusal('return\n', 'python3', none)).toBeNull();
  });

  it.each([
    [9, 'match a:\n    case 1: pass\n'],
    [10, 'try: pass\nexcept* A: pass\n'],
    [11, 'type A = int\n'],
    [11, 'def f[T](): pass\n'],
    [11, "A = f'{b['c']}'\n"],
    [12, 'def f[T = int](): pass\n'],
    [13, 'try: pass\nexcept A, B: pass\n'],
    [13, "A = t'{b}'\n"],
  ])('is not of Python 3.%i, which is too old for %j, but is of the next', async (minor, text) => {
    expect(await refusal(text, 'python3', await answering(minor))).toBeNull();
    expect(await refusal(text, 'python3', await answering(minor + 1))).toMatchObject({ line: 2 });
    expect(await refusal('A = 1\n', 'python3', await answering(minor))).toMatchObject({ line: 2 });
  });

  it.each([
    ['fails', 'exit 1'],
    ['is killed', 'kill -9 $$'],
    ['says too much', 'yes'],
    ['says something else', 'echo 3.11 is here'],
  ])('is nobody’s where the program %s', async (_name, program) => {
    expect(await refusal('A = 1\n', 'python3', `${await pathWith(program)}:/usr/bin:/bin`)).toBeNull();
  });
});
