/** Reads the log of a Slurm job, a file on the shared file system; one that was put in its place is another log. */

import { rename, stat, writeFile } from 'node:fs/promises';
import type { LogRead } from '../../domain/engine.ts';
import { codeOf, readTextIfThere } from '../../host/publish-once.ts';
import { isSubmissionId } from '../file-records.ts';
import { readLogFile } from '../read-log-file.ts';
import { type JobPaths, jobPaths, readClaim } from './job-folder.ts';
import type { SlurmSettings } from './settings.ts';

/** A log that is shorter than what was read, or another file than the one that was read, is `rewound`. */
export async function readLogOnSlurm(
  settings: SlurmSettings,
  jobId: string,
  offset: number,
): Promise<LogRead> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const paths = jobPaths(settings.cluster.folder, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return { kind: 'absent' };
  if (claim.kind === 'unreadable') return { kind: 'unknown', message: claim.why };
  const replaced = await replacedLog(paths);
  return replaced !== null && offset > 0
    ? { kind: 'rewound', sizeBytes: replaced }
    : readLogFile(paths.log, offset);
}

/**
 * The size of a log that has taken the place of the one that was read before, once; null where it is the same. Its inode is
 * remembered beside it, because the next look is another process.
 */
async function replacedLog(paths: JobPaths): Promise<number | null> {
  try {
    const { ino, size } = await stat(paths.log);
    const known = await readTextIfThere(paths.logInode);
    if (known === String(ino)) return null;
    const draft = `${paths.logInode}.${process.pid}`;
    await writeFile(draft, String(ino), { mode: 0o600 });
    await rename(draft, paths.logInode);
    return known === null ? null : size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
