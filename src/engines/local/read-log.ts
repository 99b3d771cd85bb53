/** Reads a bounded part of a local job's log from a byte offset. */

import type { LogRead } from '../../domain/engine.ts';
import { isSubmissionId } from '../file-records.ts';
import { readLogFile } from '../read-log-file.ts';
import { jobPaths, readClaim } from './job-folder.ts';
import type { LocalSettings } from './settings.ts';

/** At most `limits.logChunkBytesMax` bytes; a job that has not written yet gives an empty chunk. */
export async function readLogLocally(
  settings: LocalSettings,
  jobId: string,
  offset: number,
): Promise<LogRead> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return { kind: 'absent' };
  if (claim.kind === 'unreadable') return { kind: 'unknown', message: claim.why };
  return readLogFile(paths.log, offset);
}
