/**
 * Output of df, mount tables, du and the cleaning command: what it means, and that missing output means
 * unknown.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findMountAt,
  findMountContaining,
  percentFree,
  readCleanAnswer,
  readDiskUsage,
  readFolderSizes,
  readMounts,
} from '../../../src/care/disk/worker-answers.ts';
import { isMountPoint, isTpuName, isZone } from '../../../src/domain/care/machines.ts';
import { known } from '../../../src/domain/values.ts';

describe('df', () => {
  test.each([
    [
      'Filesystem     1-blocks         Used    Available Capacity Mounted on\n/dev/root  103865303040 98671038464   5177487360      96% /',
      98671038464,
      5177487360,
    ],
    [
      'Filesystem     1B-blocks         Used    Available Use% Mounted on\n/dev/root  103865303040 98671038464   5177487360      96% /',
      98671038464,
      5177487360,
    ],
    [
      'Welcome to TPU\nFilesystem 1-blocks Used Available Capacity Mounted on\nmy disk 10 4 6 40% /\ntmpfs 10 1 9 10% /run',
      4,
      6,
    ],
  ])('%#: yields the boot disk', (output, usedBytes, availableBytes) => {
    expect(readDiskUsage(output)).toEqual(known({ usedBytes, availableBytes }));
  });

  test.each([
    '',
    'ssh: connect to host 10.0.0.1 port 22: Connection timed out',
    'Filesystem 1-blocks Used Available Capacity Mounted on\n',
    'Filesystem 1-blocks Used Available Capacity Mounted on\n/dev/sdb 97 1 96 1% /data',
    'Filesystem      Size  Used Avail Use% Mounted on\n/dev/sdb 97G 1G 96G 1% /',
    'Filesystem 1-blocks Used Available Capacity Mounted on\na 10 4 6 40% /\nb 10 4 6 40% /',
    'Filesystem 1-blocks Used Available Capacity Mounted on\na 0 0 0 0% /',
    '/dev/root 97G 92G 4.9G 95% /',
    'Filesystem 1-blocks Used Available Capacity Mounted on\na 99999999999999999 9999999999999999999 6 40% /',
    'Filesystem 1-blocks Used Available Capacity Mounted on\na 20 9.5 10.5 40% /',
  ])('%#: is unknown without the boot disk', (output) => {
    expect(readDiskUsage(output).kind).toBe('unknown');
  });

  test('computes the free share of the space that users may use, as df does', () => {
    expect(percentFree({ usedBytes: 95, availableBytes: 5 })).toBe(5);
  });
});

const TABLE = `29 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 29 0:5 / /dev rw,nosuid shared:2 - devtmpfs devtmpfs rw
41 29 0:44 / /tmp/gcsfuse_mount rw,nosuid,nodev,relatime shared:9 - fuse.gcsfuse marin-us rw,user_id=0
42 29 0:45 / /mnt/with\\040space rw - tmpfs none rw`;

describe('a mount table', () => {
  test('yields every mount', () => {
    expect(readMounts(`${TABLE}\n`)).toEqual(
      known([
        { at: '/', type: 'ext4' },
        { at: '/dev', type: 'devtmpfs' },
        { at: '/tmp/gcsfuse_mount', type: 'fuse.gcsfuse' },
        { at: '/mnt/with space', type: 'tmpfs' },
      ]),
    );
  });

  test.each([
    ['empty', ''],
    ['empty after a filter', '\n'],
    ['cut to one line by a filter', TABLE.split('\n')[2] ?? ''],
    ['an error', 'cat: /proc/self/mountinfo: No such file or directory'],
    ['in another format', '/dev/root on / type ext4 (rw,relatime)'],
    ['cut in the middle of a line', TABLE.slice(0, -12)],
    ['preceded by output of the login shell', `Last login: today\n${TABLE}`],
  ])('is unknown if it is %s', (_what, text) => {
    expect(readMounts(text).kind).toBe('unknown');
  });

  test('yields which mount covers a path', () => {
    const mounts = [
      { at: '/', type: 'ext4' },
      { at: '/tmp', type: 'tmpfs' },
      { at: '/tmp/a', type: 'fuse' },
      { at: '/tmp/a/b', type: 'x' },
      { at: '/tmp/a', type: 'fuse.gcsfuse' },
    ];
    expect(findMountAt(mounts, '/tmp/a')?.type).toBe('fuse.gcsfuse');
    expect(findMountAt(mounts, '/tmp/ab')).toBeNull();
    expect(findMountContaining(mounts, '/tmp/ab')?.at).toBe('/tmp');
    expect(findMountContaining(mounts, '/home')?.at).toBe('/');
    expect(findMountContaining([], '/tmp')).toBeNull();
  });

  test('decodes paths with blanks and backslashes', () => {
    const path = fc
      .array(fc.stringMatching(/^[A-Za-z0-9._ \\-]{1,8}$/), { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.map((part) => `x${part}x`).join('/')}`);
    const escaped = (text: string): string => text.replaceAll('\\', '\\134').replaceAll(' ', '\\040');
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 5 }), (paths) => {
        const all = ['/', ...paths];
        const info = all.map((at, index) => `${index} 1 8:${index} / ${escaped(at)} rw master:1 - ext4 dev rw`);
        const expected = known(all.map((at) => ({ at, type: 'ext4' })));
        expect(readMounts(info.join('\n'))).toEqual(expected);
      }),
    );
  });
});

describe('du', () => {
  test('yields folders, largest first', () => {
    const sizes = readFolderSizes(
      '100\t/tmp/a\n5000\t/tmp/gcsfuse_mount/models\n5200\t/tmp/gcsfuse_mount\n5400\t/tmp\n',
      '/tmp',
    );
    expect(sizes.kind === 'known' && sizes.value.map(({ path }) => path)).toEqual([
      '/tmp',
      '/tmp/gcsfuse_mount',
      '/tmp/gcsfuse_mount/models',
      '/tmp/a',
    ]);
  });

  test.each(['', '100\t/tmp/a\n', '100\t/tmp/a\n5400\t/tm', 'du: cannot access', '5400\t/tmp\n100\t/tmp/a\n'])(
    '%#: is unknown if its output is incomplete',
    (output) => {
      expect(readFolderSizes(output, '/tmp').kind).toBe('unknown');
    },
  );
});

describe('the last line of the cleaning command', () => {
  test('yields the outcome', () => {
    expect(readCleanAnswer('rm: noise\nferrybot-clean 1 deleted moved freed=-12 left=0\n', 0)).toEqual(
      known({ outcome: 'deleted', code: 'moved', freedBytes: -12, leftFiles: 0 }),
    );
    expect(readCleanAnswer('ferrybot-clean 1 refused mounted freed=0 left=0', 3).kind).toBe('known');
  });

  test.each([
    ['', 0],
    ['', 255],
    ['ferrybot-clean 1 deleted moved freed=1 left=0\nConnection closed', 0],
    ['ferrybot-clean 1 deleted moved freed=1 left=0', 3],
    ['ferrybot-clean 1 refused mounted freed=0 left=0', 0],
    ['ferrybot-clean 2 deleted moved freed=1 left=0', 0],
    ['ferrybot-clean 1 deleted moved freed= left=0', 0],
    ['ferrybot-clean 1 deleted moved freed=999999999999999999 left=0', 0],
  ])('%#: is unknown if the line is missing or contradicts the exit code', (stdout, exitCode) => {
    expect(readCleanAnswer(stdout, exitCode).kind).toBe('unknown');
  });
});

describe('names in commands', () => {
  test('are valid for cloud and kernel, and contain nothing special for a shell or a program', () => {
    expect(['ray-marin-us-central1-vllm-worker-5-tpu', 'a', 'a0'].every(isTpuName)).toBe(true);
    expect(['', '-a', '--quiet', 'a-', 'A', '0a', 'a b', 'a;b', 'a\n', 'a/b', 'a'.repeat(64)].some(isTpuName)).toBe(
      false,
    );
    expect(['us-central1-a', 'europe-west4-b'].every(isZone)).toBe(true);
    expect(['', '-', 'us-central1', '--zone', 'us-central1-a\n'].some(isZone)).toBe(false);
    expect(
      ['/tmp/gcsfuse_mount', '/opt/gcsfuse_mount', '/home/ray/gcs', '/mnt/disks/gcs-1.2', '/var/cache/gcs'].every(
        isMountPoint,
      ),
    ).toBe(true);
    const refused = [
      '',
      '/',
      '/tmp',
      '/tmp/',
      '/tmp/..',
      '/tmp/./a',
      '/tmp/a/../b',
      'tmp/a',
      '/tmp//a',
      '/tmp/-rf',
      '/tmp/a b',
      '/tmp/a;b',
      '/tmp/$a',
      "/tmp/a'",
      '/tmp/a\n',
      '/etc/ssh',
      '/usr/lib',
      '/home/ray',
      '/var/lib',
      '/proc/1',
      '/tmp/.x',
    ];
    expect(refused.filter(isMountPoint)).toEqual([]);
  });
});
