/** The run of a replayed trace, with the approved settings that the trace names. */

import { FAILURES, mayPassAgain } from '../../domain/failure-class.ts';
import type { Instant } from '../../domain/ids.ts';
import { pastAttempt } from '../../domain/launch/next-attempt.ts';
import type { LogbookEvent } from '../../domain/logbook/event.ts';
import { foldOne } from '../../domain/logbook/fold.ts';
import type { IssuedOrder, RunState, Submission } from '../../domain/logbook/run-state.ts';
import { toRfc3339 } from '../../domain/time.ts';
import type { TraceHeader } from './trace.ts';

/** The run right after its submission. */
export function begunRun({ submittedAt, checkpointMinutes, restarts }: TraceHeader): RunState {
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
  return {
    ...begun.value,
    order: orderOf(checkpointMinutes, restarts),
    submission: submissionOf(submittedAt, 1),
  };
}

/** The next attempt with the same manifest. */
export function nextAttemptOf(state: RunState, at: Instant, attempt: number): RunState {
  const past = pastAttempt(state);
  return {
    ...state,
    attempts: past === null ? state.attempts : [...state.attempts, past],
    submission: submissionOf(at, attempt),
    observation: null,
    firstEval: null,
    end: null,
    trace: [],
    paces: [],
  };
}

/** The run with a recorded stop by a known person. */
export function stoppedBy(state: RunState, at: Instant): RunState {
  const stop = { actor: { id: 0, login: 'somebody' }, at: toRfc3339(at), comment: 0, seq: state.head.seq };
  return state.stop === null ? { ...state, stop } : state;
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

/** Only the manifest values that detectors compare with. */
function orderOf(temporaryEveryMinutes: number | null, restarts: number): IssuedOrder {
  const manifest = {
    command: [],
    resume: { roots: null },
    tracker: { kind: '', entity: '', project: '', runId: '' },
    retention: { permanentEverySteps: null, temporaryEveryMinutes, keepTemporary: null },
    envelope: { restarts, fixes: [], reductions: [], restartAfter: FAILURES.filter(mayPassAgain) },
  };
  return {
    order: { digest: 'replay' },
    status: 'submitted',
    manifest,
    claim: null,
  } as unknown as IssuedOrder;
}
