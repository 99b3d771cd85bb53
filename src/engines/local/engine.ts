/** The `local` engine: each job is a detached process of this machine, with its records in a folder. */

import { readdir, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, FoundJob, JobDescription, JobObservation, StopOutcome } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import { errorCode, publishOnce } from '../../host/files.ts';
import { checkLiveness, currentPidScope, type Liveness, type PidScope, readProcessStart } from '../../host/process.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { type ClaimRecord, describeClaimed, type RecordRead, readClaim, readClaimedLog } from '../shared/job-files.ts';
import {
  foundJob,
  guardWithCapabilities,
  isSubmissionId,
  missingJob,
  stopAndConfirm,
  unknownOutcome,
} from '../shared/kit.ts';
import {
  type ExitRecord,
  type IdentityRecord,
  type JobPaths,
  jobPaths,
  type LocalEngineOptions,
  type LocalSettings,
  readCommand,
  readExit,
  readProcess,
  signalGroup,
  submitLocally,
} from './submit.ts';

// Each launch creates a folder and no other program removes one, so the engine removes the folders of long-ended jobs.

/** The newest folders remain at any age, so that a lab finds its last outputs after a pause of months. */
const TREES_KEPT = 20;
/** The folder contains outputs and checkpoints. People have a month to copy what they need longer. */
const ENDED_TREE_KEPT_MS = 30 * 24 * 60 * 60_000;
/** A folder that no job used. An order is valid for two hours, so nothing starts in the folder a day later. */
const UNUSED_TREE_KEPT_MS = 24 * 60 * 60_000;
/** Folders checked per launch. */
const OLD_TREES_READ_MAX = 5_000;

type KeptTree = { readonly path: string; readonly keepUntilMs: number };

/**
 * Removes a folder in `trees` if its job in `jobs` ended long ago, or if no job used it. The newest few remain. Folders
 * contain outputs, so a job in an unclear state keeps its folder. Returns the removed paths.
 */
async function removeOldTrees(trees: string, jobs: string, nowMs: number): Promise<readonly string[]> {
  const names = (await listNames(trees)).slice(0, OLD_TREES_READ_MAX);
  if (names.length <= TREES_KEPT) return [];
  const ends = await readEndsByTree(jobs);
  const found: KeptTree[] = [];
  for (const name of names) {
    const path = join(trees, name);
    const { mtimeMs } = await stat(path);
    const ended = ends.get(path);
    // No job has it: the launch ended before its job started, or is shipping files right now.
    const wantedUntilMs = ended === undefined ? mtimeMs + UNUSED_TREE_KEPT_MS : ended + ENDED_TREE_KEPT_MS;
    found.push({ path, keepUntilMs: wantedUntilMs });
  }
  const oldest = found.toSorted((a, b) => a.keepUntilMs - b.keepUntilMs);
  const gone = oldest.slice(0, oldest.length - TREES_KEPT).filter(({ keepUntilMs }) => keepUntilMs < nowMs);
  for (const { path } of gone) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  return gone.map(({ path }) => path);
}

/** When the job in each folder ended; infinity if it has not ended or the end cannot be read. */
async function readEndsByTree(jobs: string): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const id of await listNames(jobs)) {
    const paths = jobPaths(jobs, id);
    const [claim, started, exit] = [await readClaim(jobs, id), await readProcess(paths), await readExit(paths)];
    if (claim.kind !== 'there') continue;
    const runsIn =
      started.kind === 'there' && started.value.workingDirectory !== undefined
        ? started.value.workingDirectory
        : claim.value.workingDirectory;
    const endedAtMs = exit.kind === 'there' ? exit.value.endedAtMs : Number.POSITIVE_INFINITY;
    ends.set(runsIn, Math.max(endedAtMs, ends.get(runsIn) ?? 0));
  }
  return ends;
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Time from SIGTERM to SIGKILL of a job. A small model writes a temporary checkpoint in less. */
const JOB_STOP_GRACE_MS = 10_000;

/** Builds the engine for one cluster of the config. */
export function compose({ stateDirectory, now }: EngineHost, { jobs }: { readonly jobs: string }): ComposedEngine {
  const directory = isAbsolute(jobs) ? jobs : join(stateDirectory, jobs);
  return { engine: createLocalEngine({ directory, now }), close: async () => undefined };
}

/** An engine over `directory`. Any number of engines, in any number of processes, may share it. */
export function createLocalEngine(options: LocalEngineOptions): Engine {
  const settings: LocalSettings = {
    nodePath: process.execPath,
    baseEnv: minimalEnvironment(process.env),
    stopGraceMs: JOB_STOP_GRACE_MS,
    ...options,
  };
  return guardWithCapabilities({
    name: 'local',
    session: async () => ({ kind: 'session', id: (await currentPidScope()).bootId, version: process.version }),
    submit: (spec) => submitLocally(settings, spec),
    observe: (jobId, lastSession) => observeLocally(settings, jobId, lastSession),
    describe: (jobId) => describeLocally(settings, jobId),
    readLog: (jobId, offset) => readClaimedLog(settings.directory, jobId, jobPaths(settings.directory, jobId), offset),
    stop: (jobId) => stopLocally(settings, jobId),
    removeOldTrees: (trees) => removeOldTrees(trees, settings.directory, settings.now()),
  });
}

function minimalEnvironment(ours: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const path = ours['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  return { PATH: path, LANG: ours['LANG'] ?? 'C.UTF-8' };
}

async function describeLocally(settings: LocalSettings, jobId: string): Promise<JobDescription> {
  const seen = await observeLocally(settings, jobId, null);
  return seen.kind === 'found' ? describeClaimed(settings.directory, jobId, seen) : seen;
}

/**
 * Writes the request to disk before any signal, so that every recorder of the end writes STOPPED. The supervisor kills the
 * command, even if this process dies meanwhile. A claimed job that never started is stopped by taking its right to start.
 */
function stopLocally(settings: LocalSettings, jobId: string): Promise<StopOutcome> {
  const paths = jobPaths(settings.directory, jobId);
  return stopAndConfirm({
    observe: () => observeLocally(settings, jobId, null),
    ask: async (before) => {
      if (before.kind !== 'found') return unknownOutcome(`the job is ${before.kind}`);
      await publishOnce(paths.stop, JSON.stringify({ requestedAtMs: settings.now() }));
      const here = await currentPidScope();
      if (await claimRightToStart(paths, here)) {
        await recordEnd(settings, paths, null);
        return { kind: 'stopped' };
      }
      return (await signalSupervisor(paths, here)) ? '' : stopOrphan(settings, paths, here);
    },
    giveUp: () => ({ kind: 'stopping' }),
    sleep,
    pollMs: limits.jobRecordPollMs,
  });
}

/** True if no supervisor had the right to start; then none will ever get it. */
async function claimRightToStart(paths: JobPaths, here: PidScope): Promise<boolean> {
  const processStart = (await readProcessStart(process.pid)) ?? 'unknown';
  return publishOnce(paths.process, JSON.stringify({ ...here, pid: process.pid, processStart }));
}

/** False if the supervisor is dead, and this process has to stop the command. */
async function signalSupervisor(paths: JobPaths, here: PidScope): Promise<boolean> {
  const supervisor = await readProcess(paths);
  if (supervisor.kind !== 'there' || (await checkLiveness(supervisor.value, here)) === 'dead') return false;
  try {
    process.kill(supervisor.value.pid, 'SIGTERM');
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

async function stopOrphan(settings: LocalSettings, paths: JobPaths, here: PidScope): Promise<StopOutcome> {
  const command = await readCommand(paths);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let waitedMs = 0; command.kind === 'there' && waitedMs < settings.stopGraceMs; waitedMs += 100) {
      if ((await checkLiveness(command.value, here)) !== 'alive') break;
      if (waitedMs === 0) signalGroup(command.value.pid, signal);
      await sleep(100);
    }
  }
  if (command.kind === 'there' && (await checkLiveness(command.value, here)) !== 'dead') return { kind: 'stopping' };
  await recordEnd(settings, paths, 'SIGTERM');
  return { kind: 'stopped' };
}

async function recordEnd(settings: LocalSettings, paths: JobPaths, signal: string | null): Promise<void> {
  const end = { exitCode: null, signal, startError: null, startedAtMs: null, stopRequested: true };
  await publishOnce(paths.exit, JSON.stringify({ ...end, endedAtMs: settings.now() }));
}

/**
 * The exit record decides. Without one, a live supervisor or command means RUNNING. FAILED with PROCESS_LOST requires that
 * both are certainly dead, or that the machine was rebooted. A process that cannot be seen from here (another container,
 * another host) is `unknown`. A job that was seen before and has no folder now is `state-lost`, not absent.
 */
export async function observeLocally(
  settings: LocalSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const here = await currentPidScope();
  if (!isSubmissionId(jobId)) return { kind: 'absent', session: here.bootId };
  const paths = jobPaths(settings.directory, jobId);
  const claim = await readClaim(settings.directory, jobId);
  switch (claim.kind) {
    case 'unreadable':
      return unknownOutcome(claim.why);
    case 'missing':
      return missingJob(lastSession, here.bootId, `${paths.folder} is gone`);
    case 'there':
      return observeClaimed(paths, claim.value);
  }
}

async function observeClaimed(paths: JobPaths, claim: ClaimRecord): Promise<JobObservation> {
  const first = await readExit(paths);
  if (first.kind !== 'missing') return endedJob(claim, first);
  const supervisor = await readProcess(paths);
  if (supervisor.kind === 'unreadable') return unknownOutcome(supervisor.why);
  if (supervisor.kind === 'missing')
    return { ...baseJob(claim), status: 'PENDING', message: 'Claimed, not started; submit again to start it.' };
  const liveness = await checkLiveness(supervisor.value, await currentPidScope());
  if (liveness === 'alive') return runningJob(claim, supervisor.value, 'Job is currently running.');
  // The job may have ended between the first read and this one.
  const second = await readExit(paths);
  if (second.kind !== 'missing') return endedJob(claim, second);
  if (liveness === 'unknown') return unreadableJob(supervisor.value);
  return observeOrphan(paths, claim, supervisor.value);
}

async function observeOrphan(paths: JobPaths, claim: ClaimRecord, supervisor: IdentityRecord): Promise<JobObservation> {
  const command = await readCommand(paths);
  if (command.kind === 'unreadable') return unknownOutcome(command.why);
  const liveness: Liveness =
    command.kind === 'missing' ? 'dead' : await checkLiveness(command.value, await currentPidScope());
  switch (liveness) {
    case 'alive':
      return runningJob(claim, supervisor, 'The command runs, but its supervisor is gone: no exit code to come.');
    case 'unknown':
      return unreadableJob(supervisor);
    case 'dead':
      return {
        ...baseJob(claim),
        status: 'FAILED',
        errorType: 'PROCESS_LOST',
        message: 'lost: the process is gone and left no exit record.',
        session: supervisor.bootId,
      };
  }
}

function endedJob(claim: ClaimRecord, exit: Exclude<RecordRead<ExitRecord>, { kind: 'missing' }>): JobObservation {
  if (exit.kind === 'unreadable') return unknownOutcome(exit.why);
  const { exitCode, signal, startError, startedAtMs, endedAtMs, stopRequested } = exit.value;
  const times = { startedAtMs, endedAtMs, details: signal === null ? {} : { signal } };
  if (stopRequested)
    return { ...baseJob(claim), ...times, status: 'STOPPED', message: 'Job was intentionally stopped.' };
  if (exitCode === 0)
    return { ...baseJob(claim), ...times, status: 'SUCCEEDED', exitCode, message: 'Job finished successfully.' };
  const how = startError ?? (signal === null ? `exit code ${exitCode}` : `signal ${signal}`);
  return {
    ...baseJob(claim),
    ...times,
    status: 'FAILED',
    exitCode,
    // Ray's error type, so that one rule covers all engines.
    errorType: startError === null ? 'JOB_ENTRYPOINT_COMMAND_ERROR' : 'JOB_ENTRYPOINT_COMMAND_START_ERROR',
    message: `Job entrypoint command failed with ${how}.`,
  };
}

function runningJob(claim: ClaimRecord, supervisor: IdentityRecord, message: string): FoundJob {
  const details = { pid: String(supervisor.pid), host: supervisor.host };
  return { ...baseJob(claim), status: 'RUNNING', message, session: supervisor.bootId, details };
}

function unreadableJob(supervisor: IdentityRecord): JobObservation {
  const message = `process ${supervisor.pid} was started on ${supervisor.host} in a numbering not visible here`;
  return { kind: 'unknown', message };
}

function baseJob({ metadata }: ClaimRecord): FoundJob {
  return foundJob({ status: 'RUNNING', message: '', metadata });
}
