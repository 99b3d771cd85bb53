/** The run that a trace is replayed as: launched by nobody, with what the trace says that was approved. */

import type { Instant } from '../../domain/ids.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { foldOne } from '../../domain/logbook/fold.ts';
import type { IssuedOrder, RunState, Submission } from '../../domain/logbook/run-state.ts';
import { toRfc3339 } from '../../domain/time.ts';
import type { TraceHeader } from './trace.ts';

/** After its submission. */
export function begunRun({ submittedAt, checkpointMinutes }: TraceHeader): RunState {
  const at = toRfc3339(submittedAt);
  const data = {
    lane: 'replay',
    date: at.slice(0, 10),
    runName: 'replay',
    repository: 'replay/replay',
    issue: 1,
    pull: 1,
    baseBranch: 'main',
    headBranch: 'replay',
    experiment: '',
    objective: { kind: 'integration', text: '' },
    interval: { sinceCommit: null, sinceDate: at.slice(0, 10), fallback: true, lastRun: null },
    keys: [],
    request: null,
  };
  const head = { v: 1, run: 'replay', seq: 0, at, prev: '', keyId: '', hash: '', sig: '' };
  const begun = foldOne(null, {
    ...head,
    type: 'proposed',
    role: 'control',
    data,
  } as unknown as LogbookEvent);
  if (!begun.ok) throw new Error(`a replay cannot begin: ${begun.error.rule}`);
  return { ...begun.value, order: orderOf(checkpointMinutes), submission: submissionOf(submittedAt, 1) };
}

/** The next attempt, under the same manifest. */
export function nextAttemptOf(state: RunState, at: Instant, attempt: number): RunState {
  const { order, submission, observation, firstEval, end, trace } = state;
  if (order === null || submission === null) throw new Error('an attempt follows one that was launched');
  const exact = observation?.stepIsExact === true ? trace : [];
  const past = end === null ? [] : [{ order, submission, observation, firstEval, end, trace: exact }];
  return {
    ...state,
    attempts: [...state.attempts, ...past],
    submission: submissionOf(at, attempt),
    observation: null,
    firstEval: null,
    end: null,
    trace: [],
  };
}

function submissionOf(at: Instant, attempt: number): Submission {
  return {
    attempt,
    engine: 'trace',
    jobId: `replay-${attempt}`,
    cluster: 'replay',
    command: [],
    commit: '0'.repeat(40),
    adopted: false,
    urls: {},
    details: {},
    at: toRfc3339(at),
    seq: 0,
  } as unknown as Submission;
}

/** Of the manifest only what detectors compare with. */
function orderOf(temporaryEveryMinutes: number | null): IssuedOrder {
  const manifest = {
    tracker: { kind: '', entity: '', project: '', runId: '' },
    retention: { permanentEverySteps: null, temporaryEveryMinutes, keepTemporary: null },
    envelope: { restarts: 0, fixes: [], reductions: [] },
  };
  return { order: {}, status: 'submitted', manifest, claim: null } as unknown as IssuedOrder;
}
