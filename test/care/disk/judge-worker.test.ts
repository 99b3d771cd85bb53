/** The cause of a full disk: seen, or unknown; nothing in between. */

import { describe, expect, test } from 'vitest';
import {
  judgeWorker,
  type WorkerEvidence,
  type WorkerJudgement,
} from '../../../src/care/disk/scan-record.ts';
import { isMountPoint, isTpuName } from '../../../src/domain/care/worker-disk.ts';
import { branded } from '../../../src/domain/ids.ts';
import { known, unknown } from '../../../src/domain/observed.ts';

const GIB = 2 ** 30;
const AT = '/tmp/gcsfuse_mount';
const ROOT = { at: '/', type: 'ext4' };

/** Five of 100 GiB are free, nothing is mounted, and 62 GiB lie where the bucket belongs. */
const POLICY_CASE: WorkerEvidence = {
  tpu: branded('ray-vllm-a', isTpuName),
  worker: 0,
  scannedPercentFree: 5,
  disk: known({ usedBytes: 95 * GIB, availableBytes: 5 * GIB }),
  mounts: known([ROOT]),
  folders: known([
    { path: '/tmp', bytes: 63 * GIB },
    { path: AT, bytes: 62 * GIB },
  ]),
};

const judge = (more: Partial<WorkerEvidence> = {}): WorkerJudgement =>
  judgeWorker({ ...POLICY_CASE, ...more }, { mountPoint: branded(AT, isMountPoint), thresholdPercent: 10 });

describe('a worker with little free disk', () => {
  test('has data on the boot disk where nothing is mounted, and what clearing it would free', () => {
    expect(judge()).toMatchObject({
      kind: 'low',
      percentFree: 5,
      cause: { code: 'mount-missing', misplacedBytes: 62 * GIB, percentFreeAfter: 67 },
    });
  });

  test.each([
    [
      'its mount is there',
      { mounts: known([ROOT, { at: AT, type: 'fuse.gcsfuse' }]) },
      { code: 'mount-there', type: 'fuse.gcsfuse' },
    ],
    [
      'something is mounted below',
      { mounts: known([ROOT, { at: `${AT}/models`, type: 'fuse' }]) },
      { code: 'mount-below', at: `${AT}/models` },
    ],
    [
      'the folder is on another disk',
      { mounts: known([ROOT, { at: '/tmp', type: 'tmpfs' }]) },
      { code: 'other-disk', at: '/tmp' },
    ],
    ['the folder is empty', { folders: known([{ path: AT, bytes: 4096 }]) }, { code: 'mount-missing-empty' }],
    [
      'there is no folder',
      { folders: known([{ path: '/tmp', bytes: 4096 }]) },
      { code: 'mount-missing-empty' },
    ],
  ])('is low for another reason where %s', (_what, more, cause) => {
    expect(judge(more)).toMatchObject({ kind: 'low', cause });
  });

  test.each([
    ['its disk', { disk: unknown('no answer') }, 'disk-unread'],
    ['its mounts', { mounts: unknown('no answer') }, 'mounts-unread'],
    ['its folders', { folders: unknown('no answer') }, 'folders-unread'],
  ])('is unknown where nobody could read %s', (_what, more, code) => {
    expect(judge(more)).toEqual({ kind: 'unknown', percentFree: 5, code, why: 'no answer' });
  });

  test('is low all the same where the mount is there and only the folders are unread', () => {
    const more = { folders: unknown('no answer'), mounts: known([ROOT, { at: AT, type: 'fuse.gcsfuse' }]) };
    expect(judge(more)).toMatchObject({ kind: 'low', cause: { code: 'mount-there' }, folders: [] });
  });

  test('is fine when it has more than the threshold again', () => {
    expect(judge({ disk: known({ usedBytes: 80, availableBytes: 20 }), mounts: unknown('x') })).toEqual({
      kind: 'fine',
      percentFree: 20,
    });
    expect(judge({ disk: known({ usedBytes: 90, availableBytes: 10 }) }).kind).toBe('low');
  });
});
