/**
 * What lines of squeue and sacct mean (fixtures/slurm/): lines of a real cluster, and of states that a
 * private one-machine cluster does not enforce.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type QueuedJob, readQueueText } from '../../src/engines/slurm/commands.ts';
import type { JobRecords } from '../../src/engines/slurm/job-folder.ts';
import {
  hasEndedUnnoticed,
  isEndState,
  jobFromRecords,
  toEndedJob,
  toJobStatus,
} from '../../src/engines/slurm/job-state.ts';
import { chooseJob, readAccountingLine } from '../../src/engines/slurm/observe.ts';

const linesOf = (name: string): readonly string[] =>
  readFileSync(`fixtures/slurm/${name}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const METADATA = { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' };
const NONE: JobRecords = {
  submitRequestedAtMs: 0,
  slurmJobId: '2',
  owner: null,
  isStopRequested: false,
  commandStart: null,
  commandEnd: null,
  lastSeen: null,
};
const begin = (restart = 0) => ({ slurmJobId: 2, restart, startedAtMs: 1_000, node: 'n1' });
const end = (code: number) => ({ slurmJobId: 2, restart: 0, endedAtMs: 9_000, code });
const queued = (state: string, changes: Partial<QueuedJob> = {}): QueuedJob => ({
  slurmJobId: '2',
  name: 'job',
  state,
  reason: 'None',
  restarts: 0,
  waitStatus: 0,
  startedAtMs: null,
  endedAtMs: null,
  nodes: 'n1',
  metadata: METADATA,
  ...changes,
});

describe('the queue of a real cluster', () => {
  /**
   * Reads each line separately. Fields end with `|` here, and with a word of the call when a cluster is
   * asked.
   */
  const jobIn = (line: string): QueuedJob | null => {
    const queue = readQueueText(`${line}\n`, '|');
    return queue.kind === 'jobs' ? (queue.jobs[0] ?? null) : null;
  };
  const jobs = linesOf('squeue.txt').map(jobIn);

  it('parses every line as one job', () => {
    expect(jobs.map((job) => job && [job.slurmJobId, job.state, job.reason])).toEqual([
      ['1', 'FAILED', 'NonZeroExitCode'],
      ['2', 'PENDING', 'Dependency'],
      ['2', 'RUNNING', 'None'],
      ['2', 'COMPLETING', 'None'],
      ['2', 'CANCELLED', 'None'],
      ['4', 'PENDING', 'Resources'],
      ['5', 'PENDING', 'Resources'],
      ['6', 'PENDING', 'Resources'],
      ['7', 'RUNNING', 'None'],
      ['13', 'PENDING', 'ReqNodeNotAvail, UnavailableNodes:localhost'],
    ]);
  });

  it("takes metadata from the job's comment, and reads when the job started and ended", () => {
    expect(jobs[0]).toMatchObject({
      name: 'a.b-1',
      metadata: METADATA,
      waitStatus: 768,
      startedAtMs: 1_795_421_532_000,
      endedAtMs: 1_795_421_533_000,
    });
    expect(jobs[9]?.metadata).toBeNull();
  });

  it('ignores a line that is cut or has other fields', () => {
    const whole = linesOf('squeue.txt')[0] ?? '';
    for (const line of ['', 'slurm_load_jobs error', whole.slice(0, 40), whole.replace('768', 'x')])
      expect(jobIn(line)).toBeNull();
  });
});

it.each([
  ['COMPLETED', 0, 'SUCCEEDED', null, 0],
  ['FAILED', 3, 'FAILED', 'JOB_ENTRYPOINT_COMMAND_ERROR', 3],
  ['FAILED', 139, 'FAILED', 'JOB_ENTRYPOINT_COMMAND_ERROR', null],
  ['CANCELLED', 143, 'STOPPED', null, null],
  ['TIMEOUT', 143, 'FAILED', 'TIMEOUT', null],
  ['OUT_OF_MEMORY', 137, 'FAILED', 'OUT_OF_MEMORY', null],
  ['PREEMPTED', 143, 'FAILED', 'PREEMPTED', null],
  ['NODE_FAIL', 143, 'FAILED', 'NODE_FAIL', null],
  ['DEADLINE', 143, 'FAILED', 'DEADLINE', null],
  // A job that handles SIGTERM and exits with 0 was cut short all the same.
  ['TIMEOUT', 0, 'FAILED', 'TIMEOUT', 0],
  ['CANCELLED', 0, 'STOPPED', null, null],
  // The wrapper refused a second start after the command had succeeded.
  ['FAILED', 0, 'SUCCEEDED', null, 0],
])('reads %s with command status %i as %s', (state, code, status, errorType, exitCode) => {
  const seen = { slurmJobId: '2', state, waitStatus: 0, startedAtMs: null, endedAtMs: null, nodes: 'n1' };
  const job = toEndedJob(seen, { ...NONE, commandStart: begin(), commandEnd: end(code) }, METADATA, '');
  expect(job).toMatchObject({ status, errorType, exitCode, startedAtMs: 1_000, endedAtMs: 9_000 });
  expect(job.details['slurmState']).toBe(state);
});

it('takes times from Slurm when a node died before the start, and reports a start that was refused', () => {
  const seen = { slurmJobId: '2', startedAtMs: 1, endedAtMs: 2, nodes: 'n1' };
  expect(toEndedJob({ ...seen, state: 'NODE_FAIL', waitStatus: 0 }, NONE, METADATA, '')).toMatchObject({
    status: 'FAILED',
    errorType: 'NODE_FAIL',
    startedAtMs: 1,
    endedAtMs: 2,
  });
  const refused = toEndedJob({ ...seen, state: 'FAILED', waitStatus: 256 }, NONE, METADATA, 'ferrybot: gone');
  expect(refused).toMatchObject({ errorType: 'JOB_ENTRYPOINT_COMMAND_START_ERROR', exitCode: 1 });
  expect(refused.message).toBe('Slurm says FAILED with exit code 1. ferrybot: gone');
});

it('reads pending and suspended states as not ended, and an unknown state as null', () => {
  const living = ['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT'];
  for (const state of living) expect([toJobStatus(state), isEndState(state)]).toEqual(['PENDING', false]);
  for (const state of ['RUNNING', 'COMPLETING', 'SUSPENDED', 'STOPPED', 'RESIZING'])
    expect([toJobStatus(state), isEndState(state)]).toEqual(['RUNNING', false]);
  expect(toJobStatus('REVOKED')).toBeNull();
});

it('picks the job that owns the start among jobs of one name, else the first that is pending', () => {
  const jobs = [queued('COMPLETED', { slurmJobId: '12' }), queued('PENDING', { slurmJobId: '9' })];
  expect(chooseJob(jobs, NONE)?.slurmJobId).toBe('9');
  expect(chooseJob(jobs, { ...NONE, owner: '12' })?.slurmJobId).toBe('12');
  // The job that ran is forgotten; the other one exited without starting anything.
  expect(chooseJob(jobs, { ...NONE, owner: '3' })).toBeNull();
});

it("takes a job that Slurm has forgotten from the job's own record", () => {
  expect(jobFromRecords(NONE, METADATA)).toBeNull();
  const recorded = (code: number, changes: Partial<JobRecords> = {}) =>
    jobFromRecords({ ...NONE, commandStart: begin(), commandEnd: end(code), ...changes }, METADATA);
  expect(recorded(0)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
  expect(recorded(7)).toMatchObject({ status: 'FAILED', exitCode: 7 });
  expect(recorded(143)).toMatchObject({ status: 'FAILED', exitCode: null, details: { signal: '15' } });
  expect(recorded(143, { isStopRequested: true })).toMatchObject({ status: 'STOPPED' });
  expect(recorded(143, { commandStart: begin(2) })).toMatchObject({ details: { restarts: '2' } });
});

it('treats a job that Slurm still reports as running as ended two minutes after its own end record', () => {
  const ended = { ...NONE, commandStart: begin(), commandEnd: end(3) };
  const atMs = 9_000 + 120_001;
  expect(hasEndedUnnoticed(queued('RUNNING'), ended, atMs)).toBe(true);
  expect(jobFromRecords(ended, METADATA, 'RUNNING')).toMatchObject({
    status: 'FAILED',
    exitCode: 3,
    message: 'Slurm still says RUNNING; by its own record the command ended with status 3.',
    details: { slurmState: 'RUNNING' },
  });
  // Not yet: Slurm may still give a reason, restart the job or run an epilog, or the job may not have ended.
  expect(hasEndedUnnoticed(queued('RUNNING'), ended, atMs - 1)).toBe(false);
  expect(hasEndedUnnoticed(queued('RUNNING', { restarts: 1 }), ended, atMs)).toBe(false);
  expect(hasEndedUnnoticed(queued('RUNNING'), { ...ended, commandStart: begin(1) }, atMs)).toBe(false);
  expect(hasEndedUnnoticed(queued('COMPLETING'), ended, atMs)).toBe(false);
  expect(hasEndedUnnoticed(queued('RUNNING'), { ...ended, commandEnd: null }, atMs)).toBe(false);
});

it('takes from accounting who cancelled a job, and ignores a job that has not ended', () => {
  expect(linesOf('sacct.txt').map(readAccountingLine)).toEqual([
    expect.objectContaining({ slurmJobId: '21', state: 'COMPLETED', waitStatus: 0 }),
    expect.objectContaining({ slurmJobId: '22', state: 'CANCELLED', waitStatus: 15, stoppedBy: 'uid 1000' }),
    expect.objectContaining({ slurmJobId: '23', state: 'OUT_OF_MEMORY', waitStatus: 125 }),
    expect.objectContaining({ slurmJobId: '24', state: 'PREEMPTED' }),
    expect.objectContaining({ slurmJobId: '25', state: 'FAILED', waitStatus: 768 }),
    null,
  ]);
});
