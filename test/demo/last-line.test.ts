/** `npm start --json` ends with its one line also where it could not begin. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { scratchFolder } from '../host/git/scratch-repository.ts';

const PROGRAM = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));

it.each([
  { what: 'a file in the place of its folder', name: '', reason: 'folder-unusable' },
  { what: 'a world that is none', name: 'world.json', reason: 'playground-broken' },
])(
  '$what: $reason',
  async ({ name, reason }) => {
    const folder = scratchFolder();
    const file = join(folder, name === '' ? 'kept' : name);
    await writeFile(file, 'no world');
    const keep = name === '' ? file : folder;
    const ended = await execa('node', [PROGRAM, '--auto', '--json', '--keep', keep], { reject: false });
    expect(ended.exitCode).toBe(1);
    const last = ended.stdout.split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ ok: false, reason, stages: [], sealTags: [], runs: [] });
    expect(ended.stderr).not.toBe('');
  },
  60_000,
);
