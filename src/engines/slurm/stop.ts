/** Stops a Slurm job by its ids, and believes it when a look says so. */

import { isTerminal, type StopOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { publishOnce } from '../../host/publish-once.ts';
import { isSubmissionId } from '../file-records.ts';
import { complaintOf, runCommand } from './commands.ts';
import { forgetEnvironment, jobPaths, readClaim } from './job-folder.ts';
import { isEndState } from './job-state.ts';
import { observeOnSlurm, oursAmong } from './observe.ts';
import { readQueue } from './queue.ts';
import type { SlurmSettings } from './settings.ts';

/** Between two looks at a job that was asked to end: each is a call of squeue, which the controller answers. */
const POLL_MS = 1_000;

/**
 * The request is written down first, and the right to start is taken where no job has it: what still waits, or comes late,
 * never starts. `scancel` gets the ids of our jobs alone; by name it would take a person's too.
 */
export async function stopOnSlurm(settings: SlurmSettings, jobId: string): Promise<StopOutcome> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const before = await observeOnSlurm(settings, jobId, null);
  if (before.kind === 'absent') return { kind: 'absent' };
  if (before.kind === 'found' && isTerminal(before.status))
    return { kind: 'already-ended', status: before.status };
  const paths = jobPaths(settings.cluster.folder, jobId);
  const claim = await readClaim(paths);
  if (claim.kind !== 'there')
    return { kind: 'unknown', message: `the claim of ${paths.folder} is ${claim.kind}` };
  await publishOnce(paths.stop, JSON.stringify({ requestedAtMs: settings.now() }));
  if (await publishOnce(paths.owner, 'stopped\n')) await forgetEnvironment(paths);
  const queue = await readQueue(settings, [jobId]);
  if (queue.kind === 'unknown') return queue;
  const living = oursAmong(queue.jobs, claim.value.metadata).filter(({ state }) => !isEndState(state));
  const ids = living.map(({ slurmJobId }) => slurmJobId);
  const result = ids.length === 0 ? null : await runCommand(settings, 'scancel', ids);
  return awaitEnd(settings, jobId, result === null || result.ok ? null : complaintOf('scancel', result));
}

async function awaitEnd(
  settings: SlurmSettings,
  jobId: string,
  complaint: string | null,
): Promise<StopOutcome> {
  for (let waitedMs = 0; waitedMs <= limits.jobStopWaitMs; waitedMs += POLL_MS) {
    const now = await observeOnSlurm(settings, jobId, null);
    if (now.kind === 'found' && now.status === 'STOPPED') return { kind: 'stopped' };
    if (now.kind === 'found' && isTerminal(now.status)) return { kind: 'already-ended', status: now.status };
    await settings.sleep(POLL_MS);
  }
  return complaint === null
    ? { kind: 'stopping', message: 'Slurm was asked to end the job, and has not yet' }
    : { kind: 'unknown', message: complaint };
}
