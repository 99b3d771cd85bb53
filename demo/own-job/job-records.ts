/** The records of a job that somebody starts by hand: in the folder and the form in which the engine of this machine keeps its own. */

import { linkSync, readFileSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { statOf } from '../../packages/playground/actions/runner/group-record.ts';

export type OwnJob = {
  readonly jobId: string;
  readonly command: readonly string[];
  readonly workingDirectory: string;
  readonly gitCommit: string;
};

/** Makes the folder of a job, with who claims it; throws where there is one of this name. Gives the folder. */
export async function claimJob(engineFolder: string, job: OwnJob, nowMs: number): Promise<string> {
  const { jobId, command, workingDirectory, gitCommit } = job;
  const drafts = join(engineFolder, '.claims');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(drafts, 'claim-'));
  // No run has it: nobody but a person asked for this job.
  const record = {
    submissionId: jobId,
    command,
    workingDirectory,
    metadata: null,
    gitCommit,
    claimedAtMs: nowMs,
  };
  await writeFile(join(draft, 'job.json'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  const folder = join(engineFolder, jobId);
  await rename(draft, folder);
  return folder;
}

/** Writes a record whole, unless there is one; whether this call made it. */
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

/** What tells a process from every other (proc(5)); null where it is gone. */
export function identityOf(pid: number): object | null {
  const start = statOf(pid)?.start;
  if (start === undefined) return null;
  return {
    host: hostname(),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
    pid,
    processStart: start,
  };
}
