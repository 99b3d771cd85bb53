/** The doors of care on the command line: recorded disk scans and logs of bad nodes. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aNode } from '../../care/gcloud-standin.ts';
import { scratchFolder } from '../../host/git/scratch-repository.ts';
import { callVerb } from './call-verb.ts';

const GB = 1_000_000_000;

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const asJson = async (...args: Parameters<typeof callVerb>): Promise<object> => {
  const [verb, cwd, flags, stdin] = args;
  const { code, out } = await callVerb(verb, cwd, [...flags, '--json'], stdin);
  return { code, ...(JSON.parse(out) as object) };
};

describe('disk-scan', () => {
  const ROOT_MOUNT = '22 1 8:1 / / rw - ext4 /dev/sda1 rw\n';
  const BUCKET = '40 22 0:50 / /tmp/gcsfuse_mount rw - fuse.gcsfuse bucket rw\n';
  const DF = `Filesystem 1-blocks Used Available Capacity Mounted on\n/dev/root ${100 * GB} ${96 * GB} ${4 * GB} 96% /\n`;
  const DU = `${61 * GB}\t/tmp/gcsfuse_mount/models\n${62 * GB}\t/tmp/gcsfuse_mount\n${63 * GB}\t/tmp\n`;
  const low = (tpu: string): string => `  ⚠ ${tpu} worker 0: 4% free (4.0G available)\n`;
  const worker = (tpu: string, mounts: string): Readonly<Record<string, string>> => ({
    [`workers/${tpu}/0/df.txt`]: DF,
    [`workers/${tpu}/0/mounts.txt`]: mounts,
    [`workers/${tpu}/0/du.txt`]: DU,
  });
  const tpus = JSON.stringify([aNode('ray-a', '10.130.0.1'), aNode('ray-b', '10.130.0.2')]);

  it('says yes to a whole scan in which every worker has room', async () => {
    const folder = folderWith({ 'scan.txt': '✓ All workers have >20% free disk space\n' });
    expect(await asJson('disk-scan', folder, ['.'])).toMatchObject({
      code: 0,
      ok: true,
      scan: { reading: 'whole', workers: [] },
      proposed: [],
    });
  });

  it('finds the cause of each worker, and proposes for a missing mount alone', async () => {
    const folder = folderWith({
      'scan.txt': low('ray-a') + low('ray-b') + low('ray-c'),
      'tpus.json': tpus,
      ...worker('ray-a', ROOT_MOUNT),
      ...worker('ray-b', ROOT_MOUNT + BUCKET),
      ...worker('ray-c', ROOT_MOUNT),
    });
    expect(await asJson('disk-scan', folder, ['.'])).toMatchObject({
      code: 1,
      ok: false,
      scan: {
        workers: [
          { tpu: 'ray-a', finding: 'mount-missing', percentFree: '4.0', detail: { misplacedBytes: 62 * GB } },
          { tpu: 'ray-b', finding: 'mount-there' },
          { tpu: 'ray-c', finding: 'mount-missing', vm: null },
        ],
      },
      proposed: [{ tpu: 'ray-a', workers: [0] }],
    });
    expect((await callVerb('disk-scan', folder, ['.'])).out).toContain(
      'would be proposed: clean-disk, init-worker of ray-a (worker 0)',
    );
  });

  it('is used wrongly without a folder, without a scan in it, and for a mount point that is none', async () => {
    for (const args of [[], ['.'], ['.', '--mount-point', '/'], ['.', '--warn', 'x'], ['a', 'b'], ['--x']])
      expect((await callVerb('disk-scan', folderWith({}), args)).code).toBe(2);
  });
});

describe('bad-node', () => {
  const LINE =
    '(Train pid=42, ip=10.130.0.2) RuntimeError: No accelerator found. Please run on a TPU or GPU.\n';
  const folder = folderWith({
    'tpus.json': JSON.stringify([aNode('ray-a', '10.130.0.1'), aNode('ray-b', '10.130.0.2')]),
    'broken.json': '{',
  });

  it('names signature, address, line and machine', async () => {
    expect(await asJson('bad-node', folder, ['--tpus', 'tpus.json'], `hello\n${LINE}`)).toMatchObject({
      code: 0,
      ok: true,
      signatures: [{ id: 'no-accelerator', lineNumber: 2, count: 1 }],
      workers: ['10.130.0.2'],
      machine: { kind: 'found', name: 'ray-b', zone: 'us-central1-a', worker: 0 },
    });
  });

  it('says no to a log of another failure, and tells no secret', async () => {
    expect(await asJson('bad-node', folder, [], 'OwnerDiedError\n')).toEqual({
      code: 1,
      ok: false,
      signatures: [],
      workers: [],
      machine: null,
    });
    const secret = `hf_${'a'.repeat(30)}`;
    const { out, err } = await callVerb('bad-node', folder, [], `${secret} Device or resource busy\n`);
    expect(out + err).not.toContain(secret);
    expect((await callVerb('bad-node', folder, ['log.txt'], '')).code).toBe(2);
  });
});
