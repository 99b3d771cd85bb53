/**
 * The scripts transport with well-behaved scripts: which of their output is trusted, and what they can see.
 */

import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobObservation, JobSpec } from '../../src/domain/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { IN_VARIABLES } from '../../src/engines/ray/job-details.ts';
import type { ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { identityFields } from '../../src/engines/shared/kit.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type StandIn, type StandInBehaviour } from '../support/stand-in-scripts.ts';

const METADATA = { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` };
const NAMES_ID: StandInBehaviour = {
  starts: true,
  stderr: 'I20261121 09:00:00 1 __main__ Job submitted with ID: {id}\n',
};
const SOMEBODY = {
  type: 'SUBMISSION',
  submission_id: 'somebody',
  status: 'RUNNING',
  metadata: {},
  runtime_env: { env_vars: {} },
};

let scripts: StandIn;
const open = async (changes: Partial<ScriptTemplates> = {}): Promise<Engine> => {
  scripts = await openStandIn(changes);
  return scripts.engine();
};
const spec = (changes: Partial<JobSpec> = {}): JobSpec => ({
  submissionId: 'ferry-1',
  command: ['python3', 'a.py', '{braces} and spaces'],
  env: { FERRY_DATE: '20261121', HF_TOKEN: 'hf-secret-of-the-job' },
  workingDirectory: scripts.tree,
  metadata: METADATA,
  ...changes,
});
const verbs = async (): Promise<readonly string[]> => (await scripts.calls()).map(({ verb }) => verb);
afterEach(() => scripts.close());

describe('a submit', () => {
  it.each([
    ['standard error', NAMES_ID],
    ['standard output', { starts: true, stdout: 'Job submitted with ID: {id}\n' }],
    ['colours', { starts: true, stderr: '\u001b[32mJob submitted with ID: {id}\u001b[39m\n' }],
  ])('takes the id from %s and verifies it', async (_, doing) => {
    const engine = await open();
    await scripts.does('submit', doing);
    expect(await submitTo(engine, spec())).toMatchObject({
      kind: 'submitted',
      job: { engine: 'ray', jobId: 'ferry-1', metadata: METADATA, session: 'session_1' },
    });
    expect(await verbs()).toEqual(['submit']);
  });

  it('gives the script only the job: no token, no secret in the arguments, and a separate home', async () => {
    const engine = await open();
    process.env['GITHUB_TOKEN'] = 'ghs_0123456789012345678901234567890123456';
    await scripts.does('submit', NAMES_ID);
    await submitTo(engine, spec());
    delete process.env['GITHUB_TOKEN'];
    const [call] = await scripts.calls();
    expect(call?.args).toEqual([
      'ferry-1',
      ...['-e', 'FERRY_DATE=20261121'],
      ...Object.entries(identityFields(METADATA, IN_VARIABLES)).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      '--',
      ...['python3', 'a.py', '{braces} and spaces'],
    ]);
    expect(Object.keys(call?.env ?? {}).toSorted()).toEqual([
      'GIT_CEILING_DIRECTORIES',
      'HF_TOKEN',
      'HOME',
      'PATH',
      'RAY_AUTH_TOKEN',
      'RAY_RUNTIME_ENV_IGNORE_GITIGNORE',
    ]);
    expect(call?.cwd).toBe(scripts.tree);
    expect(call?.home).toEqual({ mode: 0o700, files: { '.ssh': 0o700, '.ssh/cluster.pem': 0o600 } });
    expect(await readdir(scripts.homes)).toEqual([]);
  });

  it("gives git in the script the job's commit, and no file listing that would ship less than all", async () => {
    const engine = await open();
    await scripts.does('submit', NAMES_ID);
    const commit = '0123456789abcdef0123456789abcdef01234567';
    await submitTo(engine, spec({ env: { GIT_COMMIT: commit } }));
    await submitTo(engine, spec({ submissionId: 'ferry-2', env: { GIT_COMMIT: '--help' } }));
    const [given, other] = (await scripts.calls()).filter(({ verb }) => verb === 'submit');
    expect(given?.git).toEqual({ commit, listing: 128 });
    expect(given?.args).toContain(`GIT_COMMIT=${commit}`);
    expect(other?.git).toEqual({ commit: '', listing: 128 });
  });

  it.each<[string, StandInBehaviour]>([
    ['fails after it has submitted', { starts: true, exitCode: 1, stderr: 'TimeoutError: no answer\n' }],
    ['prints nothing', { starts: true }],
    ['does not end', { starts: true, hangs: true, stderr: 'Job submitted with' }],
    ['reports that the id exists', { starts: true, exitCode: 1, stderr: 'ValueError: ferry-1 already exists\n' }],
  ])('adopts the job that it finds when the script %s', async (_, doing) => {
    const engine = await open({ timeoutMs: 2_000 });
    await scripts.does('submit', doing);
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'adopted', job: { jobId: 'ferry-1' } });
    expect((await verbs()).filter((verb) => verb === 'submit')).toHaveLength(1);
  });

  it('starts nothing when a job with that id exists', async () => {
    const engine = await open();
    await scripts.jobs([
      { ...SOMEBODY, submission_id: 'ferry-1', runtime_env: { env_vars: identityFields(METADATA, IN_VARIABLES) } },
    ]);
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'adopted' });
    await scripts.jobs([{ ...SOMEBODY, submission_id: 'ferry-1' }]);
    expect(await submitTo(engine, spec())).toEqual({ kind: 'conflict', found: null });
    await expect(verbs()).rejects.toThrow('ENOENT');
  });

  it('is unknown when the script failed and no job is found', async () => {
    const engine = await open();
    await scripts.jobs([SOMEBODY]);
    await scripts.does('submit', { exitCode: 1, stderr: 'ConnectionError: HF_TOKEN=hf-secret-of-the-job refused\n' });
    expect(await submitTo(engine, spec())).toEqual({
      kind: 'unknown',
      message: 'exit code 1: ConnectionError: HF_TOKEN=*** refused',
    });
  });

  it('is rejected when the script failed before or at the request and the dashboard shows no job', async () => {
    const engine = await open();
    await scripts.does('submit', { exitCode: 1, stderr: "E1 __main__ Command must start with '--'.\n" });
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'rejected', code: 'refused' });
    await scripts.does('submit', {
      exitCode: 1,
      stderr: 'ray.exceptions.AuthenticationError: Authentication failed: Forbidden: Invalid authentication token\n',
    });
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'rejected', code: 'unauthorized' });
  });

  it('reports a script that submits under another id', async () => {
    const engine = await open();
    await scripts.does('submit', { stderr: 'Job submitted with ID: ray-run-somebody-1\n' });
    expect(await submitTo(engine, spec())).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('ray-run-somebody-1 instead of ferry-1'),
    });
    const both = 'Job submitted with ID: ray-run-somebody-1\nJob submitted with ID: {id}\n';
    await scripts.does('submit', { starts: true, stderr: both });
    expect(await submitTo(engine, spec())).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('ray-run-somebody-1 beside ferry-1'),
    });
    // Our own job exists as well, and the next submit finds it.
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'adopted', job: { jobId: 'ferry-1' } });
  });

  it('rejects an invalid id, command, variable or tree before a script starts', async () => {
    const engine = await open();
    expect(await submitTo(engine, spec({ submissionId: '--help' }))).toMatchObject({ code: 'bad-submission-id' });
    expect(await submitTo(engine, spec({ command: [] }))).toMatchObject({ code: 'empty-command' });
    expect(await submitTo(engine, spec({ env: { TOKEN: 'a$HOME' } }))).toMatchObject({ code: 'refused' });
    await scripts.jobs([SOMEBODY]);
    expect(await submitTo(engine, spec({ workingDirectory: join(scripts.tree, 'gone') }))).toMatchObject({
      kind: 'rejected',
      code: 'refused',
    });
    await expect(verbs()).rejects.toThrow('ENOENT');
  });

  it('starts nothing while the dashboard does not answer', async () => {
    await open();
    const unknown: JobObservation = { kind: 'unknown', message: 'connection refused' };
    const rest: Engine = {
      name: 'rest',
      session: async () => ({ kind: 'unknown', message: '' }),
      submit: async () => ({ kind: 'unknown', message: 'not asked' }),
      observe: async () => unknown,
      describe: async () => ({ kind: 'unknown', message: 'not asked' }),
      readLog: async () => ({ kind: 'absent' }),
      stop: async () => ({ kind: 'absent' }),
    };
    const engine = createRayEngine({ rest, scripts: scripts.settings, dashboard: 'http://d' });
    expect(await submitTo(engine, spec())).toEqual({
      kind: 'unknown',
      message: 'nothing was submitted: connection refused',
    });
    await expect(verbs()).rejects.toThrow('ENOENT');
  });
});

describe('uv', () => {
  const other = [process.execPath];

  it('is bypassed when it is missing or not executable', async () => {
    const engine = await open({ python: ['/nowhere/uv', 'run'], pythonWithoutUv: other });
    await scripts.does('submit', NAMES_ID);
    expect(await submitTo(engine, spec())).toMatchObject({ kind: 'submitted' });
    await scripts.close();
    const again = await open({ python: ['{checkout}/uv', 'run'], pythonWithoutUv: other });
    const uv = join(await scripts.settings.checkout(), 'uv');
    await writeFile(uv, '#!/bin/sh\nexit 0\n');
    await chmod(uv, 0o644);
    await scripts.does('submit', NAMES_ID);
    expect(await submitTo(again, spec())).toMatchObject({ kind: 'submitted' });
  });

  it('is not bypassed once it has started, whatever it prints', async () => {
    const engine = await open({
      python: [process.execPath, '-e', 'console.error("error: Failed to fetch"); process.exit(2)'],
      pythonWithoutUv: other,
    });
    expect(await submitTo(engine, spec())).toEqual({ kind: 'unknown', message: 'exit code 2: error: Failed to fetch' });
    await expect(verbs()).rejects.toThrow('ENOENT');
  });
});
