/**
 * Reports which files a way to the cluster would leave out before anything is sent, and compares the tree
 * once more.
 */

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFilesLeftOutByScript } from '../../src/engines/ray/engine.ts';
import { RAY } from '../../src/engines/ray/rest/submit.ts';
import { listFilesLeftOut, zipTree } from '../../src/engines/shared/package-files.ts';
import { listFilesOnDisk } from '../../src/host/git/tree-on-disk.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type StandIn } from '../support/stand-in-scripts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-left-out-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function tree(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
const spec = async () => ({ workingDirectory: folder, files: await listFilesOnDisk(folder) });
const MARIN = { leavesOut: ['docs/', '*.pack'], ignoreFiles: ['.rayignore'] };
const leftOut = async (rules: Parameters<typeof listFilesLeftOutByScript>[0] = MARIN): Promise<readonly string[]> =>
  (await listFilesLeftOutByScript(rules, await spec())).map(({ path, why }) => `${path}: ${why}`);

describe('a submission by script', () => {
  it('ships a plain tree whole, also files in a .gitignore, which Ray is set to ignore', async () => {
    await tree({ 'lib/a.py': '', 'lib/.gitignore': '*.json\n', 'lib/weights.json': '{}' });
    expect(await leftOut()).toEqual([]);
    expect(await leftOut({ ...MARIN, ignoreFiles: ['.gitignore', '.rayignore'] })).toEqual([
      'lib/weights.json: left out by lib/.gitignore',
    ]);
  });

  it("leaves out files named by its own patterns, a .rayignore or Ray's rules, in any folder", async () => {
    await tree({
      'lib/a.py': '',
      'lib/docs/guide.md': '',
      'lib/tokens.pack': '',
      'lib/venv/a.py': '',
      'lib/data/.rayignore': '/big.bin\n!kept.bin\n',
      'lib/data/big.bin': '',
      'lib/data/deep/big.bin': '',
    });
    expect(await leftOut()).toEqual([
      'lib/data/big.bin: left out by lib/data/.rayignore',
      'lib/docs/guide.md: left out by leavesOut of the config',
      'lib/tokens.pack: left out by leavesOut of the config',
      "lib/venv/a.py: left out by Ray's own rules",
    ]);
  });

  it("does not re-include a file by another file's negation or after a star", async () => {
    await tree({
      'lib/.rayignore': '*.bin\n',
      'lib/deep/.rayignore': '!a.bin\n',
      'lib/deep/a.bin': '',
      'exp/.rayignore': '*\n!a.py\n',
      'exp/a.py': '',
    });
    expect(await leftOut()).toEqual([
      'exp/.rayignore: left out by exp/.rayignore',
      'exp/a.py: left out by exp/.rayignore',
      'lib/deep/a.bin: left out by lib/.rayignore',
    ]);
  });

  it('reports a link to a folder as left out', async () => {
    await tree({ 'lib/a.py': '' });
    await symlink('a.py', join(folder, 'lib/file'));
    await symlink('.', join(folder, 'lib/loop'));
    expect(await leftOut()).toEqual(['lib/loop: a link to a folder, which arrives as no link']);
  });
});

describe('a package for the Jobs API', () => {
  it('contains the approved bytes and modes, or is not sent', async () => {
    await tree({ 'lib/a.py': 'a', 'lib/.gitignore': '*', 'lib/.rayignore': '*' });
    const { files } = await spec();
    expect(await listFilesLeftOut({ workingDirectory: folder, files }, RAY)).toEqual([]);
    expect(await zipTree(folder, files, RAY)).toMatchObject({ kind: 'zip', files: 3 });
    await chmod(join(folder, 'lib/a.py'), 0o755);
    expect(await zipTree(folder, files, RAY)).toMatchObject({ message: expect.stringContaining('lib/a.py differs') });
    await chmod(join(folder, 'lib/a.py'), 0o644);
    await tree({ 'lib/a.py': 'b', 'lib/b.py': 'planted' });
    await rm(join(folder, 'lib/.gitignore'));
    expect(await zipTree(folder, files, RAY)).toEqual({
      kind: 'rejected',
      code: 'refused',
      message:
        'what would be sent is not what was approved: lib/.gitignore is missing, lib/a.py differs, lib/b.py was not shipped',
    });
  });
});

describe('a submission through scripts', () => {
  let scripts: StandIn;
  afterEach(() => scripts.close());

  // threat T246
  it('does not start a script in a tree that was changed after the approval', async () => {
    scripts = await openStandIn();
    await tree({ 'lib/a.py': 'a' });
    const shipped = await spec();
    await tree({ 'sitecustomize.py': 'planted' });
    const engine = scripts.engine();
    const job = { submissionId: 'ferry-1', command: ['python3'], env: {} };
    const metadata = { run: 'r', attempt: 1, manifest: 'm' };
    expect(await submitTo(engine, { ...job, metadata, ...shipped })).toMatchObject({
      kind: 'rejected',
      message: 'what lies there is not what was shipped: sitecustomize.py was not shipped',
    });
    await expect(scripts.calls()).rejects.toThrow('ENOENT');
  });

  it('passes the cluster file of the default branch by path, and starts no script when the file is missing', async () => {
    const script = ['{python}', '{checkout}/script.mjs', '{checkout}'];
    scripts = await openStandIn({
      submit: [...script, 'submit', '{submissionId}', '{clusterFile}', '{environment}', '--', '{command}'],
    });
    const checkout = await scripts.settings.checkout();
    const engine = scripts.engine();
    await tree({ 'infra/marin-us-central1.yaml': 'cluster_name: stolen\n' });
    const metadata = { run: 'r', attempt: 1, manifest: 'm' };
    const job = { submissionId: 'ferry-1', command: ['python3'], env: {}, metadata, ...(await spec()) };
    expect(await submitTo(engine, job)).toMatchObject({
      kind: 'rejected',
      message: 'the script for the submission could not be started: there is no infra/marin-us-central1.yaml',
    });
    await mkdir(join(checkout, 'infra'));
    await writeFile(join(checkout, 'infra/marin-us-central1.yaml'), 'cluster_name: ours\n');
    await scripts.does('submit', { starts: true, stderr: 'Job submitted with ID: {id}\n' });
    await submitTo(engine, job);
    const call = (await scripts.calls()).find(({ verb }) => verb === 'submit');
    expect(call?.args[1]).toBe(join(checkout, 'infra/marin-us-central1.yaml'));
    expect(call?.env['RAY_RUNTIME_ENV_IGNORE_GITIGNORE']).toBe('1');
  });
});
