/**
 * The script that an Iris job runs, run here by bash as a worker would: one start, no value in a shell line,
 * and an end line.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobSpec } from '../../src/domain/engine.ts';
import type { IrisCluster } from '../../src/engines/iris/definition.ts';
import { wrapCommand } from '../../src/engines/iris/wrapper.ts';
import { irisConfig } from '../support/iris-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-iris-'));
  await mkdir(join(folder, 'tree'));
});
afterEach(() => rm(folder, { recursive: true }));

type Start = {
  readonly command: readonly string[];
  readonly task?: string;
  readonly settings?: Partial<IrisCluster>;
  readonly secretNames?: readonly string[];
  readonly kill?: NodeJS.Signals;
};

async function start({ command, task = '/alice/job-1/0', settings = {}, secretNames = [], kill }: Start) {
  const spec: JobSpec = {
    ...{ submissionId: 'job-1', command, env: {}, workingDirectory: folder, secretNames },
    metadata: { run: 'r', attempt: 1, manifest: 'sha256:aa' },
  };
  const [program = '', ...args] = wrapCommand(spec, irisConfig(settings));
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', IRIS_TASK_ID: task, IRIS_WORKDIR: join(folder, 'tree') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let refused = '';
  child.stdout.on('data', (chunk: Uint8Array) => {
    said += String(chunk);
    if (kill !== undefined && String(chunk).includes('ready')) child.kill(kill);
  });
  child.stderr.on('data', (chunk: Uint8Array) => {
    refused += String(chunk);
  });
  const [code] = await once(child, 'close');
  return { code, said, refused };
}

const ECHO = ['bash', '-c', 'pwd; printf "%s\\n" "$@"', 'x'] as const;

it('passes arguments unchanged to the command, runs it in the shipped tree, and writes how it ended', async () => {
  const odd = ['$(id)', '`id`', '"a b"', "'", '--', '', 'ü\n2'];
  const { code, said, refused } = await start({ command: [...ECHO, ...odd] });
  expect([code, refused]).toEqual([0, '']);
  expect(said).toBe(`ferrybot begin job-1:0\n${join(folder, 'tree')}\n${odd.join('\n')}\nferrybot end job-1:0 0\n`);
  expect(await start({ command: ['bash', '-c', 'exit 3'] })).toMatchObject({
    code: 3,
    said: expect.stringMatching(/ferrybot end job-1:0 3\n$/),
  });
});

it('forwards SIGTERM, waits for the command, and then writes its exit code', async () => {
  const command = ['bash', '-c', 'trap "sleep 0.3; echo saved; exit 5" TERM; echo ready; sleep 60 & wait'];
  const { code, said } = await start({ command, kill: 'SIGTERM' });
  expect(code).toBe(5);
  expect(said).toMatch(/ready\nsaved\nferrybot end job-1:0 5\n$/);
});

describe('a start that was not approved', () => {
  const again = { task: '/alice/job-1/0:1', command: ['echo', 'started'] };

  it('is refused by its attempt number when there are no shared markers', async () => {
    expect(await start(again)).toMatchObject({
      code: 97,
      said: '',
      refused: expect.stringMatching(/^ferrybot refused restart: attempt 1 of Iris, where 0/),
    });
    expect((await start({ ...again, settings: { maxRetriesPreemption: 1 } })).said).toContain('started');
  });

  it('is refused by the marker of the first start, even if the controller forgot that start', async () => {
    const settings = { markers: join(folder, 'marks') };
    const first = { command: ['echo', 'started'], settings };
    const both = await Promise.all([start(first), start(first), start(first)]);
    expect(both.filter(({ said }) => said.includes('started'))).toHaveLength(1);
    expect(both.filter(({ refused }) => /refused again: attempt 0 was started before/.test(refused))).toHaveLength(2);
    expect(await start({ ...again, settings })).toMatchObject({
      code: 97,
      refused: expect.stringMatching(/0 restarts were approved, and they are used/),
    });
  });

  it('is allowed when Iris places a task again that was only assigned before', async () => {
    const settings = { markers: join(folder, 'marks') };
    expect((await start({ ...again, settings })).said).toContain('started');
  });

  it('is refused when the marker cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await start({ command: ['echo', 'started'], settings: { markers: join(folder, 'file') } })).toMatchObject({
      code: 97,
      said: '',
    });
  });
});

it('reads a secret from its file, and starts nothing when the file is missing', async () => {
  const secretFiles = { KEY: join(folder, 'key') };
  const command = ['bash', '-c', 'printf %s "$KEY" > ../seen'];
  const wanted = { command, settings: { secretFiles }, secretNames: ['KEY'] };
  expect(await start(wanted)).toMatchObject({ code: 97, refused: expect.stringMatching(/file of KEY/) });
  await writeFile(join(folder, 'key'), 'a $(id) "b"\n');
  const { said } = await start(wanted);
  expect(said).not.toContain('(id)');
  expect(await readFile(join(folder, 'seen'), 'utf8')).toBe('a $(id) "b"');
});
