/** When a stop workflow is dispatched: after a /stop, when no watch is known to be alive. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import { type Instant, unknown } from '../../src/domain/values.ts';
import { decideStop, isStopOverdue } from '../../src/run/decide-dispatches.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { aWorkflowRun, instant, knownWorkflowRuns, someFacts } from '../support/run-facts.ts';
import { CONFIG, describeStep, runWithGates } from './parts.ts';

const submitted = runWithGates().approved(bob).ordered().submitted();
const watched = submitted.dispatched('watch', 'local', 5).observed();
const asked = watched.stopRequested(alice);
const past = (run: RunBuilder, ms: number): Instant =>
  instant(new Date(Date.parse(run.state.stop?.at ?? run.state.head.at) + ms).toISOString());

const stop = (run: RunBuilder, facts: Partial<RunFacts> = {}, ms = 1_000): string =>
  describeStep(
    decideStop({ state: run.state, facts: someFacts(facts), config: CONFIG, now: past(run, ms), memory: NO_ATTEMPTS }),
  );
const seen = (id: number, status: 'queued' | 'in_progress' | 'completed') =>
  knownWorkflowRuns(aWorkflowRun({ id, status }));
const ALIVE = seen(5, 'in_progress');
const DISPATCH = 'dispatch-workflow stop';

describe('a stop', () => {
  it('is left to a live watch, which observes every 30 s', () => {
    expect(stop(asked)).toBe('need workflowRuns of 5');
    expect(stop(asked, ALIVE)).toBe('nothing');
    expect(stop(asked, ALIVE, 34_000)).toBe('nothing');
    expect(stop(asked.observed(), {}, 90_000)).toBe('nothing');
  });

  it('is dispatched when the watch that control started is not in progress', () => {
    expect(stop(asked, seen(5, 'completed'))).toBe(DISPATCH);
    expect(stop(asked, seen(5, 'queued'))).toBe(DISPATCH);
    expect(stop(asked, { workflowRuns: new Map([[5, unknown('away')]]) })).toBe(DISPATCH);
    expect(stop(submitted.observed().stopRequested(alice))).toBe(DISPATCH);
    expect(stop(submitted.stopRequested(alice))).toBe(DISPATCH);
  });

  it('is dispatched when a live watch has not observed in time', () => {
    expect(stop(asked, ALIVE, 35_000)).toBe(DISPATCH);
  });

  it('is not dispatched while a stop workflow runs, and is dispatched again after it has ended', () => {
    const told = asked.incident('stop-unconfirmed', { message: 'not yet' });
    const sent = told.dispatched('stop', String(asked.state.stop?.seq), 9);
    const late = 12 * 60_000;
    expect(stop(sent, {}, late)).toBe('need workflowRuns of 9');
    expect(stop(sent, seen(9, 'queued'), late)).toBe('nothing');
    expect(stop(sent, seen(9, 'in_progress'), late)).toBe('nothing');
    expect(stop(sent, seen(9, 'in_progress'), 30 * 60_000)).toBe(DISPATCH);
    expect(stop(sent, seen(9, 'completed'), late)).toBe(DISPATCH);
    const often = [9, 9, 9, 9, 9].reduce((run, id) => run.dispatched('stop', String(asked.state.stop?.seq), id), told);
    expect(stop(often, seen(9, 'completed'), 60 * 60_000)).toBe(DISPATCH);
  });

  it('is reported to people once when it is not confirmed after two minutes', () => {
    const sent = asked.dispatched('stop', String(asked.state.stop?.seq), 9);
    expect(stop(sent, seen(9, 'queued'), 119_000)).toBe('nothing');
    expect(stop(sent, seen(9, 'queued'), 120_000)).toBe('incident');
    const told = sent.incident('stop-unconfirmed', { message: 'not yet' });
    expect(stop(told, seen(9, 'queued'), 130_000)).toBe('nothing');
  });

  it('is pending until the engine confirms it or a live watch has observed the job', () => {
    expect(isStopOverdue(asked.state, past(asked, 1_000))).toBe(true);
    expect(isStopOverdue(asked.observed().state, past(asked, 90_000))).toBe(false);
    expect(isStopOverdue(asked.ended().state, past(asked, 1_000))).toBe(false);
  });

  it("does nothing without a request, without a job, and after the job's end", () => {
    const ordered = runWithGates().approved(bob).ordered();
    for (const run of [watched, ordered.stopRequested(alice), asked.ended()]) expect(stop(run)).toBe('nothing');
  });
});
