/**
 * A TPU worker in a folder (fixtures/gcloud/worker/run.sh): a boot disk, a bucket, real mounts, and programs
 * that interfere.
 */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProgramResult, runProgram } from '../../src/host/process.ts';

const WORKER = fileURLToPath(new URL('../../fixtures/gcloud/worker/run.sh', import.meta.url));

export type TpuWorkerSandbox = {
  readonly folder: string;
  /** Writes a file on the boot disk; the path is absolute on the worker. */
  readonly write: (path: string, content: string) => void;
  readonly putInBucket: (name: string, content: string) => void;
  /** Mounts the bucket there; null unmounts it. */
  readonly mountBucket: (at: string | null) => void;
  /** A program that precedes the system's program with that name. */
  readonly install: (name: string, script: string) => void;
  readonly ssh: (command: string) => Promise<ProgramResult>;
  /** Names in a folder of the boot disk, regardless of mounts; null if it does not exist. */
  readonly list: (path: string) => readonly string[] | null;
  readonly bucket: () => readonly string[];
  /** A file that a program left in its own folder. */
  readonly read: (name: string) => string;
  readonly remove: () => void;
};

/** Whether this machine lets its users create mounts. */
export function hasNamespaces(): boolean {
  return spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0;
}

/** A new worker, where every user is root and the boot disk has `diskBytes`; by default in a new folder. */
export function makeTpuWorker(
  diskBytes = 100_000_000,
  folder = mkdtempSync(join(tmpdir(), 'ferrybot-worker-')),
): TpuWorkerSandbox {
  const onDisk = (path: string): string => join(folder, 'root', path);
  const install = (name: string, script: string): void => {
    const file = join(folder, 'programs', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  };
  const put = (file: string, content: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  mkdirSync(onDisk('tmp'), { recursive: true });
  mkdirSync(join(folder, 'bucket'), { recursive: true });
  put(join(folder, 'programs/disk-bytes'), String(diskBytes));
  return {
    folder,
    write: (path, content) => put(onDisk(path), content),
    putInBucket: (name, content) => put(join(folder, 'bucket', name), content),
    mountBucket: (at) => {
      if (at === null) rmSync(join(folder, 'mounted'), { force: true });
      else writeFileSync(join(folder, 'mounted'), at);
    },
    install,
    ssh: (command) => runProgram(WORKER, [folder, command], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } }),
    list: (path) => (existsSync(onDisk(path)) ? readdirSync(onDisk(path)).toSorted() : null),
    bucket: () => readdirSync(join(folder, 'bucket')).toSorted(),
    read: (name) => readFileSync(join(folder, 'programs', name), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
