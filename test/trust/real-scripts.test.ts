/**
 * A lab that submits through its own script, like Marin's, with the real bundle: attacks on cluster, token
 * and shipped files.
 */

import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type JobsApi, serveJobs } from '../support/jobs-api.ts';
import { MARIN_LIKE_SCRIPT, RAY_THAT_IS_THERE, thievishBackend, UV_THAT_BUILDS } from '../support/marin-like-script.ts';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HARBOUR,
  HOSTED,
  LAUNCHER,
  openBundleWorld,
  proposedIn,
  shownIn,
  stateIn,
} from './bundle-world.ts';

type Sent = {
  readonly cluster: string;
  readonly token: string;
  readonly home: string;
  readonly files: Readonly<Record<string, string>>;
};

let lab: BundleWorld;
let dashboard: JobsApi;
let folder: string;
let branch: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-scripts-trust-'));
  dashboard = await serveJobs(async () => {
    const text = await readFile(join(folder, 'sent.json'), 'utf8').catch(nothingThere);
    return text === null ? [] : [JSON.parse(text).job];
  });
  await write('bin/uv', UV_THAT_BUILDS);
  await write('bin/ray', RAY_THAT_IS_THERE);
  for (const program of ['uv', 'ray']) await chmod(join(folder, 'bin', program), 0o755);
  const { stdout: python } = await execa('python3', ['-c', 'import sys; print(sys.executable)']);
  await symlink(python, join(folder, 'bin/python3'));
  lab = await openBundleWorld({ server: true, config: CONFIG() });
  await onMain({ 'scripts/lab_ray.py': MARIN_LIKE_SCRIPT, 'infra/marin-us-central1.yaml': 'cluster_name: ours\n' });
  branch = `ferrybot/proposal/${(await proposedIn(lab)).run}`;
  await lab.useRunners(HOSTED, LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(async () => {
  await rm(join(folder, 'sent.json'), { force: true });
  await rewind();
});
afterAll(async () => {
  await lab.close();
  await dashboard.close();
  await rm(folder, { recursive: true, force: true });
});

// threat T59
it('the cluster file of the default branch is used, even if the change contains another one', async () => {
  await push(lab, branch, { files: { 'infra/marin-us-central1.yaml': 'cluster_name: stolen\n' } });
  expect(await approvedAndLaunched()).toContain('ferrybot: submitted');
  expect(await sent()).toMatchObject({ cluster: 'ours', token: HARBOUR });
});

// threat T63
it("only the script's user can read the token, and it is deleted when the script ends", async () => {
  expect(await approvedAndLaunched()).toContain('ferrybot: submitted');
  expect(await sent()).toMatchObject({ token: HARBOUR, home: '0o100600' });
  const files = await readdir(dirname(lab.action), { recursive: true });
  expect(files.filter((file) => file.endsWith('auth_token') || file.includes('/homes/home-'))).toEqual([]);
});

it('every approved file is shipped unchanged, even if an ignore file of the change names it', async () => {
  await push(lab, branch, { files: { 'lib/.gitignore': '*.json\n*.py\n', 'lib/weights.json': '{"w": 1}\n' } });
  expect(await approvedAndLaunched()).toContain('ferrybot: submitted');
  const { files } = (await sent()) ?? { files: {} };
  const approved = await approvedFiles();
  expect(Object.keys(approved)).toContain('lib/weights.json');
  expect(files).toEqual(approved);
});

// threat T65
it('the whole approved tree is shipped, without git data and without excluded paths', async () => {
  await push(lab, branch, { files: { 'lib/docs/notes.md': 'read me\n', 'lib/weights.json': '{"w": 1}\n' } });
  expect(await approvedAndLaunched()).toContain('ferrybot: submitted');
  const { files } = (await sent()) ?? { files: {} };
  expect(files).toEqual(await approvedFiles());
  expect(Object.keys(files).filter((path) => /(^|\/)(\.git|docs)\//.test(path))).toEqual([]);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['.github/ferrybot.yml', 'README.md']));
  // Anyone can rebuild the approved id: remove the excluded paths and let git write the tree.
  const clone = await lab.scratch();
  const git = async (...args: readonly string[]) => (await execa('git', args, { cwd: clone })).stdout;
  await git('clone', '--quiet', '--branch', branch, lab.repository, '.');
  await git('rm', '-r', '--quiet', '--cached', '--', ':(glob)**/docs/**');
  expect((await stateIn(lab))?.order?.order.digest).toBeDefined();
  expect(JSON.stringify(await stateIn(lab))).toContain(`".":"${await git('write-tree')}"`);
});

// threat T64
it('a file that the script would leave out is named, and nothing is claimed or sent', async () => {
  await push(lab, branch, { files: { '.rayignore': 'lib/*.json\n', 'lib/weights.json': '{"w": 1}\n' } });
  expect(await approvedAndLaunched()).toMatch(/files-left-out: lib\/weights\.json \(left out by \.rayignore\)/);
  expect(await sent()).toBeNull();
  expect((await stateIn(lab))?.order).toMatchObject({ claim: null });
});

it("a build backend in the change is not run while the cluster's token is readable", async () => {
  const stolen = join(folder, 'stolen');
  const build = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["lib"]\n';
  await push(lab, branch, { files: { 'pyproject.toml': build, 'lib/backend.py': thievishBackend(stolen) } });
  await approvedAndLaunched();
  expect(await readFile(stolen, 'utf8').catch(nothingThere)).toBeNull();
  expect(await sent()).toBeNull();
});

/** Path and id of every file at the change's head, except those excluded by `leavesOut`. */
async function approvedFiles(): Promise<Readonly<Record<string, string>>> {
  const listed = await lab.git('ls-tree', '-r', branch);
  return Object.fromEntries(
    listed
      .split('\n')
      .map((row) => [row.split('\t')[1] ?? '', row.split(/\s/)[2] ?? ''] as const)
      .filter(([path]) => !/(^|\/)docs\//.test(path)),
  );
}

/**
 * The lab allows a ferry to change more than it should, so that these attacks are not stopped by its scope.
 */
function CONFIG(): readonly (readonly [string, string])[] {
  const script = `"{python}", "{checkout}/scripts/lab_ray.py", --sink, ${join(folder, 'sent.json')}`;
  const scripts = `{ python: [/nowhere/uv, run], pythonWithoutUv: [${join(folder, 'bin/python3')}],
      submit: [${script}, submit, --cluster, "{clusterFile}", --submission-id, "{submissionId}", "{environment}", "--", "{command}"],
      environment: ["-e={name}={value}"] }`;
  const scope = [
    'infra/marin-us-central1.yaml',
    'lib/.gitignore',
    'lib/weights.json',
    'lib/docs/notes.md',
    'lib/backend.py',
    '.rayignore',
  ];
  return [
    [
      'engine: local\n    # Folder of the job records, below the repository variable FERRYBOT_STATE_DIR.\n    jobs: jobs',
      `engine: ray\n    dashboard: "${dashboard.address}"\n    tokenFrom: HARBOUR\n    scripts: ${scripts}`,
    ],
    ['passSecrets: [HARBOUR]', 'passSecrets: []'],
    ['ships: [experiments, lib, scripts]', 'ships: [.]'],
    ['scope: [experiments/ferries/daily.py]', `scope: [experiments/ferries/daily.py, ${scope.join(', ')}]`],
  ];
}

/** Mira approves what is shown, and the launcher processes the order, if any; returns the jobs' output. */
async function approvedAndLaunched(): Promise<string> {
  lab.clock.advance(5_000);
  // The lab requires a comment in the ferry's issue for each change.
  await lab.as('ada', 'POST', '/issues/1/comments', { body: 'I have changed a little more.' });
  const { proposal, gate } = await shownIn(lab);
  const body = `/approve-launch ${gate?.digest?.replace('sha256:', '') ?? ''}`.trim();
  await lab.as('mira', 'POST', `/issues/${proposal.pull}/comments`, { body });
  await lab.sweep();
  return lab.runJobs();
}

async function sent(): Promise<Sent | null> {
  const text = await readFile(join(folder, 'sent.json'), 'utf8').catch(nothingThere);
  return text === null ? null : (JSON.parse(text) as Sent);
}

function nothingThere(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Files that the lab's owners merged earlier. */
async function onMain(files: Readonly<Record<string, string>>): Promise<void> {
  const clone = await lab.scratch();
  const git = (...args: readonly string[]) =>
    execa('git', ['-c', 'user.name=Lab', '-c', 'user.email=lab@lab.example', ...args], { cwd: clone });
  await git('clone', '--quiet', lab.repository, '.');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await writeFile(join(clone, path), text);
  }
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'The script');
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
}
