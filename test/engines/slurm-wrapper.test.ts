/**
 * The script that Slurm starts, started here without Slurm: one start, the job's own environment, and a
 * record of the end.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import { type JobPaths, jobPaths, readJobRecords } from '../../src/engines/slurm/job-folder.ts';
import { claimOnSlurm } from '../../src/engines/slurm/submit.ts';
import { slurmConfig } from '../support/slurm-config.ts';

let folder: string;
let paths: JobPaths;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-wrapper-'));
  paths = jobPaths(join(folder, 'jobs'), 'job-1');
  await mkdir(join(folder, 'tree'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function claimed(command: readonly string[], changes: Partial<JobSpec> = {}, settings = {}): Promise<void> {
  const cluster = slurmConfig({ folder: join(folder, 'jobs'), ...settings });
  const host = { cluster, env: {}, uid: 0, now: Date.now, sleep };
  await claimOnSlurm(host, {
    submissionId: 'job-1',
    command,
    env: {},
    workingDirectory: join(folder, 'tree'),
    metadata: { run: 'r', attempt: 1, manifest: 'sha256:aa' },
    ...changes,
  });
}

type Start = { readonly id?: number; readonly mode?: string; readonly env?: Readonly<Record<string, string>> };

function launch({ id = 7, mode = 'once', env = {} }: Start): ChildProcess {
  return spawn('bash', [paths.wrapper, paths.folder, mode], {
    env: { SLURM_JOB_ID: String(id), SLURMD_NODENAME: 'n1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function start(how: Start = {}): Promise<{ readonly code: number; readonly said: string }> {
  const child = launch(how);
  let said = '';
  child.stderr?.on('data', (chunk: Uint8Array) => {
    said += String(chunk);
  });
  const [code] = await once(child, 'close');
  return { code: Number(code), said };
}

const log = (): Promise<string> => readFile(paths.log, 'utf8');
const ONCE = ['echo', 'started'];

it('starts the command for only one of the Slurm jobs submitted under one id, at any moment', async () => {
  await claimed(ONCE);
  const ends = await Promise.all([11, 12, 13, 14, 15].map((id) => start({ id })));
  expect(await log()).toBe('started\n');
  // The other jobs have nothing to do and exit with 0.
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect((await start({ id: 16 })).code).toBe(0);
  expect(await log()).toBe('started\n');
});

it('refuses a second start under the same Slurm id, which a controller with lost state would make', async () => {
  await claimed(ONCE);
  expect((await start()).code).toBe(0);
  await writeFile(paths.environment, '');
  expect(await start()).toMatchObject({ code: 1, said: expect.stringMatching(/was started before/) });
  expect(await log()).toBe('started\n');
});

it('starts nothing for a job that was stopped before', async () => {
  await claimed(ONCE);
  await writeFile(paths.owner, 'stopped\n');
  expect((await start()).code).toBe(0);
  await expect(access(paths.log)).rejects.toThrow(/ENOENT/);
});

it('starts once per restart of Slurm when restarts were approved', async () => {
  await claimed(ONCE, {}, { mayRequeue: true });
  const again = { mode: 'restarts', env: { SLURM_RESTART_COUNT: '1' } };
  await start({ mode: 'restarts' });
  expect((await start({ ...again, mode: 'once' })).said).toMatch(/was not approved/);
  expect((await start(again)).code).toBe(0);
  expect((await start(again)).code).toBe(1);
  expect((await start({ ...again, id: 8 })).code).toBe(0);
  expect(await log()).toBe('started\nstarted\n');
  expect(await readJobRecords(paths)).toMatchObject({
    records: { commandStart: { restart: 1 }, commandEnd: { code: 0 } },
  });
});

it('refuses to run in a job array or a heterogeneous job', async () => {
  await claimed(ONCE);
  for (const env of [{ SLURM_ARRAY_JOB_ID: '7' }, { SLURM_HET_SIZE: '2' }])
    expect((await start({ env })).said).toMatch(/job array or a heterogeneous job/);
  expect((await readdir(paths.folder)).filter((name) => name.startsWith('begin'))).toEqual([]);
});

it('passes every value unchanged and nothing from the account', async () => {
  const env = { A: '$(touch x) `id` "\'\\\n,;| ü', command: 'a', environment: 'b', folder: 'c', IFS: ',' };
  await claimed([process.execPath, '-p', 'JSON.stringify([process.env, process.argv.slice(1)])', '$HOME *', '-x'], {
    env,
  });
  expect((await stat(paths.environment)).mode & 0o777).toBe(0o600);
  expect((await stat(paths.folder)).mode & 0o777).toBe(0o700);
  const account = { SLURM_EXPORT_ENV: 'NIL', TOKEN: 'of-the-account', 'BASH_FUNC_echo%%': '() { :; }' };
  await start({ env: { ...account, CUDA_VISIBLE_DEVICES: '0,1', PATH: '/nowhere:/usr/bin:/bin' } });
  const [seen, args] = JSON.parse(await log());
  const { PWD: _, _: _self, SHLVL: _level, ...own } = seen;
  expect(own).toEqual({
    ...env,
    LANG: 'C.UTF-8',
    FERRYBOT_SUBMISSION_ID: 'job-1',
    CUDA_VISIBLE_DEVICES: '0,1',
    HOME: join(paths.folder, 'home'),
    PATH: '/usr/local/bin:/usr/bin:/bin',
    SLURM_JOB_ID: '7',
    SLURMD_NODENAME: 'n1',
  });
  expect(args).toEqual(['$HOME *', '-x']);
  await expect(access(paths.environment)).rejects.toThrow(/ENOENT/);
});

it('loads modules before the command, and starts nothing when a module is missing', async () => {
  const init = join(folder, 'modules.sh');
  await writeFile(init, 'module() { [[ $1 == load && $2 == cuda/12.4 ]] && export CUDA_HOME=/opt/cuda; }\n');
  await claimed(['bash', '-c', 'echo "$CUDA_HOME"'], {}, { modules: { init, load: ['cuda/12.4'] } });
  await start();
  expect(await log()).toBe('/opt/cuda\n');
  await rm(paths.folder, { recursive: true });
  await claimed(ONCE, {}, { modules: { init, load: ['other'] } });
  expect((await start()).said).toMatch(/modules could not be loaded/);
  await expect(access(paths.log)).rejects.toThrow(/ENOENT/);
});

it('records how the command ended, also when Slurm ends it', async () => {
  await claimed(['bash', '-c', 'exit 7']);
  expect((await start()).code).toBe(7);
  expect(await readJobRecords(paths)).toMatchObject({
    records: { commandEnd: { code: 7 }, commandStart: { node: 'n1' } },
  });
  await rm(paths.folder, { recursive: true });
  await claimed(['bash', '-c', "trap 'sleep 0.3; exit 9' TERM; echo up; while :; do sleep 0.05; done"]);
  const child = launch({});
  while ((await log().catch(() => '')) === '') await sleep(20);
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(child.exitCode).toBe(9);
  expect(await readJobRecords(paths)).toMatchObject({ records: { commandEnd: { code: 9 } } });
});
