/** Who launched a local job and what it runs, by its claim. */

import { described, type JobDescription } from '../../domain/engine.ts';
import { redact } from '../../host/redactor.ts';
import { ownerOfFile } from '../file-records.ts';
import { shellLineOf, withinLine } from '../shell-line.ts';
import { jobPaths, readClaim } from './job-folder.ts';
import { observeLocally } from './observe.ts';
import type { LocalSettings } from './settings.ts';

/** Looks once. The submitter is whose file the claim is. */
export async function describeLocally(settings: LocalSettings, jobId: string): Promise<JobDescription> {
  const seen = await observeLocally(settings, jobId, null);
  if (seen.kind !== 'found') return seen;
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  if (claim.kind !== 'there')
    return { kind: 'unknown', message: `the claim of ${paths.folder} is ${claim.kind}` };
  const line = shellLineOf(claim.value.command);
  return described(seen, {
    submitter: await ownerOfFile(paths.claim),
    entrypoint: withinLine(redact(line ?? '', [])),
    gitCommit: claim.value.gitCommit ?? null,
  });
}
