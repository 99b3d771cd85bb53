/** Third-party actions in a folder: found by name and ref, and never outside the folder. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readOwnOptions } from '../../../demo/own/own-options.ts';
import { listWorkflowProblems } from '../../../demo/own/workflow-problems.ts';
import { resolveRemote } from '../../../packages/playground/actions/runner/resolve-action.ts';
import { startRealLab } from '../../../packages/playground/test/actions/real-lab.ts';

const manifest = (using = 'node24'): string => `{name: n, inputs: {}, runs: {using: ${using}, main: main.mjs}}\n`;
const says = `console.log('> ' + [import.meta.dirname.split('/').slice(-2).join('/'), process.env.GITHUB_ACTION_REPOSITORY, process.env.GITHUB_SERVER_URL.split(':')[1], typeof process.env.ACTIONS_RUNTIME_TOKEN].join(' '));`;

async function folderOf(...names: readonly string[]): Promise<{ readonly root: string } & AsyncDisposable> {
  const root = await mkdtemp(path.join(tmpdir(), 'bundles-'));
  for (const name of names) {
    await mkdir(path.join(root, name), { recursive: true });
    await writeFile(path.join(root, name, 'action.yml'), manifest());
    await writeFile(path.join(root, name, 'main.mjs'), says);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

it('an action is its folder for the ref, else its folder without a ref; a missing one is rejected by name', async () => {
  await using folder = await folderOf('tools/greet', 'tools/greet@v2', 'tools/many/sub');
  const sources = { directories: { 'ferrybot/ferrybot': '/nowhere' }, bundles: folder.root, required: true };
  const at = async (uses: string): Promise<string> =>
    path.relative(folder.root, (await resolveRemote(uses, sources))?.directory ?? '');
  expect(await at('tools/greet@v1')).toBe('tools/greet');
  expect(await at('tools/greet@v2')).toBe('tools/greet@v2');
  expect(await at('tools/many/sub@main')).toBe('tools/many/sub');
  await expect(at('tools/none@v1')).rejects.toThrow("Unable to resolve action 'tools/none@v1'");
});

it('a path outside the folder is rejected', async () => {
  await using folder = await folderOf('in/tools/greet', 'out/greet', 'secret');
  const sources = { directories: {}, bundles: path.join(folder.root, 'in'), required: true };
  for (const uses of ['../out@v1', 'tools/..@v1', 'tools/greet/../../../out/greet@v1', 'tools/x@../../../out/greet'])
    await expect(resolveRemote(uses, sources)).rejects.toThrow('Unable to resolve action');
});

it('a step runs an action with the artifact and cache services, and a script without them', async () => {
  await using folder = await folderOf('tools/greet');
  await using lab = await startRealLab({}, folder.root);
  await lab.push({
    '.github/workflows/w.yml': `on: workflow_dispatch
jobs:
  a: {runs-on: ubuntu-latest, steps: [{uses: tools/greet@v1}, {run: 'echo "> \${ACTIONS_RUNTIME_TOKEN-none} \${ACTIONS_RESULTS_URL-none}"'}]}
`,
  });
  await lab.dispatch('w.yml');
  await lab.actions.idle();
  expect(lab.lastLog().match(/^> .*/gm)).toEqual([
    '> tools/greet tools/greet //github.localhost string',
    '> none none',
  ]);
});

it('the start lists only actions that are missing in the folder', async () => {
  await using folder = await folderOf('tools/greet');
  const text = 'on: push\njobs: {a: {runs-on: x, steps: [{uses: tools/greet@v1}, {uses: tools/none@v1}]}}\n';
  expect(listWorkflowProblems(new Map([['w.yml', text]]), folder.root)).toEqual([
    'w.yml: job a: the action tools/none@v1 is not here',
  ]);
  expect(readOwnOptions(['--actions', 'acts'], '/lab')).toMatchObject({ options: { actions: '/lab/acts' } });
  expect(readOwnOptions(['--actions', ''], '/lab')).toMatchObject({ kind: 'misused' });
});
