/** A private cluster on this machine for a rehearsal: it stays with its lab, on its own ports and in its own folder. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabFolder } from './lab-folder.ts';
import { freePorts, takenPorts } from './ray/free-ports.ts';
import type { ClusterOutcome, RehearsalCluster } from './rehearsal-cluster.ts';

/** The location of a cluster; unchanged while a lab is kept. */
export type ClusterRecord = {
  /** Its own folder: short, because the path of its socket is limited to 107 characters. */
  readonly folder: string;
  readonly ports: readonly number[];
};

export type PrivateCluster = {
  /** As `--engine` names it. */
  readonly engine: string;
  readonly title: string;
  /** How many ports it needs. */
  readonly ports: number;
  readonly isReady: (record: ClusterRecord) => Promise<boolean>;
  readonly hasLivingJob: (record: ClusterRecord) => Promise<boolean>;
  readonly start: (record: ClusterRecord) => Promise<void>;
  readonly endProcesses: (folder: string) => Promise<void>;
  readonly close: (record: ClusterRecord) => Promise<void>;
  readonly seed: (record: ClusterRecord) => RehearsalCluster['seed'];
};

/** Starts the cluster of a lab, or reuses it if it still runs. `file`: the path of its record. */
export async function openPrivateCluster(
  { root }: LabFolder,
  file: string,
  cluster: PrivateCluster,
): Promise<ClusterOutcome> {
  const { engine, title } = cluster;
  const isNew = !existsSync(file);
  const record = isNew ? await newRecord(file, cluster.ports) : await readRecord(file);
  await mkdir(record.folder, { recursive: true, mode: 0o755 });
  if (!(await cluster.isReady(record))) {
    // Leftover processes of a killed rehearsal hold its ports.
    await cluster.endProcesses(record.folder);
    const taken = isNew ? [] : await takenPorts(record.ports);
    if (taken.length > 0)
      return {
        ok: false,
        code: 'ports-taken',
        message: `another program listens on ${taken.join(', ')}, where the ${title} of the lab in ${root} belongs: end that program, or begin another lab in another folder`,
        exitCode: 1,
      };
    await cluster.start(record);
  }
  return {
    ok: true,
    cluster: {
      seed: cluster.seed(record),
      close: async (mayStay) => {
        if (!mayStay || !(await cluster.hasLivingJob(record))) {
          await cluster.close(record);
          return null;
        }
        return `a job still runs on the ${title} in ${record.folder}; start again with --keep ${root} --engine ${engine} to see it end`;
      },
    },
  };
}

async function readRecord(file: string): Promise<ClusterRecord> {
  // Written by this program, below, in a private folder.
  return JSON.parse(await readFile(file, 'utf8')) as ClusterRecord;
}

async function newRecord(file: string, ports: number): Promise<ClusterRecord> {
  const record = { folder: await mkdtemp(join(tmpdir(), 'fs-')), ports: await freePorts(ports) };
  await writeFile(file, JSON.stringify(record), { mode: 0o600 });
  return record;
}
