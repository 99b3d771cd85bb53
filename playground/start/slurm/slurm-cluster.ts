/** The cluster behind `npm start -- --engine slurm`: are the programs there, and a private cluster of this machine. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabFolder } from '../lab-folder.ts';
import { freePorts, takenPorts } from '../ray/free-ports.ts';
import type { ClusterOutcome } from '../rehearsal-cluster.ts';
import { closeCluster, hasLivingJob, isReady, missingPrograms, startCluster } from './cluster.ts';
import { type ClusterRecord, configurationOf, PORTS } from './cluster-files.ts';
import { endProcessesOf } from './cluster-processes.ts';
import { slurmLabConfig } from './slurm-config.ts';

/** Starts the cluster of a lab, or goes on with it if it still runs. */
export async function openSlurmCluster(folder: LabFolder): Promise<ClusterOutcome> {
  const missing = missingPrograms();
  if (missing.length > 0)
    return {
      ok: false,
      code: 'no-slurm',
      message: `there is no ${missing.join(', ')}: run npm run setup:slurm first (Debian packages, half a minute)`,
      exitCode: 2,
    };
  const isNew = !existsSync(folder.slurmCluster);
  const record = isNew ? await newRecord(folder.slurmCluster) : await readRecord(folder.slurmCluster);
  await mkdir(record.folder, { recursive: true, mode: 0o755 });
  if (!(await isReady(record))) {
    // What a killed rehearsal left of it holds its ports.
    await endProcessesOf(record.folder);
    const taken = isNew ? [] : await takenPorts(record.ports);
    if (taken.length > 0)
      return {
        ok: false,
        code: 'ports-taken',
        message: `another program listens on ${taken.join(', ')}, where the Slurm cluster of the lab in ${folder.root} belongs: end that program, or begin another lab in another folder`,
        exitCode: 1,
      };
    await startCluster(record);
  }
  const place = {
    folder: join(folder.jobs, 'slurm'),
    conf: configurationOf(record),
    outputs: folder.outputs,
  };
  return {
    ok: true,
    cluster: {
      seed: { token: null, configure: (config) => slurmLabConfig(config, place) },
      close: async (mayStay) => {
        if (!mayStay || !(await hasLivingJob(record))) {
          await closeCluster(record);
          return null;
        }
        return `a job still runs on the Slurm cluster in ${record.folder}; start again with --keep ${folder.root} --engine slurm to see it end`;
      },
    },
  };
}

async function readRecord(file: string): Promise<ClusterRecord> {
  // Written by ourselves, below, in a folder that is ours alone.
  return JSON.parse(await readFile(file, 'utf8')) as ClusterRecord;
}

async function newRecord(file: string): Promise<ClusterRecord> {
  const record = { folder: await mkdtemp(join(tmpdir(), 'fs-')), ports: await freePorts(PORTS) };
  await writeFile(file, JSON.stringify(record), { mode: 0o600 });
  return record;
}
