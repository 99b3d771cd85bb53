/** `ferrybot fix`: turns a log and the files that it ran into a patch for git, or explains why it cannot. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fixVerb } from '../../../src/app/cli/verbs/fix.ts';

const LOG = `Traceback (most recent call last):
  File "/tmp/ray/session_1/pkg/main.py", line 1, in <module>
    from lab import train
  File "/tmp/ray/session_1/pkg/lab/train.py", line 5, in <module>
    TAU = 2 * math.pi
              ^^^^
NameError: name 'math' is not defined. Did you forget to import 'math'?
`;
const FILES = {
  'main.py': 'from lab import train\n',
  'lab/train.py': 'import json\nimport os\n\n\nTAU = 2 * math.pi\nprint(json, os)',
};

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrybot-fix-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function fixed(cwd: string, log: string, json = true) {
  const said: string[] = [];
  const code = await fixVerb(
    {
      stdout: { write: (text) => said.push(text) },
      stderr: { write: (text) => said.push(text) },
      stdin: Readable.from([Buffer.from(log)]),
      cwd,
      environment: { PATH: process.env['PATH'] },
      json,
    },
    { log: '-', tree: '.' },
  );
  return { code, out: said.join('') };
}

describe('ferrybot fix', () => {
  it('prints a patch that git applies', async () => {
    const folder = folderOf(FILES);
    const { code, out } = await fixed(folder, LOG, false);
    expect(code).toBe(0);
    execFileSync('git', ['apply', '-'], { cwd: folder, input: out });
    expect(readFileSync(join(folder, 'lab/train.py'), 'utf8')).toBe(
      'import json\nimport math\nimport os\n\n\nTAU = 2 * math.pi\nprint(json, os)',
    );
  });

  it('answers with the file, the line and the patch as JSON, and writes nothing', async () => {
    const folder = folderOf(FILES);
    const { out } = await fixed(folder, LOG);
    expect(JSON.parse(out)).toMatchObject({
      fix: { path: 'lab/train.py', line: 5, diff: expect.stringContaining('+import math') },
      class: 'code-small',
      traceback: { line: 5 },
    });
    expect(readFileSync(join(folder, 'lab/train.py'), 'utf8')).toBe(FILES['lab/train.py']);
  });

  it('gives the reason when it has no fix', async () => {
    const other = await fixed(folderOf(FILES), 'torch.OutOfMemoryError: CUDA out of memory.\n');
    expect({ code: other.code, ...JSON.parse(other.out) }).toMatchObject({ code: 1, fix: null, reason: 'not-small' });
    const words = await fixed(folderOf(FILES), LOG.replaceAll('math', 'mxth'), false);
    expect(words).toMatchObject({ code: 1, out: expect.stringContaining('(tree-unlike)') });
  });

  it('does not read a file through a symbolic link', async () => {
    const folder = folderOf({ 'main.py': FILES['main.py'], 'elsewhere.py': FILES['lab/train.py'] });
    mkdirSync(join(folder, 'lab'));
    symlinkSync('../elsewhere.py', join(folder, 'lab/train.py'));
    expect(JSON.parse((await fixed(folder, LOG)).out)).toMatchObject({ fix: null, reason: 'not-in-tree' });
  });
});
