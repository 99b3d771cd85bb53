/** What the clusters list as waiting or running: what people have launched, and what ferrybot has. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { createSlurmEngine } from '../../src/engines/slurm/engine.ts';
import { slurmSchema } from '../../src/engines/slurm/schema.ts';
import { type IrisLab, openIrisLab } from '../support/iris-lab.ts';

const OURS = { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' };

/** A head whose list of jobs is this. */
async function rayWith(list: unknown): Promise<Engine> {
  const server = createServer((request, response) => {
    const isList = request.url === '/api/jobs/';
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isList ? JSON.stringify(list) : '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = server.address();
  const address = typeof place === 'object' && place !== null ? `http://127.0.0.1:${place.port}` : '';
  const rest = createRestEngine({ address, token: null });
  return createRayEngine({ rest, scripts: null, tunnel: null, dashboard: null });
}

const job = (id: string, status: string, more: object = {}) => ({
  type: 'SUBMISSION',
  submission_id: id,
  status,
  start_time: 1_795_421_532_000,
  entrypoint: `python3 ${id}.py`,
  ...more,
});

it('of a Ray head are all that have not ended, with what they run and no secret of theirs', async () => {
  const engine = await rayWith([
    job('diag', 'RUNNING', {
      entrypoint: 'python3 diag.py --key abcdef0123456789',
      runtime_env: { env_vars: { KEY: 'abcdef0123456789' } },
    }),
    job('over', 'SUCCEEDED'),
    { ...job('', 'PENDING'), type: 'DRIVER', submission_id: null, job_id: '02000000' },
  ]);
  const live = await engine.live?.();
  expect(live).toMatchObject({
    kind: 'known',
    value: [
      { jobId: 'diag', status: 'RUNNING', startedAtMs: 1_795_421_532_000, metadata: null },
      { jobId: '02000000', status: 'PENDING' },
    ],
  });
  expect(JSON.stringify(live)).toContain('python3 diag.py');
  expect(JSON.stringify(live)).not.toContain('abcdef0123456789');
});

it.each([
  ['no list', {}],
  ['an entry that is none', [job('diag', 'RUNNING'), { hello: 'world' }]],
])('of a head that says %s nobody knows', async (_, list) => {
  expect(await (await rayWith(list)).live?.()).toMatchObject({ kind: 'unknown' });
});

/** Slurm whose queue is this. */
async function slurmWith(...lines: readonly string[]): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-squeue-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'queue'), `${lines.join('\n')}\n`);
  await writeFile(
    join(folder, 'squeue'),
    [
      '#!/bin/sh',
      'case "$*" in *--user*|*--name*) exit 1;; esac',
      // As the real one ends each field: by what stands behind its name.
      'for word in "$@"; do case "$word" in --Format=*) end=${word#--Format=JobID:}; end=${end%%,*};; esac; done',
      `sed "s/|/$end/g" "${folder}/queue"`,
      '',
    ].join('\n'),
    { mode: 0o755 },
  );
  const cluster = slurmSchema.parse({
    engine: 'slurm',
    folder: '/shared/ferrybot',
    bin: folder,
    acceleratorHoursPerRun: '1',
  });
  return createSlurmEngine({ cluster, path: process.env['PATH'] ?? '', now: Date.now });
}

it('of Slurm are what its queue has that is not about to end, ours by our names and others by their numbers', async () => {
  const engine = await slurmWith(
    '2|2|N/A|RUNNING|None|0|0|1795421535|NONE|n1|a.b-1|ferrybot run=ferry-daily-20261121 attempt=1 manifest=sha256%3Aaa|',
    '7|7|N/A|PENDING|Resources|0|0|N/A|N/A||diag-grug|(null)|',
    '8|8|N/A|COMPLETING|None|0|0|1795421535|1795421566|n1|gone|(null)|',
  );
  expect(await engine.live?.()).toEqual({
    kind: 'known',
    value: [
      { jobId: 'a.b-1', status: 'RUNNING', startedAtMs: 1_795_421_535_000, metadata: OURS, about: 'a.b-1' },
      { jobId: '7', status: 'PENDING', startedAtMs: null, metadata: null, about: 'diag-grug' },
    ],
  });
});

it('of a Slurm that says what is no job nobody knows', async () => {
  expect(await (await slurmWith('slurm_load_jobs: down')).live?.()).toMatchObject({ kind: 'unknown' });
});

/** An Iris on which these were launched, in this order, all but the last of them endless. */
async function irisWith(names: readonly string[]): Promise<{ lab: IrisLab; live: () => Promise<unknown> }> {
  const lab = await openIrisLab();
  onTestFinished(() => lab.close());
  for (const name of names) {
    const argv = name === names.at(-1) ? ['quick', ''] : ['endless', ''];
    lab.iris.world.launch({
      name,
      argv,
      env: {},
      request: {},
      maxRetriesFailure: 0,
      maxRetriesPreemption: 0,
    });
    lab.pass(1);
  }
  return { lab, live: async () => lab.engine().live?.() };
}

it('of Iris are all that have not ended, ours by the names under which they were submitted and others by Iris', async () => {
  const { lab, live } = await irisWith([
    '/alice/ferrybot-grug-a1',
    '/bob/diag-grug',
    '/bob/diag-grug/child',
    '/alice/over',
  ]);
  expect(await live()).toMatchObject({
    kind: 'known',
    value: expect.arrayContaining([expect.objectContaining({ jobId: 'over', status: 'PENDING' })]),
  });
  lab.pass(5_000);
  lab.iris.world.tick();
  const ours = { metadata: null, status: 'RUNNING', startedAtMs: expect.any(Number) };
  expect(await live()).toEqual({
    kind: 'known',
    value: [
      { ...ours, jobId: '/bob/diag-grug', about: '/bob/diag-grug' },
      { ...ours, jobId: 'ferrybot-grug-a1', about: '/alice/ferrybot-grug-a1' },
    ],
  });
});

it('of Iris are those of all pages, and nobody knows where there are more than are looked through', async () => {
  const many = await irisWith(Array.from({ length: 502 }, (_, index) => `/bob/sweep-${index}`));
  many.lab.pass(200);
  many.lab.iris.world.tick();
  expect(await many.live()).toMatchObject({ kind: 'known', value: { length: 502 } });
  const flood = await irisWith(Array.from({ length: 2_002 }, (_, index) => `/bob/flood-${index}`));
  flood.lab.pass(200);
  flood.lab.iris.world.tick();
  expect(await flood.live()).toEqual({ kind: 'unknown', why: 'more than 2000 jobs are running' });
});

it('of an Iris that does not answer nobody knows', async () => {
  const { lab, live } = await irisWith(['/bob/diag-grug', '/bob/over']);
  lab.iris.linger();
  expect(await live()).toMatchObject({ kind: 'unknown' });
});
