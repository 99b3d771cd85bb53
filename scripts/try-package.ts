/**
 * `npm run package`: packs the package, installs it into an empty folder, and uses it there on the oldest Node as a new user would: the verbs
 * of a terminal, a lab adopted from an empty repository to a sealed ferry, and a whole ferry of the example lab. It fails with the first thing that does not work.
 */

import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { openAdoption } from '../test/trust/adoption-world.ts';
import { bundledAction } from '../test/trust/bundle-world.ts';

const ROOT = join(import.meta.dirname, '..');
const BYTES_MAX = 15_000_000;
const FERRY_TIMEOUT_MS = 10 * 60_000;
/** What a person still has to do after `init --apply`. */
const STEPS_MAX = 12;
const LOG = 'Traceback (most recent call last):\nRuntimeError: CUDA out of memory\n';

const folder = await mkdtemp(join(tmpdir(), 'ferrybot-package-'));
/** The oldest Node that the package supports, and no program of this checkout. */
const PATH = [join(folder, 'oldest/node_modules/node/bin'), process.env['PATH'] ?? ''].join(delimiter);
try {
  await tryPackage(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tryPackage(home: string): Promise<void> {
  const packed = await execa(process.execPath, [join(ROOT, 'scripts/pack-package.ts'), home]);
  const tarball = basename(packed.stdout);
  const { size } = await stat(join(home, tarball));
  check(size <= BYTES_MAX, `the package has ${size} bytes, at most ${BYTES_MAX} are allowed`);
  await writeFile(join(home, 'package.json'), '{"private":true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', join(home, tarball)], { cwd: home });
  const installed = await readdir(join(home, 'node_modules'));
  const alone = installed.filter((name) => !name.startsWith('.'));
  check(alone.join() === 'ferrybot', `the package brings other packages: ${alone.join(', ')}`);
  await installOldestNode(home);

  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  check((await ferrybot(home, ['--version'])).stdout === version, '--version prints another version');
  const classified = await ferrybot(home, ['classify', '--json'], LOG);
  check(JSON.parse(classified.stdout).class === 'oom-hbm', 'classify does not read a log');
  const daily = join(ROOT, 'fixtures/lab/experiments/ferries/daily.py');
  const delta = await ferrybot(home, ['delta', daily, daily, '--json']);
  check(JSON.parse(delta.stdout).kind === 'none', 'delta does not read Python');
  const checked = await ferrybot(home, ['check-config', 'none.yml', '--json']);
  check(checked.exitCode !== 0, 'check-config accepts a file that does not exist');
  const doctor = await ferrybot(home, ['doctor', '--json']);
  check(JSON.parse(doctor.stdout).ok === false, 'doctor needs no token');
  await playRehearsal(home);
  await adoptLab(home);
  const ferry = await ferrybot(home, ['demo', '--auto', '--json', '--port', '0']);
  check(JSON.parse(ferry.stdout).ok === true, `the ferry of the example lab failed: ${ferry.stderr}`);
  console.log(`${tarball}: ${(size / 1e6).toFixed(1)} MB, a ferry was sealed`);
}

/** As `engines` of the package has it. */
async function installOldestNode(home: string): Promise<void> {
  const manifest = await readFile(join(home, 'node_modules/ferrybot/package.json'), 'utf8');
  const oldest = `${JSON.parse(manifest).engines.node.replace('>=', '')}.0`;
  const cwd = join(home, 'oldest');
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), '{"private":true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', `node@${oldest}`], { cwd });
  const { stdout } = await execa('node', ['--version'], { env: { PATH } });
  check(stdout === `v${oldest}`, `the oldest Node is ${stdout}`);
}

/** Sets an empty repository up with the installed package's `init`, and does what it prints up to the seal. */
async function adoptLab(home: string): Promise<void> {
  const root = join(home, 'adoption');
  await mkdir(root);
  const lab = await openAdoption(root, await bundledAction(root), async (args, { cwd, env }) => {
    const done = await execa(join(home, 'node_modules/.bin/ferrybot'), args, {
      cwd,
      env: { ...env, PATH },
      reject: false,
    });
    return { code: done.exitCode ?? 1, out: done.stdout, err: done.stderr };
  });
  try {
    const answers = ['--hours', '0.01', '--metric', 'eval/loss lower 2', '--pin', 'fedcba98'.repeat(5)];
    const { steps } = JSON.parse((await lab.init([...answers, '--apply', '--yes', '--json'])).out);
    check(steps.length <= STEPS_MAX, `init leaves ${steps.length} steps to a person`);
    for (const step of steps) await lab.takeStep(step);
    check((await lab.sealTags()).length === 1, 'the first ferry of the adopted lab is not sealed');
    console.log(`a lab was adopted with init and ${steps.length} printed steps, and its first ferry was sealed`);
  } finally {
    await lab.close();
  }
}

/** Serves a repository of its own until its page is up. */
async function playRehearsal(home: string): Promise<void> {
  const repo = join(home, 'lab');
  await execa('git', ['init', '--quiet', '--initial-branch', 'main', repo]);
  await writeFile(join(repo, 'train.py'), 'learning_rate = 1e-3\n');
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example'];
  await execa('git', ['-C', repo, 'add', '.']);
  await execa('git', ['-C', repo, ...identity, 'commit', '--quiet', '--message', 'Train']);
  const playground = start(home, ['playground', '--repo', repo, '--port', '0', '--json']);
  const [line] = await once(createInterface({ input: playground.stdout }), 'line');
  check((await fetch(JSON.parse(line).origin)).status < 500, 'the page of the playground does not answer');
  playground.kill('SIGTERM');
  await playground;
}

function ferrybot(home: string, args: readonly string[], input = '') {
  return execa(join(home, 'node_modules/.bin/ferrybot'), args, {
    cwd: home,
    input,
    env: { PATH, GITHUB_TOKEN: '', GH_TOKEN: '' },
    reject: false,
    timeout: FERRY_TIMEOUT_MS,
  });
}

function start(home: string, args: readonly string[]) {
  return execa(join(home, 'node_modules/.bin/ferrybot'), args, { cwd: home, env: { PATH }, reject: false });
}

function check(isMet: boolean, failure: string): void {
  if (!isMet) throw new Error(failure);
}
