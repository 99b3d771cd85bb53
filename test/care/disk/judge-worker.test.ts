/** The cause of a full disk: observed or unknown, nothing in between. */

import { describe, expect, test } from 'vitest';
import {
  buildScanRecord,
  type Inspection,
  type JudgedWorker,
  judgeWorker,
} from '../../../src/care/disk/scan-record.ts';
import { isMountPoint, isTpuName } from '../../../src/domain/care/machines.ts';
import { brandAs, known, unknown } from '../../../src/domain/values.ts';

const GIB = 2 ** 30;
const AT = '/tmp/gcsfuse_mount';
const ROOT = { at: '/', type: 'ext4' };

/** 5 of 100 GiB are free, nothing is mounted, and 62 GiB are in the folder of the bucket. */
const POLICY_CASE: Inspection = {
  disk: known({ usedBytes: 95 * GIB, availableBytes: 5 * GIB }),
  mounts: known([ROOT]),
  folders: known([
    { path: '/tmp', bytes: 63 * GIB },
    { path: AT, bytes: 62 * GIB },
  ]),
};

const judge = (more: Partial<Inspection> = {}): JudgedWorker =>
  judgeWorker({ ...POLICY_CASE, ...more }, 5, brandAs(AT, isMountPoint));

describe('a worker with little free disk', () => {
  test('has data on the boot disk below a missing mount, and the report estimates the gain of clearing it', () => {
    expect(judge()).toMatchObject({
      percentFree: 5,
      finding: 'mount-missing',
      detail: { misplacedBytes: 62 * GIB, percentFreeAfter: '67.0' },
    });
  });

  test.each([
    [
      'its mount is present',
      { mounts: known([ROOT, { at: AT, type: 'fuse.gcsfuse' }]) },
      'mount-there',
      { type: 'fuse.gcsfuse' },
    ],
    [
      'a mount exists below the path',
      { mounts: known([ROOT, { at: `${AT}/models`, type: 'fuse' }]) },
      'mount-below',
      { at: `${AT}/models` },
    ],
    [
      'the folder is on another disk',
      { mounts: known([ROOT, { at: '/tmp', type: 'tmpfs' }]) },
      'other-disk',
      { at: '/tmp' },
    ],
    ['the folder is empty', { folders: known([{ path: AT, bytes: 4096 }]) }, 'mount-missing-empty', {}],
    ['the folder does not exist', { folders: known([{ path: '/tmp', bytes: 4096 }]) }, 'mount-missing-empty', {}],
  ])('has another cause if %s', (_what, more, finding, detail) => {
    expect(judge(more)).toEqual({ percentFree: 5, finding, detail });
  });

  test.each([
    ['its disk', { disk: unknown('no answer') }, 'disk'],
    ['its mounts', { mounts: unknown('no answer') }, 'mounts'],
    ['its folders', { folders: unknown('no answer') }, 'folders'],
  ])('is unknown if %s could not be read', (_what, more, what) => {
    const detail = { what, why: 'no answer' };
    expect(judge(more)).toEqual({ percentFree: 5, finding: 'unread', detail });
  });

  test('is low for a mount that is present, even if the folders could not be read', () => {
    const more = { folders: unknown('no answer'), mounts: known([ROOT, { at: AT, type: 'fuse.gcsfuse' }]) };
    expect(judge(more)).toMatchObject({ finding: 'mount-there' });
  });

  test('is left out of the record if it has enough space again', () => {
    const low = { tpu: brandAs('ray-a', isTpuName), worker: 0, percentFree: 5, available: '5G' };
    const recordOf = (usedBytes: number) =>
      buildScanRecord({
        cluster: 'us-central1',
        report: { kind: 'read', low: [low], problems: [] },
        listing: { kind: 'listed', vms: [] },
        inspections: new Map([[low, { ...POLICY_CASE, disk: known({ usedBytes, availableBytes: 100 - usedBytes }) }]]),
        cleanup: 'not-asked',
        policy: { mountPoint: brandAs(AT, isMountPoint), thresholdPercent: 10, warnPercent: 20 },
      });
    expect(recordOf(79).workers).toEqual([]);
    expect(recordOf(80).workers).toHaveLength(1);
  });
});
