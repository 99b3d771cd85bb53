/** Inspecting a worker over ssh: the exact arguments, a real worker's answers, and unknown answers. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeWorker } from '../../src/care/disk/scan-record.ts';
import { readDiskUsage, readFolderSizes, readMounts } from '../../src/care/disk/worker-answers.ts';
import type { GcloudOptions } from '../../src/clouds/gcp/gcloud.ts';
import { cacheFolder, inspectWorker, sshArguments, type WorkerAnswers } from '../../src/clouds/gcp/ssh.ts';
import { isMountPoint, isTpuName, isZone, type TpuWorker } from '../../src/domain/care/machines.ts';
import { brandAs, type Observed } from '../../src/domain/values.ts';
import { aNode, type GcloudStandIn, startGcloudStandIn } from '../care/gcloud-standin.ts';
import { hasNamespaces, makeTpuWorker, type TpuWorkerSandbox } from '../support/tpu-worker.ts';

const AT = brandAs('/tmp/gcsfuse_mount', isMountPoint);
const WORKER: TpuWorker = { tpu: brandAs('ray-vllm-a', isTpuName), zone: brandAs('us-central1-a', isZone), worker: 1 };
const skipReason = 'this machine gives no mount namespaces to its users (unshare --map-root-user --mount)';

test('the arguments of a call contain the worker, its zone and a constant command, each separately', () => {
  expect(sshArguments('example-lab', WORKER, 'df -P -B1 /')).toEqual([
    ...['compute', 'tpus', 'tpu-vm', 'ssh', 'ray-vllm-a'],
    ...['--zone', 'us-central1-a', '--project', 'example-lab', '--worker=1'],
    ...['--command', 'df -P -B1 /', '--quiet'],
  ]);
});

describe.skipIf(!hasNamespaces())('a worker over ssh', { meta: { skipReason } }, () => {
  let standin: GcloudStandIn;
  let worker: TpuWorkerSandbox;
  const endpoint = (ipAddress: string): { ipAddress: string; port: number } => ({ ipAddress, port: 8470 });
  const nodes = [aNode('ray-vllm-a', '', { networkEndpoints: [endpoint('10.130.0.1'), endpoint('10.130.0.2')] })];
  beforeEach(async () => {
    standin = await startGcloudStandIn({ nodes });
    worker = makeTpuWorker(100_000_000, join(standin.folder, 'workers/ray-vllm-a/1'));
    worker.write(`${AT}/models/weights`, 'x'.repeat(95_000_000));
  });
  afterEach(() => standin.remove());

  const inspect = (change: Partial<GcloudOptions> = {}): Promise<WorkerAnswers> =>
    inspectWorker({ ...standin.gcloud, ...change }, 'example-lab', WORKER, AT);
  const judged = (answers: WorkerAnswers): ReturnType<typeof judgeWorker> =>
    judgeWorker(
      {
        disk: read(answers.disk, readDiskUsage),
        mounts: read(answers.mounts, readMounts),
        folders: read(answers.folders, (text) => readFolderSizes(text, cacheFolder(AT))),
      },
      5,
      AT,
    );

  test('shows data below a missing mount, and the mount if it is present', async () => {
    expect(judged(await inspect())).toMatchObject({
      finding: 'mount-missing',
      detail: { percentFreeAfter: expect.stringMatching(/^(?:99\.\d|100\.0)$/) },
    });
    worker.mountBucket(AT);
    worker.write('/tmp/ray/spilled', 'x'.repeat(95_000_000));
    expect(judged(await inspect())).toMatchObject({ finding: 'mount-there' });
    expect((await standin.calls()).map((args) => args[args.indexOf('--command') + 1])).toEqual([
      'df -P -B1 /',
      'cat /proc/self/mountinfo',
      'sudo -n du -x -B1 --max-depth=2 /tmp',
      'df -P -B1 /',
      'cat /proc/self/mountinfo',
      'sudo -n du -x -B1 --max-depth=2 /tmp',
    ]);
  });

  test('is unknown after one call if it does not answer', async () => {
    await standin.set({ nodes, faults: [{ verb: 'ssh', kind: 'unreachable', times: 9 }] });
    const answers = await inspect();
    expect(answers.mounts).toEqual({
      kind: 'unknown',
      why: 'gcloud: exit code 255: ssh: connect to host 10.130.0.1 port 22: Connection refused',
    });
    expect(judged(answers)).toMatchObject({ finding: 'unread', detail: { what: 'disk' } });
    expect(await standin.calls()).toHaveLength(1);
  });

  test('is unknown if its mount table is empty with exit code 0', async () => {
    worker.install('cat', '#!/bin/sh\nexit 0\n');
    worker.install(
      'df',
      '#!/bin/sh\necho "Filesystem 1-blocks Used Available Capacity Mounted on\n/dev/root 100 95 5 95% /"\n',
    );
    expect(judged(await inspect())).toMatchObject({ finding: 'unread', detail: { what: 'mounts' } });
  });

  test('is unknown if gcloud is missing, hangs, or prints without end', async () => {
    const missing = await inspect({ program: 'no-gcloud-here' });
    expect(missing.disk).toEqual({ kind: 'unknown', why: expect.stringMatching(/^gcloud: ENOENT/) });
    const { run } = standin.gcloud;
    await standin.set({ nodes, faults: [{ verb: 'ssh', kind: 'slow' }] });
    const hung = await inspect({ run: (file, args, options) => run(file, args, { ...options, timeoutMs: 700 }) });
    expect(hung.disk).toEqual({ kind: 'unknown', why: 'gcloud: timed-out' });
    await standin.set({ nodes, faults: [{ verb: 'ssh', kind: 'loud' }] });
    expect((await inspect()).disk).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/^gcloud: output-limit/),
    });
  });
});

function read<Value>(answer: Observed<string>, parse: (text: string) => Observed<Value>): Observed<Value> {
  return answer.kind === 'known' ? parse(answer.value) : answer;
}
