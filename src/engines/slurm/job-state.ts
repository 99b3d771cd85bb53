/** Interprets Slurm's state of a job, together with the wrapper's records of its command. Pure. */

import { type FoundJob, type JobMetadata, type JobStatus, STOPPED_BY } from '../../domain/engine.ts';
import { foundJob } from '../shared/kit.ts';
import type { JobRecords, SeenRecord } from './job-folder.ts';

/** A waiting job has not failed, and a job that Slurm paused will continue. */
const LIVING: Readonly<Record<string, JobStatus>> = {
  PENDING: 'PENDING',
  CONFIGURING: 'PENDING',
  REQUEUED: 'PENDING',
  REQUEUE_FED: 'PENDING',
  REQUEUE_HOLD: 'PENDING',
  SPECIAL_EXIT: 'PENDING',
  RESV_DEL_HOLD: 'PENDING',
  RUNNING: 'RUNNING',
  // Slurm is ending the job's processes and running its epilog. The final state is not known yet.
  COMPLETING: 'RUNNING',
  STAGE_OUT: 'RUNNING',
  SIGNALING: 'RUNNING',
  RESIZING: 'RUNNING',
  SUSPENDED: 'RUNNING',
  STOPPED: 'RUNNING',
};

const ENDED: Readonly<Record<string, JobStatus>> = {
  COMPLETED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'STOPPED',
  TIMEOUT: 'FAILED',
  DEADLINE: 'FAILED',
  OUT_OF_MEMORY: 'FAILED',
  NODE_FAIL: 'FAILED',
  BOOT_FAIL: 'FAILED',
  PREEMPTED: 'FAILED',
};

/** Null: ferrybot does not know the state, so the state proves nothing. */
export function toJobStatus(state: string): JobStatus | null {
  return LIVING[state] ?? ENDED[state] ?? null;
}

/** Whether this state is final in Slurm. */
export function isEndState(state: string): boolean {
  return Object.hasOwn(ENDED, state);
}

/** An ended job as Slurm reported it. The wrapper's records add the times and the exit status of the command itself. */
export function toEndedJob(
  { state, slurmJobId, waitStatus, nodes, stoppedBy, ...times }: SeenRecord,
  { commandStart, commandEnd, owner }: JobRecords,
  metadata: JobMetadata | null,
  lastWords: string,
): FoundJob {
  // These two states describe how the wrapper ended. A controller that lost its last seconds starts a job again, which the
  // wrapper refuses. Slurm then reports FAILED for a command that ended well.
  const byRecord = commandEnd !== null && (state === 'COMPLETED' || state === 'FAILED');
  const ended = byRecord ? (commandEnd.code === 0 ? 'SUCCEEDED' : 'FAILED') : (ENDED[state] ?? 'FAILED');
  const status = owner === 'stopped' ? 'STOPPED' : ended;
  const { exitCode, signal } = commandEnd === null ? endFromWaitStatus(waitStatus) : endFromShellCode(commandEnd.code);
  const errorType =
    state !== 'FAILED'
      ? state
      : commandStart === null
        ? 'JOB_ENTRYPOINT_COMMAND_START_ERROR'
        : // Ray's error type, so that one rule covers all engines.
          'JOB_ENTRYPOINT_COMMAND_ERROR';
  const how = exitCode === null ? (signal === null ? '' : ` by signal ${signal}`) : ` with exit code ${exitCode}`;
  const said = `Slurm says ${state}${status === 'STOPPED' ? '' : how}.`;
  return foundJob({
    status,
    message: lastWords === '' ? said : `${said} ${lastWords}`,
    errorType: status === 'FAILED' ? errorType : null,
    exitCode: status === 'STOPPED' ? null : exitCode,
    startedAtMs: commandStart?.startedAtMs ?? times.startedAtMs,
    endedAtMs: commandEnd?.endedAtMs ?? times.endedAtMs,
    metadata,
    details: {
      slurmJobId,
      slurmState: state,
      ...(nodes === '' ? {} : { nodes }),
      ...(stoppedBy === undefined ? {} : { [STOPPED_BY]: stoppedBy }),
      ...(signal === null ? {} : { signal }),
      ...(commandStart === null || commandStart.restart === 0 ? {} : { restarts: String(commandStart.restart) }),
    },
  });
}

/** How long Slurm may take to report why it ended a job. Its own limit between SIGTERM and SIGKILL is 30 s. */
const SAID_AFTER_MS = 120_000;

/**
 * Whether the wrapper recorded the end of exactly this start and Slurm has not noticed it: a controller that died while the
 * job ended may report RUNNING for as long as the node is up (seen on 22.05).
 */
export function hasEndedUnnoticed(
  { state, restarts }: { readonly state: string; readonly restarts: number },
  { commandStart, commandEnd }: JobRecords,
  nowMs: number,
): boolean {
  if (state !== 'RUNNING' || commandStart === null || commandEnd === null) return false;
  const isThisStart = commandStart.restart === commandEnd.restart && restarts <= commandEnd.restart;
  return isThisStart && nowMs - commandEnd.endedAtMs > SAID_AFTER_MS;
}

/**
 * A job from the wrapper's record of the command's end. Slurm has forgotten the job, or still reports `slurmState` for it if
 * that is given.
 */
export function jobFromRecords(
  records: JobRecords,
  metadata: JobMetadata | null,
  slurmState: string | null = null,
): FoundJob | null {
  const { commandEnd, commandStart, isStopRequested } = records;
  if (commandEnd === null) return null;
  const { signal } = endFromShellCode(commandEnd.code);
  const state = commandEnd.code === 0 ? 'COMPLETED' : signal !== null && isStopRequested ? 'CANCELLED' : 'FAILED';
  const seen: SeenRecord = {
    slurmJobId: String(commandEnd.slurmJobId),
    state,
    waitStatus: 0,
    startedAtMs: null,
    endedAtMs: null,
    nodes: commandStart?.node ?? '',
  };
  const job = toEndedJob(seen, records, metadata, '');
  return {
    ...job,
    message: `Slurm ${slurmState === null ? 'has forgotten the job' : `still says ${slurmState}`}; by its own record the command ended with status ${commandEnd.code}.`,
    details: { ...job.details, slurmState: slurmState ?? 'forgotten' },
  };
}

/** Exit status of a shell: 128 plus the signal's number, if a signal ended the command. */
function endFromShellCode(code: number): ProcessEnd {
  return code > 128 && code < 160 ? { exitCode: null, signal: String(code - 128) } : { exitCode: code, signal: null };
}

type ProcessEnd = { readonly exitCode: number | null; readonly signal: string | null };

function endFromWaitStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  return signal === 0 ? endFromShellCode(status >> 8) : { exitCode: null, signal: String(signal) };
}
