/**
 * `ferrybot check-infra` on files: the line of each finding, usage errors, and the example lab's own file.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { callVerb } from './call-verb.ts';

const LAB = join(import.meta.dirname, '../../../fixtures/lab');
const folder = mkdtempSync(join(tmpdir(), 'ferrybot-infra-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(cwd: string, ...args: readonly string[]): Promise<{ code: number; out: string }> {
  const { code, out, err } = await callVerb('check-infra', cwd, args);
  return { code, out: `${out}${err}` };
}

test("finds the example lab's file by itself, and no problem in it", async () => {
  expect(await run(LAB)).toEqual({
    code: 0,
    out: 'nothing writes where a bucket may not be mounted (infra/marin-us-central1-vllm.yaml)\n',
  });
});

test('names the line of a finding in block and plain entries, for heads and workers', async () => {
  writeFileSync(
    join(folder, 'c.yaml'),
    `initialization_commands:
  - |
    set -x
    gcsfuse bucket /tmp/gcsfuse_mount || true
setup_commands: []
worker_setup_commands:
  - mkdir -p /tmp/gcsfuse_mount/models
available_node_types:
  w: { worker_start_ray_commands: [touch /tmp/gcsfuse_mount/x] }
`,
  );
  const { code, out } = await run(folder, 'c.yaml', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    findings: [
      { file: 'c.yaml', line: 4, code: 'not-understood', mountPoint: '/tmp/gcsfuse_mount' },
      { line: 7, code: 'write-unguarded' },
      { line: 9, code: 'write-unguarded' },
    ],
  });
});

test('is used wrongly where no file is named and infra/ has none', async () => {
  expect((await run(folder)).code).toBe(2);
});

test('reports a file that is not YAML as not understood, and checks the next file', async () => {
  writeFileSync(join(folder, 'bad.yaml'), 'a: [\n');
  writeFileSync(join(folder, 'good.yaml'), 'setup_commands: [touch /m/p/x]\n');
  const { code, out } = await run(folder, 'bad.yaml', 'good.yaml', '--mount-point', '/m/p', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out).findings).toMatchObject([
    { file: 'bad.yaml', code: 'not-understood' },
    { file: 'good.yaml', line: 1, code: 'write-unguarded' },
  ]);
});

test('without a file, checks the files of infra/ and lists a Jinja template as not understood', async () => {
  const checkout = join(folder, 'checkout');
  mkdirSync(join(checkout, 'infra'), { recursive: true });
  writeFileSync(join(checkout, 'infra/a-template.yaml'), '{% set zone = "us" %}\ncluster_name: {{ name }}\n');
  writeFileSync(join(checkout, 'infra/b.yaml'), 'setup_commands: [gcsfuse b /opt/gcsfuse_mount || true]\n');
  const { code, out } = await run(checkout, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    files: ['infra/a-template.yaml', 'infra/b.yaml'],
    findings: [
      { file: 'infra/a-template.yaml', code: 'not-understood' },
      { file: 'infra/b.yaml', mountPoint: '/opt/gcsfuse_mount' },
    ],
  });
});

test('reports every file that is not a map of keys as not fine', async () => {
  for (const [name, text] of Object.entries({
    'a.bin': '\u0000\u0001{',
    'b.yaml': '',
    'c.txt': 'x = 1\n',
    'd.yaml': '- a\n',
  })) {
    writeFileSync(join(folder, name), text);
    const { code, out } = await run(folder, name, '--json');
    expect({ name, code, ok: JSON.parse(out).ok }).toEqual({ name, code: 1, ok: false });
  }
});
