/**
 * Scripts that behave like Marin's: programs started by name, an older command line, and failures before any
 * request.
 */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, JobSpec } from '../../src/domain/engine.ts';
import type { ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type StandIn, type StandInBehaviour } from '../support/stand-in-scripts.ts';

const METADATA = { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` };
const SOMEBODY = { type: 'SUBMISSION', submission_id: 'somebody', status: 'RUNNING', metadata: {} };
const MARINS_END = 'E1 __main__ Failed to run job\nTraceback (most recent call last):\n';
/** What ray_run.py prints right before it sends its request. */
const ABOUT_TO_SEND = "I1 __main__ Terminal command: \nray job submit --runtime-env-json '{}'\n";

let scripts: StandIn;
const open = async (changes: Partial<ScriptTemplates> = {}, path?: string): Promise<Engine> => {
  scripts = await openStandIn(changes);
  const env = { ...scripts.settings.env, ...(path === undefined ? {} : { PATH: path }) };
  const settings = { ...scripts.settings, env };
  await scripts.jobs([SOMEBODY]);
  return scripts.engine(settings);
};
const spec = (): JobSpec => ({
  submissionId: 'ferry-1',
  command: ['python3', 'a.py'],
  env: { FERRY_DATE: '20261121' },
  workingDirectory: scripts.tree,
  metadata: METADATA,
});
const submitted = async (doing: StandInBehaviour): Promise<unknown> => {
  const engine = await open();
  await scripts.does('submit', doing);
  return submitTo(engine, spec());
};
afterEach(() => scripts.close());

/** A lab's script that starts `ray` by name. */
const BY_NAME = `
const { spawnSync } = require('node:child_process');
const told = spawnSync('ray', ['submit'], { encoding: 'utf8' });
process.stdout.write(told.error === undefined ? told.stdout : '');`;

describe('programs that a script starts by name', () => {
  const rayIn = async (folder: string, words: string): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'ray'), `#!/bin/sh\necho '${words}'\n`);
    await chmod(join(folder, 'ray'), 0o755);
  };

  it('come from the folder of the chosen Python before any other folder of the runner', async () => {
    const engine = await open({ python: ['/nowhere/uv', 'run'] });
    const venv = join(scripts.homes, '..', 'venv');
    await rayIn(join(venv, 'bin'), 'Job submitted with ID: beside-python');
    const python = join(venv, 'bin', 'python');
    await writeFile(python, `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
    await chmod(python, 0o755);
    const templates = {
      ...scripts.settings.templates,
      python: ['/nowhere/uv', 'run'],
      pythonWithoutUv: [python],
      submit: ['{python}', '-e', BY_NAME, '{submissionId}', '{environment}', '{command}'],
    };
    const chosen = scripts.engine({ ...scripts.settings, templates });
    expect(JSON.stringify(await submitTo(engine, spec()))).not.toContain('beside-python');
    expect(JSON.stringify(await submitTo(chosen, spec()))).toContain('beside-python');
  });

  // threat T62
  it("are never files of the change, even if the runner's PATH has relative folders", async () => {
    const path = ['.', '', 'bin', '/usr/bin', '/bin'].join(delimiter);
    const engine = await open(
      { submit: [process.execPath, '-e', BY_NAME, '{submissionId}', '{environment}', '{command}'] },
      path,
    );
    await rayIn(scripts.tree, 'Job submitted with ID: stolen');
    await rayIn(join(scripts.tree, 'bin'), 'Job submitted with ID: stolen');
    expect(JSON.stringify(await submitTo(engine, spec()))).not.toContain('stolen');
  });
});

describe('a script from before February 2026', () => {
  it('that expects a variable as two arguments is rejected with the setting that helps', async () => {
    const stderr =
      "E1 __main__ Invalid key provided for environment variable: FERRY_DATE=20261121. Key should not contain '='.\n";
    expect(await submitted({ exitCode: 1, stderr })).toMatchObject({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringContaining("set `environment: ['-e', '{name}', '{value}']`"),
    });
  });
});

describe('a failure before any request', () => {
  it.each<[string, string, string, string]>([
    [
      'no file of the cluster',
      'FileNotFoundError: No cluster config found for region us-central1\n',
      'refused',
      'name it by {clusterFile}',
    ],
    [
      'a file of the cluster that does not exist',
      "FileNotFoundError: [Errno 2] No such file or directory: 'infra/marin-x.yaml'\n",
      'refused',
      'no file of the cluster at infra/marin-x.yaml',
    ],
    [
      'a program that does not exist',
      "FileNotFoundError: [Errno 2] No such file or directory: 'ray'\n",
      'refused',
      'starts ray by name: it has to lie beside the chosen Python',
    ],
    [
      'no token, and no gcloud secret',
      "subprocess.CalledProcessError: Command '['gcloud', 'secrets', 'versions', 'access']' returned non-zero exit status 1.\n",
      'unauthorized',
      'the variable that `tokenFrom` names',
    ],
    [
      'gcloud that fails',
      "subprocess.CalledProcessError: Command '['gcloud', 'compute', 'instances', 'list']' returned non-zero exit status 1.\n",
      'refused',
      'gcloud, which is asked where the cluster is',
    ],
    [
      '`uv export` that fails',
      "subprocess.CalledProcessError: Command '['uv', 'export', '--package', 'marin']' returned non-zero exit status 2.\n",
      'refused',
      'pyproject.toml, uv.lock and what they name',
    ],
  ])('is a rejection with its own message: %s', async (_, said, code, words) => {
    expect(await submitted({ exitCode: 1, stderr: MARINS_END + said })).toMatchObject({
      kind: 'rejected',
      code,
      message: expect.stringContaining(words),
    });
  });

  it('is unknown once the script was about to send', async () => {
    const said = "FileNotFoundError: [Errno 2] No such file or directory: 'ray'\n";
    expect(await submitted({ exitCode: 1, stderr: ABOUT_TO_SEND + said })).toMatchObject({ kind: 'unknown' });
  });

  it('rejects a submit when the head is starting and no node takes jobs yet', async () => {
    const said = 'RuntimeError: Request failed with status code 500: No available agent to submit job.\n';
    expect(await submitted({ exitCode: 1, stderr: ABOUT_TO_SEND + said })).toMatchObject({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringContaining('no node of the cluster takes jobs yet'),
    });
  });
});
