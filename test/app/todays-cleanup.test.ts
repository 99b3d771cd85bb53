/** Disk care of a lab that follows Marin of today, where one script took the place of the two that the policy names. */

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readLabConfig } from '../../src/app/config-source.ts';
import { createDiskPort, type DiskPort, diskPlaceOf } from '../../src/app/disk-scan/disk-port.ts';
import { readScanReport } from '../../src/care/disk/scan-report.ts';
import { runProgram } from '../../src/host/process.ts';
import { diskSchema } from '../../src/settings/disk-schema.ts';
import { changed } from '../config/small-config.ts';

/** What stands beside a key, in the schema that editors and the page of the configuration show. */
const besides = (key: 'scan' | 'startCleanup'): string => diskSchema.shape[key].description ?? '';
/** The setting for today, as it is written there. */
const today = z.array(z.string()).parse(parse(/\[uv, run[^\]]*\]/.exec(besides('scan'))?.[0] ?? ''));

/** Speaks as the script of today does: to standard error, through Python's logging, without a sign. */
const TODAYS = `#!/bin/sh
echo "$@" > "$HOME/asked"
echo '2026-11-21 03:00:09,100 - WARNING -   ray-b worker 1: 3% free (2.9G)' >&2
echo '2026-11-21 03:00:09,101 - INFO - [DRY RUN] Would restart ray-b worker 1' >&2
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-cleanup-'));
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'tree/scripts/ray'), { recursive: true });
  await writeFile(join(folder, 'bin/uv'), '#!/bin/sh\nshift\nexec sh "$@"\n');
  await chmod(join(folder, 'bin/uv'), 0o755);
  // Neither cleanup_disk.py nor a start-cleanup is in this checkout.
  await writeFile(join(folder, 'tree/scripts/ray/cleanup_workers.py'), TODAYS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The port of a lab whose config has these keys of disk care, and no other. */
function portOf(keys: string): DiskPort {
  const disk = `mountPoint: /tmp/gcsfuse_mount, clusterFile: infra/marin-us-central1.yaml${keys}`;
  const reading = readLabConfig(
    changed(
      'local: { engine: local, acceleratorHoursPerRun: "2.5" }',
      `local: { engine: ray, acceleratorHoursPerRun: "2.5", dashboard: "http://10.0.0.2:8265", gcp: { project: example-lab, zones: [us-central1-a] }, disk: { ${disk} } }`,
    ),
  );
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  const place = diskPlaceOf(reading.config, 'local');
  if (place === null) throw new Error('the cluster has disk care');
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder };
  return createDiskPort(place, {
    gcloud: { program: 'gcloud', env, run: runProgram },
    tree: join(folder, 'tree'),
    environment: {},
  });
}

it("the policy's commands are the defaults, and beside each stands that Marin left it and what takes its place", () => {
  const defaults = diskSchema.parse({ mountPoint: '/tmp/gcsfuse_mount', clusterFile: 'infra/a.yaml' });
  expect(defaults.scan.slice(2, 3)).toEqual(['scripts/ray/cleanup_disk.py']);
  expect(defaults.startCleanup.at(-1)).toBe('start-cleanup');
  for (const key of ['scan', 'startCleanup'] as const)
    expect(besides(key)).toMatch(/The default is the policy's; .*since 17 December 2025/);
  expect(besides('startCleanup')).toContain('leave cleanupAlive out');
});

it("the setting that stands beside the default scans with today's one script, and what it says is read", async () => {
  expect(today[2]).toBe('scripts/ray/cleanup_workers.py');
  const port = portOf(`, scan: ${JSON.stringify(today)}`);
  expect(readScanReport(await port.scan(), 20)).toEqual({
    kind: 'read',
    problems: [],
    low: [{ tpu: 'ray-b', worker: 1, percentFree: 3, available: '2.9G' }],
  });
  expect(await readFile(join(folder, 'asked'), 'utf8')).toBe(
    '--config infra/marin-us-central1.yaml --threshold 20 --dry-run\n',
  );
  // Nobody looks for a job on the head, so that none is ever proposed to be started.
  expect(await port.cleanupAlive()).toBeNull();
});

it('the default where that script is all there is says that it could not scan, never that all is well', async () => {
  expect(readScanReport(await portOf('').scan(), 20)).toMatchObject({ kind: 'unreadable', code: 'failed' });
});

it('the page of the configuration and the one on the scripts give that setting too', async () => {
  const docs = join(import.meta.dirname, '../../docs');
  expect(await readFile(join(docs, 'configuration.md'), 'utf8')).toContain(besides('scan').slice(0, 200));
  const shown = /scan: (\[uv, run, scripts\/ray\/cleanup_workers\.py[^\n]*\])/.exec(
    await readFile(join(docs, 'ray-scripts.md'), 'utf8'),
  );
  expect(parse(shown?.[1] ?? '')).toEqual(today);
});
