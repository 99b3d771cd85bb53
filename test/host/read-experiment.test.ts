/**
 * The reader of experiment files executes no part of a file, and every failure means that the file cannot be
 * read.
 */

import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileReading } from '../../src/domain/launch/change-facts.ts';
import { createPythonReader } from '../../src/host/python-child.ts';

const PATH = process.env['PATH'] ?? '';
const read = createPythonReader(PATH);

/** A folder for PATH with this program as `python3`. */
async function pathWith(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${program}\n`);
  await chmod(join(folder, 'python3'), 0o755);
  return folder;
}

const refused = (line: number, message: RegExp): FileReading =>
  expect.objectContaining({ kind: 'unparsable', line, message: expect.stringMatching(message) });

describe('the reader of experiment files', () => {
  // threat T69
  it('executes no part of a file and writes nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
    const mark = join(folder, 'mark');
    const text = `open(${JSON.stringify(mark)}, "w")\nimport this\n`;
    expect(await read(text, 'python3')).toMatchObject({ kind: 'read', text });
    expect(existsSync(mark)).toBe(false);
  });

  it('returns the offsets of a value in a text with characters of every width', async () => {
    const text = '\uFEFFS = "\u{1F6A2}é"; run(lr=1)\r\n\fB = "ü"; C = 2\n';
    const file = await read(text, 'python3');
    if (file.kind !== 'read') throw new Error(file.message);
    expect(file.settings.map(({ start, end }) => text.slice(start, end))).toEqual(['"\u{1F6A2}é"', '1', '"ü"', '2']);
  });

  it.each([
    ['bytes that are not UTF-8', Uint8Array.from([65, 10, 66, 61, 39, 233, 39, 10]), 2, /not UTF-8/],
    ['a null byte', 'A = 1\n\0', 2, /U\+0000 is not allowed/],
    ['a line separator', 'A = 1\n# a\u2028b\n', 2, /U\+2028 is not allowed/],
    ['a lone carriage return', 'A = 1  # \rB = 2\n', 1, /U\+000D is not allowed/],
    ['another encoding', '# coding: utf-7\n', 1, /an encoding other than UTF-8/],
    ['too many bytes', `${'#'.repeat(500_000)}\n`, 1, /longer than 500000 bytes/],
    ['a return outside a function', 'A = 1\nreturn 2\n', 2, /'return' outside function/],
    ['a repeated keyword', 'f(a=1, a=2)\n', 1, /keyword argument repeated/],
  ])('refuses %s, with its line', async (_, source, line, message) => {
    expect(await read(source, 'python3')).toEqual(refused(line, message));
  });

  it('names what to install if the interpreter is missing', async () => {
    expect(await read('A = 1\n', 'python9')).toEqual(refused(1, /no python9 on this machine: install Python 3\.11/));
  });

  it.each([
    ['fails', 'exit 1', /failed \(exit 1\)/],
    ['is killed', 'kill -9 $$', /more than 4 seconds/],
    ['prints too much', 'yes', /more settings than/],
    ['prints something else', 'echo 3.11 is here', /no answer that ferrybot understands/],
    ['prints nothing', 'exit 0', /no answer that ferrybot understands/],
    ['leaves out a field', `echo '{"kind":"read","settings":[],"code":[]}'`, /no answer that ferrybot understands/],
  ])('cannot read a file if the interpreter %s', async (_, program, message) => {
    const path = `${await pathWith(program)}:/usr/bin:/bin`;
    expect(await createPythonReader(path)('A = 1\n', 'python3')).toEqual(refused(1, message));
  });

  it('runs an interpreter once per file, and again if the machine caused the failure', async () => {
    const folder = await pathWith(
      'echo x >> "$(dirname "$0")/asked"; exec /usr/bin/env -i PATH=/usr/bin:/bin python3 "$@"',
    );
    const reader = createPythonReader(`${folder}:/usr/bin:/bin`);
    const counted = async (): Promise<number> => (await readFile(join(folder, 'asked'), 'utf8')).length / 2;
    await reader('A = = 1\n', 'python3');
    await reader('A = = 1\n', 'python3');
    expect(await counted()).toBe(1);
    await reader('A = 2\n', 'python3');
    expect(await counted()).toBe(2);
    const broken = await pathWith('echo x >> "$(dirname "$0")/asked"; kill -9 $$');
    const again = createPythonReader(`${broken}:/usr/bin:/bin`);
    await again('A = 1\n', 'python3');
    await again('A = 1\n', 'python3');
    expect((await readFile(join(broken, 'asked'), 'utf8')).length / 2).toBe(2);
  });
});
