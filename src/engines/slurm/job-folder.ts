/** The folder of one Slurm job on the shared file system: its files and its records. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, readTextIfThere } from '../../host/files.ts';
import { type RecordRead, readRecord } from '../shared/job-files.ts';

const askedRecord = z.object({ atMs: z.int() }).readonly();
const submittedRecord = z.object({ slurmJobId: z.string().regex(/^\d+$/) }).readonly();
const beginRecord = z
  .object({ slurmJobId: z.int(), restart: z.int(), startedAtMs: z.int(), node: z.string() })
  .readonly();
const endRecord = z.object({ slurmJobId: z.int(), restart: z.int(), endedAtMs: z.int(), code: z.int() }).readonly();
/** What Slurm reported about an ended job, kept because Slurm forgets it. */
const seenRecord = z
  .object({
    slurmJobId: z.string(),
    state: z.string(),
    waitStatus: z.int(),
    startedAtMs: z.int().nullable(),
    endedAtMs: z.int().nullable(),
    nodes: z.string(),
    /** Who cancelled the job, if Slurm's accounting reports it. */
    stoppedBy: z.string().exactOptional(),
  })
  .readonly();

export type BeginRecord = z.infer<typeof beginRecord>;
export type EndRecord = z.infer<typeof endRecord>;
export type SeenRecord = z.infer<typeof seenRecord>;

export type JobPaths = ReturnType<typeof jobPaths>;

/** The paths of a job's files. */
export function jobPaths(directory: string, jobId: string) {
  const folder = join(directory, jobId);
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    /** The approved files; the command runs in this folder. */
    tree: at('tree'),
    wrapper: at('wrapper'),
    command: at('command'),
    modules: at('modules'),
    /** Mode 0600. The wrapper removes the file after reading it, unless Slurm may restart the job. */
    environment: at('environment'),
    /** Shows that sbatch is about to be called. */
    asked: at('asked.json'),
    /** The id that sbatch returned. */
    submitted: at('submitted.json'),
    /** The only Slurm job that may start the command, or `stopped`: then no job may. */
    owner: at('owner'),
    stop: at('stop.json'),
    seen: at('seen.json'),
    log: at('log'),
  } as const;
}

/** The file for Slurm's own messages about a job. */
export function messagesPath({ folder }: JobPaths, slurmJobId: string): string {
  return join(folder, `slurm-${slurmJobId}.out`);
}

/** What is known of a claimed job without asking Slurm. */
export type JobRecords = {
  readonly submitRequestedAtMs: number | null;
  readonly slurmJobId: string | null;
  readonly owner: string | null;
  readonly isStopRequested: boolean;
  readonly commandStart: BeginRecord | null;
  readonly commandEnd: EndRecord | null;
  readonly lastSeen: SeenRecord | null;
};

/** Reads all records of a job, or returns why one cannot be read. */
export async function readJobRecords(
  paths: JobPaths,
): Promise<
  { readonly kind: 'there'; readonly records: JobRecords } | { readonly kind: 'unreadable'; readonly why: string }
> {
  const starts = await listStarts(paths.folder);
  if (typeof starts === 'string') return { kind: 'unreadable', why: starts };
  const restart = Math.max(-1, ...starts);
  const none = { kind: 'missing' } as const;
  const [asked, submitted, seen, stop, begin, end] = await Promise.all([
    readRecord(paths.asked, askedRecord),
    readRecord(paths.submitted, submittedRecord),
    readRecord(paths.seen, seenRecord),
    readRecord(paths.stop, z.unknown()),
    restart < 0 ? none : readRecord(join(paths.folder, `begin-${restart}.json`), beginRecord),
    restart < 0 ? none : readRecord(join(paths.folder, `end-${restart}.json`), endRecord),
  ]);
  for (const record of [asked, submitted, seen, stop, begin, end]) if (record.kind === 'unreadable') return record;
  const owner = (await readTextIfThere(paths.owner))?.trim() ?? null;
  const beginning = valueOrNull(begin);
  return {
    kind: 'there',
    records: {
      submitRequestedAtMs: valueOrNull(asked)?.atMs ?? null,
      slurmJobId: valueOrNull(submitted)?.slurmJobId ?? beginning?.slurmJobId.toString() ?? null,
      owner,
      isStopRequested: stop.kind === 'there',
      commandStart: beginning,
      commandEnd: valueOrNull(end),
      lastSeen: valueOrNull(seen),
    },
  };
}

/** Deletes the secrets of a job that never starts, or never starts again. */
export async function deleteEnvironmentFile(paths: JobPaths): Promise<void> {
  await rm(paths.environment, { force: true });
}

function valueOrNull<Value>(read: RecordRead<Value>): Value | null {
  return read.kind === 'there' ? read.value : null;
}

async function listStarts(folder: string): Promise<readonly number[] | string> {
  try {
    const names = await readdir(folder);
    return names.flatMap((name) => {
      const restart = /^begin-(\d{1,6})\.json$/.exec(name)?.[1];
      return restart === undefined ? [] : [Number(restart)];
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return `${folder}: ${String(error)}`;
  }
}
