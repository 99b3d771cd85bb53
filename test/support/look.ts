/** A job as its engine reports it, and an observation of it, with only what a test needs. */

import type { FoundJob, JobStatus } from '../../src/domain/engine.ts';
import { USUAL_CADENCE } from '../../src/watch/cadence.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import type { Poll } from '../../src/watch/poll.ts';
import { NOON } from './run-facts.ts';

export function foundJob(status: JobStatus, change: Partial<FoundJob> = {}): FoundJob {
  return {
    kind: 'found',
    status,
    message: '',
    errorType: null,
    exitCode: null,
    startedAtMs: NOON,
    endedAtMs: null,
    metadata: null,
    session: null,
    details: {},
    ...change,
  };
}

/** An observation at noon of a running job without a log. */
export function buildPoll(change: Partial<Poll> = {}): Poll {
  return {
    job: foundJob('RUNNING'),
    log: NO_LOG_FACTS,
    at: NOON,
    logOffset: 0,
    logUnread: null,
    diagnosis: null,
    metrics: {},
    lease: { holder: 'watch-1', fence: 1, until: '2026-11-21T23:00:00.000Z' },
    cadence: USUAL_CADENCE,
    redact: (text) => text,
    ...change,
  };
}
