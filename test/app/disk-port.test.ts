/**
 * Disk care through real programs: the lab's scan, a stand-in for gcloud, and a worker with real mounts that
 * is cleaned with approval.
 */

import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiskPort, createDiskSteps, type DiskPlace, type DiskPort } from '../../src/app/disk-scan/disk-port.ts';
import { judgeWorker } from '../../src/care/disk/scan-record.ts';
import { readScanReport } from '../../src/care/disk/scan-report.ts';
import { readCleanAnswer } from '../../src/care/disk/worker-answers.ts';
import { sealCapability } from '../../src/domain/actions/capability-seal.ts';
import { isMountPoint, isTpuName, isZone } from '../../src/domain/care/machines.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { diskSchema } from '../../src/settings/machines.ts';
import { aNode, type GcloudStandIn, startGcloudStandIn } from '../care/gcloud-standin.ts';
import { hasNamespaces, makeTpuWorker, type TpuWorkerSandbox } from '../support/tpu-worker.ts';

const ROOT = join(import.meta.dirname, '../..');
const AT = brandAs('/tmp/gcsfuse_mount', isMountPoint);
const NOW = brandAs(1, isInstant);
const PLACE: DiskPlace = {
  cluster: 'us-central1-vllm',
  mountPoint: AT,
  gcp: { project: 'example-lab', zones: ['us-central1-a'] },
  disk: diskSchema.parse({
    mountPoint: AT,
    clusterFile: 'infra/marin-us-central1-vllm.yaml',
    scan: [
      'python3',
      'scripts/ray/cleanup_disk.py',
      '--config',
      '{clusterFile}',
      '--threshold',
      '{threshold}',
      '--dry-run',
    ],
    cleanupAlive: { command: ['echo', 'cleanup-cron-1 RUNNING'], expect: 'cleanup-cron-\\d+ RUNNING' },
  }),
};
const skipReason = 'this machine gives no mount namespaces to its users (unshare --map-root-user --mount)';

describe.skipIf(!hasNamespaces())('disk care of a cluster', { meta: { skipReason } }, () => {
  let standin: GcloudStandIn;
  let worker: TpuWorkerSandbox;
  let port: DiskPort;
  beforeEach(async () => {
    standin = await startGcloudStandIn({ nodes: [aNode('ray-a', '10.130.0.1'), aNode('ray-b', '10.130.0.2')] });
    worker = makeTpuWorker(100_000_000, join(standin.folder, 'workers/ray-a/0'));
    worker.putInBucket('precious', 'of the whole lab');
    worker.write(`${AT}/models/weights`, 'x'.repeat(95_000_000));
    const path = `${join(ROOT, 'fixtures/gcloud/bin')}${delimiter}${standin.gcloud.env['PATH'] ?? ''}`;
    const gcloud = { ...standin.gcloud, env: { ...standin.gcloud.env, PATH: path, PYTHONDONTWRITEBYTECODE: '1' } };
    port = createDiskPort(PLACE, { gcloud, tree: join(ROOT, 'fixtures/lab'), environment: {} });
  });
  afterEach(() => standin.remove());

  test('finds the full worker and its cause, cleans it with an approval, and sees the result', async () => {
    const report = readScanReport(await port.scan(), 20);
    expect(report).toMatchObject({ kind: 'read', problems: [], low: [{ tpu: 'ray-a', worker: 0 }] });
    const place = { tpu: brandAs('ray-a', isTpuName), zone: brandAs('us-central1-a', isZone), worker: 0 };
    expect(judgeWorker(await port.inspect(place), 0, AT)).toMatchObject({ finding: 'mount-missing' });
    const vm = { name: 'ray-a', zone: 'us-central1-a', createdAt: 'x', address: 'y' };
    const step = createDiskSteps(PLACE).cleanDisk({ ...place, vm });
    const token = sealCapability({ steps: [step], until: brandAs(2, isInstant) });
    const done = await port.change(step, { capability: token, now: NOW });
    expect(readCleanAnswer(done.stdout, done.exitCode ?? -1)).toMatchObject({ value: { outcome: 'deleted' } });
    expect(() => port.change(step, { capability: token, now: NOW })).toThrow('used up');
    worker.mountBucket(AT);
    expect(judgeWorker(await port.inspect(place), 0, AT)).toMatchObject({ finding: 'mount-there' });
    expect(worker.bucket()).toEqual(['precious']);
    expect(await port.cleanupAlive()).toEqual({ kind: 'known', value: true });
  });

  test('scans without uv when the machine has none, and reports unreadable when that is not allowed', async () => {
    const withPython = [join(ROOT, 'fixtures/gcloud/bin'), standin.gcloud.env['PATH']].join(delimiter);
    const scan = ['uv', 'run', ...PLACE.disk.scan.slice(1)];
    const env = { ...standin.gcloud.env, PATH: join(ROOT, 'fixtures/gcloud/bin'), PYTHONDONTWRITEBYTECODE: '1' };
    const scanned = (pythonWithoutUv: readonly string[] | null): ReturnType<DiskPort['scan']> =>
      createDiskPort(
        { ...PLACE, disk: { ...PLACE.disk, scan, pythonWithoutUv: pythonWithoutUv?.slice() ?? null } },
        { gcloud: { ...standin.gcloud, env }, tree: join(ROOT, 'fixtures/lab'), environment: {} },
      ).scan();
    expect(await scanned(['/usr/bin/env', `PATH=${withPython}`, 'python3'])).toMatchObject({ exitCode: 0 });
    expect(readScanReport(await scanned(null), 20)).toMatchObject({ kind: 'unreadable' });
  });

  test('reports a worker that did not answer as unknown, not as fine', async () => {
    await standin.set({
      nodes: [aNode('ray-b', '10.130.0.2')],
      faults: [{ verb: 'ssh', kind: 'unreachable', times: 9 }],
    });
    expect(readScanReport(await port.scan(), 20)).toMatchObject({
      kind: 'read',
      low: [],
      problems: [expect.stringMatching(/^unknown-worker: /)],
    });
    await standin.set({ nodes: [], faults: [{ verb: 'list', kind: 'not-logged-in' }] });
    expect(readScanReport(await port.scan(), 20)).toMatchObject({ kind: 'unreadable', code: 'failed' });
  });
});
