/** The paths in a rehearsal's folder. */

import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export type LabFolder = {
  readonly root: string;
  readonly keys: string;
  readonly world: string;
  readonly repositories: string;
  readonly runners: string;
  /** Job records, logs and shipped trees; this outlives every process. */
  readonly jobs: string;
  readonly server: string;
  /** A checkout of the logbook branch, to read or verify it. */
  readonly logbook: string;
  readonly manifests: string;
  readonly serverLog: string;
  readonly serverPid: string;
  /** The record of the lab's Ray head, if it has one. */
  readonly rayHead: string;
  /** The record of the lab's Slurm cluster, if it has one. */
  readonly slurmCluster: string;
  readonly irisCluster: string;
  /** Output of jobs that do not run below `jobs`. */
  readonly outputs: string;
};

type OpenedFolder =
  | { readonly ok: true; readonly folder: LabFolder }
  | { readonly ok: false; readonly code: 'folder-unusable'; readonly message: string };

/** Opens a folder named by the user; an error of the file system is returned as a message. */
export async function openNamedFolder(keep: string | null): Promise<OpenedFolder> {
  try {
    return { ok: true, folder: await openLabFolder(keep) };
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return { ok: false, code: 'folder-unusable', message: error.message };
  }
}

/** The folder `keep`, or a new temporary one; created if missing. */
export async function openLabFolder(keep: string | null): Promise<LabFolder> {
  const root = keep === null ? await mkdtemp(join(tmpdir(), 'ferrybot-lab-')) : resolve(keep);
  const folder: LabFolder = {
    root,
    keys: join(root, 'keys.json'),
    world: join(root, 'world.json'),
    repositories: join(root, 'repositories'),
    runners: join(root, 'runners'),
    jobs: join(root, 'jobs'),
    server: join(root, 'server'),
    logbook: join(root, 'logbook'),
    manifests: join(root, 'manifests'),
    serverLog: join(root, 'server.log'),
    serverPid: join(root, 'server.pid'),
    rayHead: join(root, 'ray-head.json'),
    slurmCluster: join(root, 'slurm-cluster.json'),
    irisCluster: join(root, 'iris-cluster.json'),
    outputs: join(root, 'outputs'),
  };
  for (const path of [folder.root, folder.repositories, folder.runners, folder.jobs, folder.server, folder.manifests]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  }
  return folder;
}
