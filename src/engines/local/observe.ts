/** What a local job is doing, read from its records and, where they are silent, from its processes. */

import type { FoundJob, JobObservation } from '../../domain/engine.ts';
import { currentPidScope, type Liveness, livenessOf } from '../../host/process-identity.ts';
import { isSubmissionId, type Read } from '../file-records.ts';
import {
  type ClaimRecord,
  type ExitRecord,
  type IdentityRecord,
  type JobPaths,
  jobPaths,
  readClaim,
  readCommand,
  readExit,
  readProcess,
} from './job-folder.ts';
import type { LocalSettings } from './settings.ts';

/**
 * The exit record decides. Without one: a living supervisor or command means RUNNING; FAILED with
 * PROCESS_LOST only when both are positively dead (or the machine was booted anew); a process that
 * cannot be seen from here (another container, another host) is `unknown`. A job that was seen before
 * and has no folder now is `state-lost`, not absent.
 */
export async function observeLocally(
  settings: LocalSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const here = await currentPidScope();
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: here.bootId };
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  switch (claim.kind) {
    case 'unreadable':
      return { kind: 'unknown', message: claim.why };
    case 'missing':
      return lastSession === null
        ? { kind: 'absent', session: here.bootId }
        : { kind: 'state-lost', session: here.bootId, message: `${paths.folder} is gone` };
    case 'there':
      return observeClaimed(paths, claim.value);
  }
}

async function observeClaimed(paths: JobPaths, claim: ClaimRecord): Promise<JobObservation> {
  const first = await readExit(paths);
  if (first.kind !== 'missing') return ended(claim, first);
  const supervisor = await readProcess(paths);
  if (supervisor.kind === 'unreadable') return { kind: 'unknown', message: supervisor.why };
  if (supervisor.kind === 'missing')
    return { ...base(claim), status: 'PENDING', message: 'Claimed, not started; submit again to start it.' };
  const liveness = await livenessOf(supervisor.value, await currentPidScope());
  if (liveness === 'alive') return running(claim, supervisor.value, 'Job is currently running.');
  // It may have ended between the first look and this one.
  const second = await readExit(paths);
  if (second.kind !== 'missing') return ended(claim, second);
  if (liveness === 'unknown') return unseen(supervisor.value);
  return observeOrphan(paths, claim, supervisor.value);
}

async function observeOrphan(
  paths: JobPaths,
  claim: ClaimRecord,
  supervisor: IdentityRecord,
): Promise<JobObservation> {
  const command = await readCommand(paths);
  if (command.kind === 'unreadable') return { kind: 'unknown', message: command.why };
  const liveness: Liveness =
    command.kind === 'missing' ? 'dead' : await livenessOf(command.value, await currentPidScope());
  switch (liveness) {
    case 'alive':
      return running(
        claim,
        supervisor,
        'The command runs, but its supervisor is gone: no exit code to come.',
      );
    case 'unknown':
      return unseen(supervisor);
    case 'dead':
      return {
        ...base(claim),
        status: 'FAILED',
        errorType: 'PROCESS_LOST',
        message: 'lost: the process is gone and left no exit record.',
        session: supervisor.bootId,
      };
  }
}

function ended(claim: ClaimRecord, exit: Exclude<Read<ExitRecord>, { kind: 'missing' }>): JobObservation {
  if (exit.kind === 'unreadable') return { kind: 'unknown', message: exit.why };
  const { exitCode, signal, startError, startedAtMs, endedAtMs, stopRequested } = exit.value;
  const times = { startedAtMs, endedAtMs, details: signal === null ? {} : { signal } };
  if (stopRequested)
    return { ...base(claim), ...times, status: 'STOPPED', message: 'Job was intentionally stopped.' };
  if (exitCode === 0)
    return { ...base(claim), ...times, status: 'SUCCEEDED', exitCode, message: 'Job finished successfully.' };
  const how = startError ?? (signal === null ? `exit code ${exitCode}` : `signal ${signal}`);
  return {
    ...base(claim),
    ...times,
    status: 'FAILED',
    exitCode,
    // Ray's word, so that one rule reads both engines.
    errorType: startError === null ? 'JOB_ENTRYPOINT_COMMAND_ERROR' : 'JOB_ENTRYPOINT_COMMAND_START_ERROR',
    message: `Job entrypoint command failed with ${how}.`,
  };
}

function running(claim: ClaimRecord, supervisor: IdentityRecord, message: string): FoundJob {
  const details = { pid: String(supervisor.pid), host: supervisor.host };
  return { ...base(claim), status: 'RUNNING', message, session: supervisor.bootId, details };
}

function unseen(supervisor: IdentityRecord): JobObservation {
  const message = `process ${supervisor.pid} was started on ${supervisor.host} in a numbering not visible here`;
  return { kind: 'unknown', message };
}

function base(claim: ClaimRecord): Omit<FoundJob, 'status' | 'message'> {
  return {
    kind: 'found',
    errorType: null,
    exitCode: null,
    startedAtMs: null,
    endedAtMs: null,
    metadata: claim.metadata,
    session: null,
    details: {},
  };
}
