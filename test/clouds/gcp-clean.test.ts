/**
 * The command that deletes on a worker, run by a real shell with real mounts: the bucket keeps its content
 * with any timing.
 */

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CleanAnswer, readCleanAnswer } from '../../src/care/disk/worker-answers.ts';
import { buildCleanCommand } from '../../src/clouds/gcp/ssh.ts';
import { isMountPoint } from '../../src/domain/care/machines.ts';
import { brandAs, type Observed } from '../../src/domain/values.ts';
import { hasNamespaces, makeTpuWorker, type TpuWorkerSandbox } from '../support/tpu-worker.ts';

const MOUNT_POINT = '/tmp/gcsfuse_mount';
const ASIDE = `${MOUNT_POINT}.ferrybot-aside`;
const COMMAND = buildCleanCommand(brandAs(MOUNT_POINT, isMountPoint));
const skipReason = 'this machine gives no mount namespaces to its users (unshare --map-root-user --mount)';

describe.skipIf(!hasNamespaces())('clearing a mount point', { meta: { skipReason } }, () => {
  let worker: TpuWorkerSandbox;
  beforeEach(() => {
    worker = makeTpuWorker();
    worker.putInBucket('precious', 'of the whole lab');
    worker.write(`${MOUNT_POINT}/models/llama/weights`, 'x'.repeat(50_000));
  });
  afterEach(() => {
    expect(worker.bucket()).toEqual(['precious']);
    worker.remove();
  });

  const clean = async (): Promise<Observed<CleanAnswer>> => {
    const { stdout, exitCode } = await worker.ssh(COMMAND);
    return readCleanAnswer(stdout, exitCode ?? -1);
  };
  const said = async (): Promise<string> => {
    const answer = await clean();
    return answer.kind === 'known' ? `${answer.value.outcome} ${answer.value.code}` : answer.why;
  };
  const isUntouched = (): boolean => worker.list(`${MOUNT_POINT}/models/llama`)?.[0] === 'weights';

  test('deletes data written below a missing mount, reports the freed space, and can be repeated', async () => {
    worker.write(`${MOUNT_POINT}/ odd\n'name"; $(reboot) *`, 'x');
    worker.write(`${MOUNT_POINT}/-rf`, 'x');
    worker.write(`${MOUNT_POINT}/.hidden/--help`, 'x');
    worker.write('/tmp/other/kept', 'x');
    const answer = await clean();
    expect(answer).toMatchObject({ kind: 'known', value: { outcome: 'deleted', code: 'moved', leftFiles: 0 } });
    expect(answer.kind === 'known' && answer.value.freedBytes).toBeGreaterThan(50_000);
    expect(worker.list('/tmp')).toEqual(['other']);
    expect(await said()).toBe('nothing absent');
    expect(worker.list('/tmp/other')).toEqual(['kept']);
  });

  test('does nothing while the bucket is mounted', async () => {
    worker.mountBucket(MOUNT_POINT);
    expect(await said()).toBe('refused mounted');
    expect(isUntouched()).toBe(true);
  });

  test('does nothing while another mount is below the folder', async () => {
    worker.mountBucket(`${MOUNT_POINT}/models`);
    expect(await said()).toBe('refused mounted-below');
    expect(isUntouched()).toBe(true);
  });

  test('does nothing if the mount returned between check and deletion', async () => {
    worker.install('perl', interfering('perl', `mount --bind /mnt/bucket ${MOUNT_POINT}`));
    expect(await said()).toBe('refused mounted');
    expect(isUntouched()).toBe(true);
  });

  test('restores the folder if a mount appeared below it in the meantime', async () => {
    worker.install('perl', interfering('perl', `mount --bind /mnt/bucket ${MOUNT_POINT}/models`, 1));
    expect(await said()).toBe('refused mounted-below');
    expect(isUntouched()).toBe(true);
    expect(worker.list('/tmp')).toEqual(['gcsfuse_mount']);
  });

  test('leaves the folder aside and reports that if its name is in use again', async () => {
    worker.install(
      'perl',
      `#!/bin/sh\nmount --bind /mnt/bucket ${MOUNT_POINT}/models\n/usr/bin/perl "$@" && mkdir ${MOUNT_POINT}\n`,
    );
    expect(await said()).toBe('refused mounted-below-aside');
    expect(worker.list(`${ASIDE}/models/llama`)).toEqual(['weights']);
  });

  test('does not reach a mount that appears during the deletion', async () => {
    worker.install(
      'find',
      interfering('find', `mkdir -p ${MOUNT_POINT} && mount --bind /mnt/bucket ${MOUNT_POINT}`, 4),
    );
    expect(await said()).toBe('deleted moved');
    expect(worker.list('/tmp')).toEqual(['gcsfuse_mount']);
  });

  test('follows no symbolic link, neither at the end nor inside the path', async () => {
    worker.write('/home/somebody/kept', 'x');
    const root = join(worker.folder, 'root');
    mkdirSync(join(root, 'tmp/deep'));
    symlinkSync('/home/somebody', join(root, 'tmp/deep/link'));
    symlinkSync('/tmp/deep', join(root, 'tmp/way'));
    const through = async (path: string): Promise<string> => {
      const { stdout } = await worker.ssh(buildCleanCommand(brandAs(path, isMountPoint)));
      return stdout.trim().split(' ').slice(2, 4).join(' ');
    };
    expect(await through('/tmp/deep/link')).toBe('refused link');
    expect(await through('/tmp/way/models')).toBe('refused link');
    expect(await through('/tmp/nowhere/models')).toBe('refused no-parent');
    expect(await through('/tmp/deep/link/kept')).toBe('refused link');
    expect(await through('/home/somebody/kept')).toBe('refused no-folder');
    expect(worker.list('/home/somebody')).toEqual(['kept']);
  });

  test('deletes nothing behind a symbolic link inside the folder', async () => {
    worker.write('/home/somebody/kept', 'x');
    symlinkSync('/home/somebody', join(worker.folder, 'root', MOUNT_POINT, 'models/link'));
    expect(await said()).toBe('deleted moved');
    expect(worker.list('/home/somebody')).toEqual(['kept']);
  });

  test('deletes on the boot disk only', async () => {
    worker.install('sudo', `#!/bin/sh\nshift\nmount -t tmpfs x /tmp && mkdir -p ${MOUNT_POINT}/models\nexec "$@"\n`);
    expect(await said()).toBe('refused other-disk');
  });

  test('refuses and restores a folder that was replaced in the meantime', async () => {
    const swap = `mv ${MOUNT_POINT} /tmp/taken && ln -s /tmp/taken ${MOUNT_POINT}`;
    worker.install('perl', interfering('perl', swap, 1));
    expect(await said()).toBe('refused changed');
    expect(worker.list('/tmp/taken/models/llama')).toEqual(['weights']);
  });

  test('reports what it could not delete, and deletes the rest when repeated', async () => {
    worker.write(`${MOUNT_POINT}/models/broken`, 'x');
    worker.install(
      'find',
      '#!/bin/sh\ncase "$*" in *-delete) /usr/bin/find . -mindepth 1 ! -name broken ! -name models -delete; exit 1 ;; esac\nexec /usr/bin/find "$@"\n',
    );
    const answer = await clean();
    expect(answer).toMatchObject({ kind: 'known', value: { outcome: 'incomplete', code: 'moved', leftFiles: 3 } });
    worker.install('find', '#!/bin/sh\nexec /usr/bin/find "$@"\n');
    expect(await said()).toBe('deleted leftover');
    expect(worker.list('/tmp')).toEqual([]);
  });

  test('does nothing on a read-only disk', async () => {
    const { stdout, exitCode } = await worker.ssh(`mount -o remount,bind,ro / && ${COMMAND}`);
    expect(readCleanAnswer(stdout, exitCode ?? -1)).toMatchObject({
      value: { outcome: 'refused', code: 'not-moved', freedBytes: 0 },
    });
    expect(isUntouched()).toBe(true);
  });

  test('deletes although a process uses the folder, and prints its result last', async () => {
    const { stdout, exitCode } = await worker.ssh(
      `echo Welcome; (cd ${MOUNT_POINT} && exec sleep 20 >/dev/null 2>&1) & sleep 0.2; ${COMMAND}; code=$?; kill $!; exit $code`,
    );
    expect(stdout.startsWith('Welcome\n')).toBe(true);
    expect(readCleanAnswer(stdout, exitCode ?? -1)).toMatchObject({ value: { outcome: 'deleted' } });
    expect(worker.list('/tmp')).toEqual([]);
  });

  test('is unknown if other output follows its result', async () => {
    const { stdout, exitCode } = await worker.ssh(`${COMMAND}; echo logout`);
    expect(readCleanAnswer(stdout, exitCode ?? -1).kind).toBe('unknown');
  });

  test('does nothing if the mount table cannot be read completely', async () => {
    for (const script of ['exit 1', 'exit 0', 'exec /usr/bin/tail -n 1 "$@"']) {
      worker.install('cat', `#!/bin/sh\n${script}\n`);
      expect(await said()).toBe('refused unread');
    }
    expect(isUntouched()).toBe(true);
  });

  test('is unknown without permission to become root', async () => {
    worker.install('sudo', '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n');
    expect(await said()).toBe('the command ended with 1 and without its last line');
    expect(isUntouched()).toBe(true);
  });

  test('keeps the bucket if it is mounted at any place and time during the command', async () => {
    const outcomes = new Set<string>();
    for (const place of [MOUNT_POINT, `${MOUNT_POINT}/models`, ASIDE]) {
      // Every moment for the mount point itself, every third for the others, because each needs a new
      // machine.
      const stride = place === MOUNT_POINT ? 1 : 3;
      for (let moment = 1, isReached = true; isReached; moment += stride) {
        const other = makeTpuWorker();
        other.putInBucket('precious', 'of the whole lab');
        other.write(`${MOUNT_POINT}/models/weights`, 'x');
        for (const name of ['cat', 'find', 'stat', 'perl', 'rmdir', 'wc']) mountAtMoment(other, name, moment, place);
        const { stdout, exitCode } = await other.ssh(COMMAND);
        const answer = readCleanAnswer(stdout, exitCode ?? -1);
        if (answer.kind === 'unknown') throw new Error(`${place} at ${moment}: ${answer.why}`);
        const { outcome } = answer.value;
        const isThere = [MOUNT_POINT, ASIDE].some((at) => other.list(`${at}/models`)?.includes('weights') === true);
        expect({ place, moment, bucket: other.bucket(), isThere }).toEqual({
          place,
          moment,
          bucket: ['precious'],
          isThere: outcome === 'refused',
        });
        outcomes.add(`${outcome} ${answer.value.code}`);
        isReached = moment <= Number(other.read('count'));
        other.remove();
      }
    }
    expect([...outcomes].toSorted()).toMatchInlineSnapshot(`
      [
        "deleted moved",
        "incomplete moved",
        "refused aside-mounted",
        "refused mounted",
        "refused mounted-aside",
        "refused mounted-below",
        "refused not-moved",
      ]
    `);
  });
});

/**
 * A program that runs a script before its n-th call (before each call if no number is given), then does its
 * normal work.
 */
function interfering(name: string, what: string, nth: number | null = null): string {
  const count = `n=$(($(/usr/bin/cat /opt/worker/${name}.count 2>/dev/null || echo 0) + 1)); echo $n > /opt/worker/${name}.count`;
  const happens = nth === null ? what : `if test $n = ${nth}; then ${what}; fi`;
  return `#!/bin/sh\n${count}\n${happens}\nexec /usr/bin/${name} "$@"\n`;
}

/** Mounts the bucket before the n-th call among all these programs. */
function mountAtMoment(worker: TpuWorkerSandbox, name: string, moment: number, place: string): void {
  worker.install(
    name,
    `#!/bin/sh
n=$(($(/usr/bin/cat /opt/worker/count 2>/dev/null || echo 0) + 1)); echo $n > /opt/worker/count
if test $n = ${moment}; then /usr/bin/mkdir -p ${place}; /usr/bin/mount --bind /mnt/bucket ${place}; fi
exec /usr/bin/${name} "$@"
`,
  );
}
