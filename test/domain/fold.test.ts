/**
 * fold is a function of only the events, applied one at a time or all together, and what each event does to
 * the run.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/domain/logbook/define.ts';
import { foldEvent, foldEvents } from '../../src/domain/logbook/fold.ts';
import { type RunState, TRACE_POINTS_MAX } from '../../src/domain/logbook/run-state.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const approved = aRun().gated().approved(bob);
const ordered = approved.ordered();
const submitted = ordered.submitted();
const ended = submitted.observed({ evals: { 'eval/loss': '4.1' } }).ended();
const sealed = ended.sealed(bob);
const events = sealed.events;
// An open order may be replaced by another; everything else in this life happens once.
const REPEATABLE: ReadonlySet<EventType> = new Set(['gated', 'approved', 'ordered', 'observed']);

describe('fold', () => {
  it('gives the same state for a prefix plus single events as for all events', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: events.length }), (length) => {
        const first = foldEvents(events.slice(0, length));
        if (!first.ok) throw new Error(first.error.rule);
        let state: RunState | null = first.value;
        for (const event of events.slice(length)) {
          const next = foldEvent(state, event);
          if (!next.ok) throw new Error(next.error.rule);
          state = next.value;
        }
        expect(state).toEqual(sealed.state);
      }),
    );
  });

  it('does not change its initial state', () => {
    const before = structuredClone(approved.state);
    approved.ordered().submitted();
    expect(approved.state).toEqual(before);
  });

  it('stops at the first illegal entry and names it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length - 1 }), (index) => {
        const doubled = [...events.slice(0, index + 1), events[index] ?? events[0], ...events.slice(index + 1)];
        const result = foldEvents(doubled.filter((event) => event !== undefined));
        const again = events[index]?.type;
        if (again === undefined || REPEATABLE.has(again)) return;
        expect(result).toMatchObject({ ok: false, error: { seq: events[index]?.seq } });
      }),
    );
  });

  it('keeps the newest entry as the head', () => {
    const last = events.at(-1);
    expect(sealed.state.head).toEqual({ seq: last?.seq, hash: last?.hash, at: last?.at });
  });
});

describe('the trace of the loss', () => {
  it('never has too many points, always has the newest, and keeps their order', () => {
    const steps = Array.from({ length: TRACE_POINTS_MAX * 2 + 5 }, (_, index) => index + 1);
    const run = steps.reduce((r, step) => r.observed({ step, loss: String(10 / step) }), submitted);
    const seen = run.state.trace.map((point) => point.step);
    expect(seen.length).toBeLessThanOrEqual(TRACE_POINTS_MAX);
    expect(seen.at(-1)).toBe(steps.at(-1));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('has one point per step', () => {
    const run = submitted.observed({ step: 5 }).observed({ step: 5 }).observed({ step: null });
    expect(run.state.trace).toHaveLength(1);
  });
});
