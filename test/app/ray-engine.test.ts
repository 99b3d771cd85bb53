/**
 * The Ray engine as this process assembles it: what its scripts can see, where the scripts come from, and
 * when the engine is created again.
 */

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { createEngines, type Engines, launcherCheckout } from '../../src/app/engines.ts';
import { GitError, type GitExporter, type GitReader } from '../../src/domain/git.ts';
import { brandAs, isSha } from '../../src/domain/values.ts';
import { loadAdapters } from '../../src/engines/registry.ts';
import type { LabConfig } from '../../src/run/lane.ts';
import { replaceInConfig } from '../config/small-config.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type StandIn } from '../support/stand-in-scripts.ts';

let scripts: StandIn;
let engines: Engines;
let asked: (readonly string[])[];
let isGitAway = false;

const configWith = (keys: string): LabConfig => {
  const reading = readLabConfig(
    replaceInConfig(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      `local: { engine: ray, acceleratorHoursPerRun: "2.5", ${keys} }`,
    ),
  );
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  return reading.config;
};
const SCRIPT = '"{python}", "{checkout}/script.mjs", "{checkout}"';
const scriptsAt = (
  dashboard: string,
): string => `dashboard: "${dashboard}", tokenFrom: LAB_RAY_TOKEN, passVariables: [UV_CACHE_DIR], homeFiles: { .ssh/id: LAB_KEY },
    scripts: { python: [${JSON.stringify(process.execPath)}], checkout: [scripts/ray],
      submit: [${SCRIPT}, submit, "{submissionId}", "{environment}", "--", "{command}"] }`;
const SPEC = {
  submissionId: 'ferry-1',
  command: ['python3', 'a.py'],
  env: { WANDB_API_KEY: 'wandb-of-the-job' },
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` },
};

beforeEach(async () => {
  scripts = await openStandIn();
  asked = [];
  engines = createEngines({
    adapters: await loadAdapters(),
    stateDirectory: join(scripts.tree, 'state'),
    temporaryDirectory: scripts.homes,
    environment: {
      PATH: process.env['PATH'],
      GITHUB_TOKEN: 'ghs_0123456789012345678901234567890123456',
      FERRYBOT_RUNNER_KEY: 'key of the runner',
      LAB_RAY_TOKEN: 'ray-token-of-the-lab',
      LAB_KEY: 'key of the cluster',
      UV_CACHE_DIR: '/var/cache/uv',
      WANDB_API_KEY: 'wandb-of-the-runner',
    },
    now: Date.now,
    checkoutOf: async (_config, paths) => {
      asked.push(paths);
      if (isGitAway) throw new GitError('unreachable', 'the remote is away');
      return scripts.settings.checkout();
    },
  });
});
afterEach(async () => {
  await engines.close();
  await scripts.close();
});

it('passes to scripts what the config names and nothing else of the runner, such as tokens and keys', async () => {
  const engine = engines.engineOf(configWith(scriptsAt(scripts.address)), 'local');
  await scripts.does('submit', { starts: true, stderr: 'Job submitted with ID: {id}\n' });
  if (engine === null) throw new Error('the cluster has an engine');
  const outcome = await submitTo(engine, { ...SPEC, workingDirectory: scripts.tree });
  expect(outcome).toMatchObject({ kind: 'submitted' });
  const [submit] = await scripts.calls();
  expect(submit?.env).toMatchObject({
    RAY_AUTH_MODE: 'token',
    RAY_AUTH_TOKEN: 'ray-token-of-the-lab',
    UV_CACHE_DIR: '/var/cache/uv',
    WANDB_API_KEY: 'wandb-of-the-job',
  });
  expect(JSON.stringify(await scripts.calls())).not.toMatch(/ghs_|key of the runner|wandb-of-the-runner|LAB_RAY_TOKEN/);
  // The token is also a file, without any setting: Marin's scripts read only the file.
  expect(submit?.home.files).toMatchObject({ '.ssh/id': 0o600, '.ray': 0o700, '.ray/auth_token': 0o600 });
  expect(submit?.env['RAY_AUTH_TOKEN_PATH']).toBe(`${submit?.env['HOME']}/.ray/auth_token`);
  // Read once: the scripts must not change during a launch.
  expect(asked).toEqual([['scripts/ray']]);
});

it('reads the scripts again after a git failure, because a watch lives for a day', async () => {
  const engine = engines.engineOf(configWith(scriptsAt(scripts.address)), 'local');
  if (engine === null) throw new Error('the cluster has an engine');
  const spec = { ...SPEC, workingDirectory: scripts.tree };
  isGitAway = true;
  await expect(submitTo(engine, spec)).rejects.toThrow('the remote is away');
  isGitAway = false;
  expect(await submitTo(engine, spec)).toMatchObject({ kind: 'unknown' });
  expect(asked).toHaveLength(2);
});

it('returns the same engine for an equal config, and none for a cluster that the config does not name', () => {
  const config = configWith('dashboard: "http://127.0.0.1:1"');
  const engine = engines.engineOf(config, 'local');
  const readAgain = configWith('dashboard: "http://127.0.0.1:1"');
  expect(engines.engineOf(readAgain, 'local')).toBe(engine);
  const other = engines.engineOf(configWith('dashboard: "http://127.0.0.1:2"'), 'local');
  expect(other).not.toBe(engine);
  expect(engines.engineOf(config, 'elsewhere')).toBeNull();
});

it('exports the scripts of the default branch, each time into a new folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-checkout-'));
  const exported: unknown[] = [];
  const tip = brandAs('a'.repeat(40), isSha);
  const git: Pick<GitReader, 'resolve'> & GitExporter = {
    resolve: async (ref) => (ref === 'refs/heads/main' ? tip : null),
    exportTree: async (commit, paths, directory) => {
      exported.push([commit, paths]);
      expect(await readdir(directory)).toEqual([]);
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
      await writeFile(join(directory, 'launcher.py'), '');
      return { files: [], submodules: [], ids: {} };
    },
  };
  try {
    const target = await launcherCheckout(git, 'main', [], folder);
    expect(await launcherCheckout(git, 'main', [], folder)).not.toBe(target);
    const part = await launcherCheckout(git, 'main', ['scripts/ray'], folder);
    expect(exported).toEqual([
      [tip, ['.']],
      [tip, ['.']],
      [tip, ['scripts/ray']],
    ]);
    expect(await readdir(part)).toEqual(['launcher.py']);
    await expect(launcherCheckout(git, 'change', [], folder)).rejects.toThrow('no branch change');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
