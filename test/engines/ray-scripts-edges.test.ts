/** The scripts transport at its edges: values that look like something else, floods, and programs that do not end. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import { IN_VARIABLES } from '../../src/engines/ray/job-details.ts';
import type { ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { identityTexts } from '../../src/engines/shared/identity.ts';
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

  it('reaches the script as it is, whatever it looks like, in the place that is its own', async () => {
    const engine = await open();
    await scripts.does('submit', { starts: true, stderr: 'Job submitted with ID: {id}\n' });
    const env = Object.fromEntries(HOSTILE.map((value, index) => [`V${index}`, value]));
    expect(await submitTo(engine, spec({ command: ['python3', ...HOSTILE], env }))).toMatchObject({
      kind: 'submitted',
    });
    const call = (await scripts.calls()).find(({ verb }) => verb === 'submit');
    const variables = { ...env, ...identityTexts(METADATA, IN_VARIABLES) };
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
  it('that the script would take for an option, where each stands alone, is refused before anything is sent', async () => {
    const engine = await open({ environment: ['-e', '{name}', '{value}'] });
    const env = { A: '--cluster=infra/of-the-change.yaml', B: 'x' };
    expect(await submitTo(engine, spec({ env }))).toMatchObject({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringMatching(/the value of A for an option/),
    });
    await expect(scripts.calls()).rejects.toThrow('ENOENT');
  });

  it('that no process can be given is refused before anything is sent, and one that is too long is told', async () => {
    const engine = await open();
    for (const env of [{ A: 'a\0b' }, { 'A=B': 'c' }, { '': 'c' }, { 'A\0': 'c' }])
      expect(await submitTo(engine, spec({ env }))).toMatchObject({ kind: 'rejected', code: 'refused' });
    await expect(scripts.calls()).rejects.toThrow('ENOENT');
    expect(await submitTo(engine, spec({ env: { LONG: 'x'.repeat(3 * MB) } }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('could not be started: E2BIG'),
    });
  });

  it('is in no message, though the script shouts it in every form', async () => {
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

describe('a flood of 200 MB', () => {
  const flood = `const line = 'x'.repeat(1023) + '\\n'; let n = 0;
    const more = () => { while (n < 200 * 1024) { n += 1; if (!process.stdout.write(line)) return process.stdout.once('drain', more); } }; more();`;

  it('in the answer to a submit is cut, soon and with nothing concluded', async () => {
    const engine = await open({ submit: node(flood) });
    expect(await submitTo(engine, spec())).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('output-limit'),
    });
  });
});

describe('a script that does not end', () => {
  it('is ended in time with everything that it started', async () => {
    // The grandchild ignores everything but a kill, and says who it is.
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
    // What has ended and waits for its parent is not alive.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
