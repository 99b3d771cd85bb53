/** The child that runs Python: isolated, limited in every resource, and never an exception. */

import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PythonOutcome, runPythonScript } from '../../src/host/python-child.ts';

const PATH = process.env['PATH'] ?? '';

function run(script: string, input: Uint8Array | string = '', ...args: string[]): Promise<PythonOutcome> {
  return runPythonScript({ interpreter: 'python3', script, input, args, path: PATH });
}

/** A folder with a `python3` that does something else. */
async function pathWith(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-python-'));
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${program}\n`);
  await chmod(join(folder, 'python3'), 0o755);
  return folder;
}

describe('a Python child', () => {
  it('reads bytes and arguments, and returns the output', async () => {
    const script = 'import sys\nprint(sys.stdin.buffer.read(), sys.argv[1:])\n';
    expect(await run(script, Uint8Array.of(0, 255, 10), 'a b')).toEqual({
      ok: true,
      stdout: "b'\\x00\\xff\\n' ['a b']\n",
    });
  });

  it('has none of ferrybot’s own environment variables, no user folder and no site packages', async () => {
    process.env['FERRYBOT_MARK'] = 'secret';
    const script = `import os, sys
print(os.environ.get("FERRYBOT_MARK"), os.environ.get("HOME"), sys.flags.isolated, sys.flags.no_site)
`;
    expect(await run(script)).toEqual({ ok: true, stdout: 'None None 1 1\n' });
    delete process.env['FERRYBOT_MARK'];
  });

  it.each([
    ['memory', 'x = bytearray(600_000_000)\n', /MemoryError/],
    ['CPU time', 'while True: pass\n', /takes more than 4 seconds/],
    ['output', 'while True: print("x" * 1000)\n', /more settings than ferrybot reads/],
    ['its error output', 'raise ValueError("no")\n', /failed \(exit 1\): ValueError: no/],
    ['a crash', 'import os\nos.abort()\n', /ended by SIGABRT/],
    ['a script that is not valid Python', 'def\n', /SyntaxError/],
  ])('is ended by its limit on %s, with the reason', async (_name, script, reason) => {
    expect(await run(script)).toMatchObject({ ok: false, reason: expect.stringMatching(reason), isTransient: false });
  });

  it('names what to install if the interpreter is missing, and reports a failing one', async () => {
    const script = 'print(1)\n';
    const missing = await runPythonScript({ interpreter: 'python9', script, input: '', path: PATH });
    expect(missing).toEqual({
      ok: false,
      reason: 'there is no python9 on this machine: install Python 3.11 or newer',
      isTransient: true,
    });
    const broken = await pathWith('echo what >&2; exit 3');
    expect(await runPythonScript({ interpreter: 'python3', script, input: '', path: broken })).toEqual({
      ok: false,
      reason: 'python3 failed (exit 3): what',
      isTransient: false,
    });
  });
});
