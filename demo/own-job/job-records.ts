/** The records of a manually started job, in the folder and format of the `local` engine. */

import { linkSync, readFileSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readProcessStat } from '../../packages/playground/actions/runner/group-record.ts';

export type OwnJob = {
  readonly jobId: string;
  readonly command: readonly string[];
  readonly workingDirectory: string;
  readonly gitCommit: string;
};

/** Creates the folder of a job, with its claim, and returns it; throws if the name exists. */
export async function claimJob(engineFolder: string, job: OwnJob, nowMs: number): Promise<string> {
  const { jobId, command, workingDirectory, gitCommit } = job;
  const drafts = join(engineFolder, '.claims');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(drafts, 'claim-'));
  // It belongs to no run, because a person started this job.
  const record = { submissionId: jobId, command, workingDirectory, metadata: null, gitCommit, claimedAtMs: nowMs };
  await writeFile(join(draft, 'job.json'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  const folder = join(engineFolder, jobId);
  await rename(draft, folder);
  return folder;
}

/** Writes a record atomically unless it exists; returns whether this call created it. */
export function publishRecord(folder: string, name: string, record: object): boolean {
  const draft = join(folder, `.${name}.${process.pid}.tmp`);
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  try {
    linkSync(draft, join(folder, name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** The identity of a process (proc(5)); null if it has ended. */
export function processIdentity(pid: number): object | null {
  const start = readProcessStat(pid)?.start;
  if (start === undefined) return null;
  return {
    host: hostname(),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
    pid,
    processStart: start,
  };
}
