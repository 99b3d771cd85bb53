/** The bundle is one file without dependencies, has reproducible bytes, and names its licences. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, buildBundle } from '../../scripts/bundle/build-bundle.ts';
import { readLabConfig } from '../../src/app/config-source.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROBE = `
import { getInput } from ${path('node_modules/@actions/core/lib/core.js')};
import { execa } from ${path('node_modules/execa/index.js')};
import { z } from ${path('node_modules/zod/index.js')};
import { supervisorSource } from ${path('src/engines/local/submit.ts')};
import { readLabConfig } from ${path('src/app/config-source.ts')};
if (process.env.PROBE === 'look') console.log('looked');
else if (process.env.PROBE === 'config') console.log(JSON.stringify(readLabConfig(process.env.PROBE_TEXT)));
else {
  const { createPythonReader } = await import(${path('src/host/python-child.ts')});
  const read = createPythonReader(process.env.PATH);
  const { settings } = await read('learning_rate = 3e-3', 'python3');
  const { stdout } = await execa('git', ['--version']);
  const wrong = z.number().safeParse('x').error?.issues[0]?.message;
  console.log(JSON.stringify({ knob: settings[0].path, git: stdout, wrong, mode: getInput('mode'), source: supervisorSource() }));
}
`;
let folder = '';
let bundle: Bundle;
let file = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-bundle-'));
  await writeFile(join(folder, 'probe.ts'), PROBE);
  bundle = await buildBundle(ROOT, join(folder, 'probe.ts'));
  file = join(folder, 'index.js');
  await writeFile(file, bundle.code);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the bundle of a probe', () => {
  it('runs in a folder without packages, with Python, git and an input', async () => {
    const { stdout } = await execa(process.execPath, [file], { cwd: folder, env: { INPUT_MODE: 'chat' } });
    expect(JSON.parse(stdout)).toMatchObject({
      knob: 'learning_rate',
      git: expect.stringContaining('git version'),
      wrong: 'Invalid input: expected number, received string',
      mode: 'chat',
    });
  });

  it.each([
    ['good', (text: string) => text],
    ['wrong', (text: string) => `${text}\nunknown: [1, {a: *b}\n\tx: "\\q"\n`],
    ['tagged', (text: string) => text.replace(/^version:.*$/m, 'version: !!binary "MQ=="')],
  ])('reads a config that is %s as the source does', async (_, change) => {
    const text = change(readFileSync(join(ROOT, 'fixtures/lab/.github/ferrybot.yml'), 'utf8'));
    const { stdout } = await execa(process.execPath, [file], {
      cwd: folder,
      env: { PROBE: 'config', PROBE_TEXT: text },
    });
    expect(stdout).toBe(JSON.stringify(readLabConfig(text)));
  });

  it('passes the text of functions to another process, which runs them', async () => {
    const { stdout } = await execa(process.execPath, [file], { cwd: folder });
    const { source } = JSON.parse(stdout) as { readonly source: string };
    const order = {
      folder,
      command: [process.execPath, '-e', 'process.exit(7)'],
      env: {},
      workingDirectory: folder,
      scope: {},
      stopGraceMs: 100,
      exitRecordTries: 1,
    };
    await execa(process.execPath, ['-e', source], { cwd: folder, input: JSON.stringify(order) });
    const record = await execa('cat', ['exit.json'], { cwd: folder });
    expect(JSON.parse(record.stdout)).toMatchObject({ exitCode: 7, startError: null });
  });

  it('contains no path of the machine that built it', () => {
    expect(Buffer.from(bundle.code).includes(ROOT)).toBe(false);
    expect(Buffer.from(bundle.code).includes(folder)).toBe(false);
  });

  it('leaves out code that ferrybot never reaches', () => {
    expect(bundle.missed).toEqual([]);
    expect(bundle.shares.map(([name]) => name)).not.toContain('undici');
  });

  it('names the licence of every package inside', () => {
    const packages = bundle.shares.map(([name]) => name).filter((name) => name !== 'ferrybot');
    expect(packages.length).toBeGreaterThan(5);
    for (const name of packages) expect(bundle.licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
  });
});

function path(relative: string): string {
  return JSON.stringify(join(ROOT, relative));
}
