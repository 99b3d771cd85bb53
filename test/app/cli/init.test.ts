/** `ferrybot init` in a checkout: what it detects, asks and writes, without a network. */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/app/cli/command-line.ts';
import { workflowFaults, workflowSecretFaults } from '../../../src/app/cli/doctor/facts.ts';
import { listSteps } from '../../../src/app/cli/init/changes.ts';
import { detectLab, guessCandidate, guessCommand } from '../../../src/app/cli/init/detect.ts';
import { listQuestions, readAnswers } from '../../../src/app/cli/init/questions.ts';
import { readLabConfig } from '../../../src/app/config-source.ts';
import { environment } from '../../host/git/scratch-repository.ts';

const PIN = 'fedcba98'.repeat(5);
const NANO = {
  'train.py': "import wandb\nexec(open('configurator.py').read())\n",
  'configurator.py': '',
  'config/daily_gpt.py': 'learning_rate = 6e-4\nmax_iters = 100\n',
  'docs/notes.md': '',
  'README.md': '',
};
const TITAN = {
  'requirements.txt': 'torch\ntorchtitan==0.2\n',
  'train_configs/debug_model.toml': '[optimizer]\nlr = 8e-4\n',
  'launch.sbatch': '#!/bin/bash\n#SBATCH --nodes=2\nsrun torchrun\n',
};
const TRAINER = {
  'pyproject.toml': '[project]\ndependencies = ["transformers>=4", "ray[default]"]\n',
  'train.py': "import argparse\nparser.add_argument('--config')\nimport transformers\n",
  'configs/small.yaml': 'learning_rate: 2.0e-5\n',
};
const LEVANTER = {
  'experiments/daily.py': 'from levanter.main import train\nlr = 3e-3\n',
  'infra/cluster.yaml': 'lr: 1\n',
  'launch.py': 'from iris import client\n',
};

const files = (lab: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(lab));

describe('detection', () => {
  it.each([
    ['nanoGPT', NANO, 'local', 'nanogpt', 'config/daily_gpt.py', 'python3 train.py config/daily_gpt.py'],
    [
      'torchtitan on Slurm',
      TITAN,
      'slurm',
      'torchtitan',
      'train_configs/debug_model.toml',
      'torchrun -m torchtitan.train --job.config_file train_configs/debug_model.toml',
    ],
    [
      'Transformers on Ray',
      TRAINER,
      'ray',
      'transformers',
      'configs/small.yaml',
      'python3 train.py --config configs/small.yaml',
    ],
    ['Levanter on Iris', LEVANTER, 'iris', 'levanter', 'experiments/daily.py', 'python3 experiments/daily.py'],
  ])('of %s finds engine, trainer, experiment and command', (_, lab, engine, trainer, experiment, command) => {
    const detected = detectLab(files(lab));
    expect([detected.engine.value, detected.trainer?.value, detected.experiment?.value]).toEqual([
      engine,
      trainer,
      experiment,
    ]);
    expect(guessCommand(files(lab), trainer, experiment)?.join(' ')).toBe(command);
  });

  it('finds the secrets that the code names, and ships no documents', () => {
    expect(detectLab(files(NANO))).toMatchObject({
      secrets: ['WANDB_API_KEY'],
      ships: ['config', 'configurator.py', 'train.py'],
    });
  });

  it('claims nothing about files without any sign', () => {
    expect(detectLab(files({ 'a.txt': 'words' }))).toMatchObject({
      engine: { value: 'local' },
      trainer: null,
      experiment: null,
      secrets: [],
    });
  });

  it('tries half and twice the learning rate, and nothing without a plain number', () => {
    const knob = { path: 'lr', knob: 'lr', bucket: null, start: 0, end: 0, line: 1, isString: false };
    expect(guessCandidate([{ ...knob, value: '6e-4' }])?.values).toEqual(['0.0012', '0.0003']);
    expect(guessCandidate([{ ...knob, value: 'base' }])).toBeNull();
  });
});

describe('the questions', () => {
  it.each(['local', 'ray', 'slurm', 'iris', 'vast'])('are at most eight for %s', (engine) => {
    const questions = listQuestions(detectLab(files(NANO)), files(NANO), { engine });
    expect(questions.length).toBeLessThanOrEqual(8);
    expect(questions.some(({ flag }) => flag === 'cluster')).toBe(engine !== 'local');
  });

  it.each([
    [{}, '--hours is missing'],
    [{ hours: 'many' }, '--hours many: it is a number'],
    [{ hours: '1', engine: 'kubernetes' }, '--engine kubernetes: it is one of local, ray'],
    [
      { hours: '1', engine: 'ray' },
      '--cluster is missing: Settings of the cluster as KEY=VALUE with blanks between them: dashboard',
    ],
    [{ hours: '1', engine: 'ray', cluster: 'dashbord=http://x' }, '--cluster dashbord=http://x: '],
    [{ hours: '1', experiment: 'none.py' }, '--experiment none.py: none.py is not a file'],
    [{ hours: '1', metric: 'eval/loss' }, '--metric eval/loss: it is KEY lower|higher PERCENT'],
    [{ hours: '1', secrets: 'wandb' }, '--secrets wandb: '],
  ])('with %j name the flag that is missing or wrong', (given, why) => {
    const answers = readAnswers(detectLab(files(NANO)), files(NANO), given);
    expect(answers).toMatchObject({ ok: false });
    expect(JSON.stringify(answers)).toContain(why);
  });

  it('reads settings of a cluster by the types of its engine', () => {
    const cluster = `fleet=lab image=pytorch/pytorch@sha256:${'a'.repeat(64)} gpu="RTX 4090" dollarsPerHourMax=0.50 dollarsMax=6 hoursMax=12`;
    const answers = readAnswers(detectLab(files(NANO)), files(NANO), { engine: 'vast', cluster, hours: '2' });
    expect(answers).toMatchObject({
      ok: true,
      value: {
        cluster: { engine: 'vast', gpu: 'RTX 4090', dollarsMax: '6', hoursMax: 12, acceleratorHoursPerRun: '2' },
      },
    });
  });
});

describe('init in a checkout', () => {
  let root: string;
  let lab: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ferrybot-init-'));
    lab = join(root, 'lab');
    await mkdir(lab);
    await execa('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: lab });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function put(contents: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(contents)) {
      await mkdir(dirname(join(lab, path)), { recursive: true });
      await writeFile(join(lab, path), text);
    }
  }

  async function init(args: readonly string[], typed: readonly string[] | null = null, pin = ['--pin', PIN]) {
    let [out, err] = ['', ''];
    const stdin = Readable.from(typed === null ? [] : typed.map((line) => `${line}\n`));
    const code = await runCommandLine(['init', ...pin, '--name', 'Olga', '--email', 'olga@lab.example', ...args], {
      stdin: typed === null ? stdin : Object.assign(stdin, { isTTY: true }),
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
      cwd: lab,
      environment: { ...environment, HOME: join(root, 'home') },
    });
    return { code, out, err };
  }
  const read = (path: string): Promise<string> => readFile(join(lab, path), 'utf8');
  const config = async () => {
    const reading = readLabConfig(await read('.github/ferrybot.yml'));
    if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
    return reading;
  };
  async function workflows(): Promise<ReadonlyMap<string, string>> {
    const names = await readdir(join(lab, '.github/workflows'));
    return new Map(
      await Promise.all(
        names.map(async (name) => [`.github/workflows/${name}`, await read(`.github/workflows/${name}`)] as const),
      ),
    );
  }
  const lines = (text: string): number => text.trimEnd().split('\n').length;

  it.each([
    ['nanoGPT', NANO, ['--hours', '1']],
    ['torchtitan', TITAN, ['--hours', '16', '--cluster', 'folder=/shared/ferrybot partition=gpu']],
    ['Transformers', TRAINER, ['--hours', '2', '--cluster', 'dashboard=http://10.0.0.2:8265', '--secrets', 'HF_TOKEN']],
    ['Levanter', LEVANTER, ['--hours', '2', '--cluster', 'controller=http://10.0.0.2:10000 user=lab']],
  ])('writes a short valid config and short workflows for %s', async (_, contents, args) => {
    await put(contents);
    const done = await init(args);
    expect([done.code, done.err]).toEqual([0, '']);
    const text = await read('.github/ferrybot.yml');
    const { config: written, warnings } = await config();
    expect(warnings.map(({ code }) => code)).toEqual([]);
    expect(lines(text)).toBeLessThanOrEqual(40);
    // Each block begins with a comment.
    expect(text.split('\n\n').filter((block) => !block.startsWith('#'))).toEqual([]);
    const found = await workflows();
    expect([...found.keys()].map((path) => path.split('/').at(-1)).sort()).toEqual(
      ['chat', 'daily', 'launch', 'stop', 'watch', 'watchdog'].map((name) => `ferrybot-${name}.yml`),
    );
    for (const workflow of found.values()) {
      expect(lines(workflow)).toBeLessThanOrEqual(25);
      expect(workflow).toContain(`uses: ferrybot/ferrybot@${PIN} # v0.1.0\n`);
    }
    expect(workflowFaults(written, found, false)).toEqual([]);
    expect(workflowSecretFaults(written, found)).toEqual([]);
    expect(await init(['--json']).then(({ out }) => JSON.parse(out))).toMatchObject({ ok: true });
  });

  it('keeps private keys in files outside of the checkout that only this user can read', async () => {
    await put(NANO);
    const { out, err } = await init(['--hours', '1']);
    const folder = join(root, 'home/.config/ferrybot/lab');
    for (const role of ['control', 'runner', 'watch']) {
      expect((await stat(join(folder, `${role}.pem`))).mode & 0o777).toBe(0o600);
      const [secret = ''] = (await readFile(join(folder, `${role}.pem`), 'utf8')).match(/^MC\S+/m) ?? [];
      expect(secret).not.toBe('');
      expect(out + err).not.toContain(secret);
      const { stdout } = await execa('grep', ['-r', secret, lab], { reject: false });
      expect(stdout).toBe('');
    }
    const refused = await init(['--hours', '1', '--keys', join(lab, 'keys')]);
    expect(refused.code).toBe(0);
    await rm(join(lab, '.github'), { recursive: true });
    expect(await init(['--hours', '1', '--keys', join(lab, 'keys')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('private keys do not belong into the checkout'),
    });
  });

  it('changes nothing when it runs again, and never overwrites without --upgrade and a yes', async () => {
    await put(NANO);
    await init(['--hours', '1']);
    const before = await read('.github/ferrybot.yml');
    const path = '.github/workflows/ferrybot-daily.yml';
    const edited = (await read(path)).replace('17 6 * * *', '5 4 * * *');
    await writeFile(join(lab, path), edited);
    expect((await init([])).out).toContain(`${path}: differs from the release`);
    expect(await read(path)).toBe(edited);
    const declined = await init(['--upgrade'], ['n']);
    expect(declined.code).toBe(1);
    expect(declined.err).toContain('+on: {schedule: [{cron: 17 6 * * *}]');
    expect(await read(path)).toBe(edited);
    const accepted = await init(['--upgrade'], ['y']);
    expect(accepted).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${path}: replaced by the file of the release`),
    });
    expect(await read(path)).toContain('17 6 * * *');
    expect(await read('.github/ferrybot.yml')).toBe(before);
  });

  it('upgrades the pin of every workflow, and keeps the pin without --upgrade', async () => {
    await put(NANO);
    await init(['--hours', '1']);
    const newer = '01234567'.repeat(5);
    await rm(join(lab, '.github/workflows/ferrybot-stop.yml'));
    for (const [file, text] of await workflows()) await writeFile(join(lab, file), text.replaceAll(PIN, newer));
    expect((await init([], null, [])).code).toBe(0);
    expect(await read('.github/workflows/ferrybot-stop.yml')).toContain(`@${newer} # v0.1.0`);
    expect((await init(['--upgrade', '--yes'])).code).toBe(0);
    for (const text of (await workflows()).values()) expect(text).not.toContain(newer);
  });

  it('asks at a terminal, with the guesses as answers, and asks again after a wrong one', async () => {
    await put(NANO);
    const done = await init([], ['', 'many', 'y', '2.5', '', '', 'loss lower 5', '', 'yes']);
    expect([done.code, done.out.slice(0, 40)]).toEqual([0, expect.stringContaining('written')]);
    expect(done.err.match(/\?[^?\n]*\] |\? /g)?.length).toBeLessThanOrEqual(9);
    const { config: written } = await config();
    expect(written).toMatchObject({
      approvals: { onePersonIsEnough: true },
      clusters: { local: { acceleratorHoursPerRun: '2.5' } },
      lanes: { daily: { metrics: [{ key: 'loss', better: 'lower', tolerancePercent: '5' }] } },
    });
  });

  it('prints the plan as JSON and writes nothing', async () => {
    await put(NANO);
    const plan = JSON.parse((await init(['--hours', '1', '--json'])).out);
    expect(plan).toMatchObject({
      ok: true,
      files: expect.arrayContaining([{ path: '.github/ferrybot.yml', state: 'new' }]),
    });
    expect(plan.steps.length).toBeLessThanOrEqual(12);
    await expect(stat(join(lab, '.github'))).rejects.toThrow('ENOENT');
  });

  it('is a usage error outside of a checkout and without a needed flag, and refuses an invalid config', async () => {
    await put(NANO);
    expect(await init([])).toMatchObject({ code: 2, err: expect.stringContaining('--hours is missing') });
    await put({ '.github/ferrybot.yml': 'version: 2\n' });
    expect(await init([])).toMatchObject({ code: 1, err: expect.stringContaining('.github/ferrybot.yml:1: ') });
    await rm(join(lab, '.git'), { recursive: true });
    expect(await init([])).toMatchObject({ code: 2, err: expect.stringContaining('runs in a checkout') });
  });

  it.each([
    ['local', []],
    ['ray', ['--cluster', 'dashboard=http://10.0.0.2:8265']],
    ['slurm', ['--cluster', 'folder=/shared/ferrybot']],
  ])('leaves at most twelve steps to people with %s', async (engine, args) => {
    await put(NANO);
    await init(['--hours', '1', '--engine', engine, ...args]);
    const { config: written } = await config();
    const steps = listSteps({
      config: written,
      hasNewFiles: true,
      applied: null,
      app: null,
      stateDirectory: '/var/lib/ferrybot',
    });
    expect(steps.length).toBeLessThanOrEqual(12);
  });
});
