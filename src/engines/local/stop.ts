/** Stops a local job: records the request, then SIGTERM, and after the grace time SIGKILL. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { StopOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { currentPidScope, livenessOf, type PidScope, processStartOf } from '../../host/process-identity.ts';
import { codeOf, publishOnce } from '../../host/publish-once.ts';
import { isSubmissionId } from '../file-records.ts';
import { type JobPaths, jobPaths, readClaim, readCommand, readProcess } from './job-folder.ts';
import { observeLocally } from './observe.ts';
import type { LocalSettings } from './settings.ts';
import { signalGroup } from './supervisor-tools.ts';

/**
 * The request is on disk before any signal, so that the end that follows is STOPPED whoever records
 * it. The supervisor does the killing, also when this process dies meanwhile. A job that was claimed
 * and never started is stopped by taking its right to start.
 */
export async function stopLocally(settings: LocalSettings, jobId: string): Promise<StopOutcome> {
  if (!isSubmissionId(jobId)) return { kind: 'absent' };
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(paths);
  if (claim.kind === 'missing') return { kind: 'absent' };
  const before = await observeLocally(settings, jobId, null);
  if (before.kind !== 'found') return { kind: 'unknown', message: `the job is ${before.kind}` };
  if (before.endedAtMs !== null || before.status === 'FAILED')
    return { kind: 'already-ended', status: before.status };
  await publishOnce(paths.stop, JSON.stringify({ requestedAtMs: settings.now() }));
  const here = await currentPidScope();
  if (await takeRightToStart(paths, here)) {
    await recordEnd(settings, paths, null);
    return { kind: 'stopped' };
  }
  if (!(await signalSupervisor(paths, here))) return stopOrphan(settings, paths, here);
  return awaitEnd(settings, jobId);
}

/** True when no supervisor had it: then none ever will. */
async function takeRightToStart(paths: JobPaths, here: PidScope): Promise<boolean> {
  const processStart = (await processStartOf(process.pid)) ?? 'unknown';
  return publishOnce(paths.process, JSON.stringify({ ...here, pid: process.pid, processStart }));
}

/** False when the supervisor is dead and its command has to be stopped from here. */
async function signalSupervisor(paths: JobPaths, here: PidScope): Promise<boolean> {
  const supervisor = await readProcess(paths);
  if (supervisor.kind !== 'there' || (await livenessOf(supervisor.value, here)) === 'dead') return false;
  try {
    process.kill(supervisor.value.pid, 'SIGTERM');
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

async function stopOrphan(settings: LocalSettings, paths: JobPaths, here: PidScope): Promise<StopOutcome> {
  const command = await readCommand(paths);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let waitedMs = 0; command.kind === 'there' && waitedMs < settings.stopGraceMs; waitedMs += 100) {
      if ((await livenessOf(command.value, here)) !== 'alive') break;
      if (waitedMs === 0) signalGroup(command.value.pid, signal);
      await sleep(100);
    }
  }
  if (command.kind === 'there' && (await livenessOf(command.value, here)) !== 'dead')
    return { kind: 'stopping' };
  await recordEnd(settings, paths, 'SIGTERM');
  return { kind: 'stopped' };
}

async function recordEnd(settings: LocalSettings, paths: JobPaths, signal: string | null): Promise<void> {
  const end = { exitCode: null, signal, startError: null, startedAtMs: null, stopRequested: true };
  await publishOnce(paths.exit, JSON.stringify({ ...end, endedAtMs: settings.now() }));
}

async function awaitEnd(settings: LocalSettings, jobId: string): Promise<StopOutcome> {
  for (let waitedMs = 0; waitedMs <= limits.jobStopWaitMs; waitedMs += limits.jobRecordPollMs) {
    const now = await observeLocally(settings, jobId, null);
    if (now.kind === 'found' && now.status === 'STOPPED') return { kind: 'stopped' };
    if (now.kind === 'found' && now.endedAtMs !== null) return { kind: 'already-ended', status: now.status };
    await sleep(limits.jobRecordPollMs);
  }
  return { kind: 'stopping' };
}
