/** Who launched a Slurm job and what it runs. Jobs without records in the cluster's folder have a log and an end that nobody here can find. */

import { described, type JobDescription } from '../../domain/engine.ts';
import { readTextIfThere } from '../../host/publish-once.ts';
import { redact } from '../../host/redactor.ts';
import { isSubmissionId, ownerOfFile } from '../file-records.ts';
import { shellLineOf, withinLine } from '../shell-line.ts';
import { askCommand } from './commands.ts';
import { jobPaths, readClaim } from './job-folder.ts';
import { observeOnSlurm } from './observe.ts';
import type { SlurmSettings } from './settings.ts';

/** Looks once. */
export async function describeOnSlurm(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: null };
  const paths = jobPaths(settings.cluster.folder, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return foreign(settings, jobId);
  const seen = await observeOnSlurm(settings, jobId, null);
  if (claim.kind === 'unreadable' || seen.kind !== 'found')
    return seen.kind === 'found'
      ? { kind: 'unknown', message: 'the record of the job cannot be read' }
      : seen;
  const command = (await readTextIfThere(paths.command))?.split('\0').slice(0, -1) ?? [];
  const line = command.length === 0 ? null : shellLineOf(command);
  return described(seen, {
    submitter: await ownerOfFile(paths.claim),
    entrypoint: withinLine(redact(line ?? '', [])),
    gitCommit: claim.value.gitCommit ?? null,
  });
}

/** By its number or its name: a person's own `sbatch`. */
async function foreign(settings: SlurmSettings, jobId: string): Promise<JobDescription> {
  const which = /^\d+$/.test(jobId) ? `--jobs=${jobId}` : `--name=${jobId}`;
  const said = await askCommand(settings, 'squeue', [
    '--noheader',
    '--states=all',
    which,
    '--Format=JobID:|',
  ]);
  // Slurm complains about a number that it does not have, and is silent about a name.
  if (said.kind === 'unknown')
    return /Invalid job id/i.test(said.message) ? { kind: 'absent', session: null } : said;
  return said.text.trim() === ''
    ? { kind: 'absent', session: null }
    : {
        kind: 'cannot',
        why: `Slurm has it, but it was not submitted through ${settings.cluster.folder}: where its log is and how it ends cannot be read here`,
      };
}
