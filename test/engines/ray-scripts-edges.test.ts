/** The scripts transport at its edges: values that look like something else, floods, and programs that do not end. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { IN_VARIABLES } from '../../src/engines/ray/job-details.ts';
import type { ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { identityFields } from '../../src/engines/shared/kit.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type StandIn } from '../support/stand-in-scripts.ts';

const MB = 1024 * 1024;
const METADATA = { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` };
const node = (source: string, ...args: readonly string[]): readonly string[] => [
  process.execPath,
  '-e',
  source,
  ...args,
];

let scripts: StandIn;
const open = async (changes: Partial<ScriptTemplates> = {}): Promise<Engine> => {
  scripts = await openStandIn(changes);
  return scripts.engine();
};
const spec = (changes: Partial<JobSpec> = {}): JobSpec => ({
  submissionId: 'ferry-1',
  command: ['python3', 'a.py'],
  env: {},
  workingDirectory: scripts.tree,
  metadata: METADATA,
  ...changes,
});
afterEach(() => scripts.close());

describe('a value of a job', () => {
  const HOSTILE = [
    '--help',
    '-e',
    '--',
    '$(touch hacked)',
    '`touch hacked`',
    '; touch hacked',
    'it\'s "quoted"',
    '{command} {submissionId} {python}',
    'two\nlines',
    '',
    ' ',
    'Job submitted with ID: another',
    '🚢 \u001b[31m',
    '%PATH% %n %s',
  ];

  it('reaches the script unchanged and in its own argument, even if it resembles an option', async () => {
    const engine = await open();
    await scripts.does('submit', { starts: true, stderr: 'Job submitted with ID: {id}\n' });
    const env = Object.fromEntries(HOSTILE.map((value, index) => [`V${index}`, value]));
    expect(await submitTo(engine, spec({ command: ['python3', ...HOSTILE], env }))).toMatchObject({
      kind: 'submitted',
    });
    const call = (await scripts.calls()).find(({ verb }) => verb === 'submit');
    const variables = { ...env, ...identityFields(METADATA, IN_VARIABLES) };
    expect(call?.args).toEqual([
      'ferry-1',
      ...Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      '--',
      'python3',
      ...HOSTILE,
    ]);
    await expect(readFile(join(scripts.tree, 'hacked'))).rejects.toThrow('ENOENT');
  });

  // threat T60
  it('is rejected before anything is sent when the script would read it as an option', async () => {
    const engine = await open({ environment: ['-e', '{name}', '{value}'] });
    const env = { A: '--cluster=infra/of-the-change.yaml', B: 'x' };
    expect(await submitTo(engine, spec({ env }))).toMatchObject({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringMatching(/the value of A for an option/),
    });
    await expect(scripts.calls()).rejects.toThrow('ENOENT');
  });

  it('is rejected before anything is sent when no process can take it, and when it is too long', async () => {
    const engine = await open();
    for (const env of [{ A: 'a\0b' }, { 'A=B': 'c' }, { '': 'c' }, { 'A\0': 'c' }])
      expect(await submitTo(engine, spec({ env }))).toMatchObject({ kind: 'rejected', code: 'refused' });
    await expect(scripts.calls()).rejects.toThrow('ENOENT');
    expect(await submitTo(engine, spec({ env: { LONG: 'x'.repeat(3 * MB) } }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('could not be started: E2BIG'),
    });
  });

  it('is masked in the message, in every form in which the script prints it', async () => {
    const engine = await open();
    const secret = 'hf_"quoted\' secret';
    await scripts.does('submit', {
      exitCode: 1,
      stderr: `ValueError: ${secret} failed\nError: ${JSON.stringify(secret)} failed\nError: ${encodeURIComponent(secret)} failed\nError: ${Buffer.from(secret).toString('base64')} failed\n`,
    });
    const outcome = await submitTo(engine, spec({ env: { HF_TOKEN: secret } }));
    expect(outcome).toMatchObject({ kind: 'unknown', message: expect.stringContaining('***') });
    expect(JSON.stringify(outcome)).not.toMatch(/quoted|aGZf/);
  });
});

describe('an output of 200 MB', () => {
  const flood = `const line = 'x'.repeat(1023) + '\\n'; let n = 0;
    const more = () => { while (n < 200 * 1024) { n += 1; if (!process.stdout.write(line)) return process.stdout.once('drain', more); } }; more();`;

  it('is cut at the limit and leaves the submit unknown', async () => {
    const engine = await open({ submit: node(flood) });
    expect(await submitTo(engine, spec())).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('output-limit'),
    });
  });
});

describe('a script that does not end', () => {
  it('is killed after its timeout with everything that it started', async () => {
    // The grandchild ignores everything but SIGKILL, and records its pid.
    const grandchild = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)";
    const engine = await open({
      timeoutMs: 5_000,
      submit: node(
        `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' });
         require('node:fs').writeFileSync(process.argv[1] + '/pid', String(child.pid)); setInterval(() => {}, 1e6);`,
        '{checkout}',
      ),
    });
    const started = performance.now();
    expect(await submitTo(engine, spec())).toEqual({ kind: 'unknown', message: 'timed-out: ' });
    expect(performance.now() - started).toBeLessThan(100_000);
    const pid = Number(await readFile(join(await scripts.settings.checkout(), 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    // A zombie that waits for its parent is not alive.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
