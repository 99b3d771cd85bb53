/** The config that `--engine ray` makes from the example lab's, and its error messages. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCluster } from '../../demo/cluster.ts';
import { openLabFolder } from '../../demo/lab-folder.ts';
import { freePorts, takenPorts } from '../../demo/ray/free-ports.ts';
import { rayConfig } from '../../demo/ray/ray-config.ts';
import { readLabConfig } from '../../src/app/config-source.ts';
import { isRayThere } from '../support/ray-tools.ts';

const LAB_FOLDER = join(import.meta.dirname, '../../fixtures/lab');
const LAB = readFileSync(join(LAB_FOLDER, '.github/ferrybot.yml'), 'utf8');

it("--engine ray makes a valid config that submits through the lab's scripts, with uv and without a network", () => {
  const place = {
    address: 'http://127.0.0.1:8265',
    uv: '/opt/ray/bin/uv',
    python: '/opt/ray/bin/python',
    outputs: '/data/outputs',
  };
  const reading = readLabConfig(rayConfig(LAB, place));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading));
  expect(reading.config.clusters).toMatchObject({
    'us-central1': {
      engine: 'ray',
      dashboard: 'http://127.0.0.1:8265',
      scripts: {
        python: expect.arrayContaining(['/opt/ray/bin/uv', 'run', '--offline']),
        submit: expect.arrayContaining([
          '{checkout}/lib/marin/src/marin/run/ray_run.py',
          '{clusterFile}',
          '{submissionId}',
        ]),
      },
    },
  });
  for (const [name, cluster] of Object.entries(reading.config.clusters)) {
    const clusterFile = cluster.engine === 'ray' ? (cluster.scripts?.clusterFile ?? '') : '';
    expect(readFileSync(join(LAB_FOLDER, clusterFile.replaceAll('{cluster}', name)), 'utf8')).toContain(
      'cluster_name:',
    );
  }
  expect(reading.config.lanes['daily']?.outputRoot).toBe('/data/outputs/{run}');
});

it('--engine ray reports which ports of a kept lab another program uses, and changes nothing', async () => {
  const folder = await openLabFolder(await mkdtemp(join(tmpdir(), 'ferrybot-ports-')));
  const other = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  try {
    await once(other, 'listening');
    const place = other.address();
    const port = typeof place === 'object' && place !== null ? place.port : 0;
    const [free = 0] = await freePorts(1);
    const head = { folder: join(folder.root, 'head'), token: 'x', ports: [free, port] };
    await writeFile(folder.rayHead, JSON.stringify(head));
    expect(await takenPorts(head.ports)).toEqual([port]);
    if (!isRayThere()) return;
    expect(await openCluster('ray', folder)).toMatchObject({
      ok: false,
      code: 'ports-taken',
      message: expect.stringContaining(`listens on ${port}, where`),
    });
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('');
  } finally {
    await once(other.close(), 'close');
    await rm(folder.root, { recursive: true, force: true });
  }
});

it('a kept lab continues only with the engine it was started with', async () => {
  const folder = await openLabFolder(await mkdtemp(join(tmpdir(), 'ferrybot-engine-')));
  try {
    expect(await openCluster('local', folder)).toMatchObject({ ok: true, cluster: { seed: null } });
    await writeFile(folder.world, '{}');
    expect(await openCluster('ray', folder)).toMatchObject({ ok: false, code: 'other-engine', exitCode: 1 });
    await writeFile(folder.rayHead, '{}');
    expect(await openCluster('local', folder)).toMatchObject({ ok: false, code: 'other-engine' });
  } finally {
    await rm(folder.root, { recursive: true, force: true });
  }
});
