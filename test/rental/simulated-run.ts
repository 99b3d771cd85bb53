/** The record of a simulated run: as after a launch, and then by the rules of the real record. */

import type { RentalTerms } from '../../src/domain/launch/manifest.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import { foldEvent, foldEvents } from '../../src/domain/logbook/fold.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { type Instant, type RunId, toRfc3339 } from '../../src/domain/values.ts';

export const TERMS: RentalTerms = {
  ...{ dollarsPerHourMax: '2', dollarsMax: '12', hoursMax: 30 },
  ...{ dollarsPerDayMax: null, dollarsPerMonthMax: null },
  ...{ startMinutesMax: 35, idleMinutesMax: 20, endMinutesMax: 60, keepHoursMax: 12 },
};

/** A run with a job; the rules of the real record fold its entries. */
export type Run = {
  readonly jobId: string;
  readonly keepUntilMs: number | null;
  state: RunState;
  progressAtMs: number | null;
  submittedAtMs: number;
  tries: number;
  endedAtMs: number | null;
};

/** The record after a launch; the launch itself is not simulated. */
export function createSubmittedRun(jobId: string, nowMs: number): RunState {
  const at = toRfc3339(nowMs as Instant);
  const begun = foldEvents([
    {
      run: 'rental-20261121',
      seq: 0,
      at,
      type: 'proposed',
      role: 'control',
      data: {},
      hash: '',
    } as unknown as LogbookEvent,
  ]);
  if (!begun.ok || begun.value === null) throw new Error('a run begins with proposed');
  return {
    ...begun.value,
    run: jobId as RunId,
    order: {
      order: { submissionId: jobId, attempt: 1 },
      ...{
        status: 'submitted',
        at,
        seq: 0,
        claim: { at },
        manifest: { cluster: 'rented', envelope: { rental: TERMS } },
      },
    },
    submission: { jobId, cluster: 'rented', attempt: 1, at, seq: 0 },
  } as unknown as RunState;
}

/** Applies the rules of the record: an entry that they reject is a bug of the watch. */
export function applyDrafts(run: Run, drafts: readonly EventDraft[], nowMs: number): void {
  for (const draft of drafts) {
    const event = {
      ...draft,
      run: run.state.run,
      seq: run.state.head.seq + 1,
      at: toRfc3339(nowMs as Instant),
      hash: '',
    };
    const step = foldEvent(run.state, event as unknown as LogbookEvent);
    if (!step.ok) throw new Error(`${draft.type}: ${step.error.rule}`);
    run.state = step.value;
    if (run.state.end !== null) run.endedAtMs ??= nowMs;
  }
}

export function endRun(run: Run, nowMs: number): void {
  const data = { attempt: 1, status: 'FAILED', fence: run.state.fence } as unknown as Extract<
    EventDraft,
    { type: 'ended' }
  >['data'];
  applyDrafts(run, [{ type: 'ended', role: 'watch', data }], nowMs);
}
