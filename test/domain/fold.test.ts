/** fold: a function of the events alone, one at a time or all at once, and what each event does to the run. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/domain/logbook/event.ts';
import { fold, foldOne } from '../../src/domain/logbook/fold.ts';
import { isLive } from '../../src/domain/logbook/liveness.ts';
import { phaseOf } from '../../src/domain/logbook/phase.ts';
import {
  isOver,
  type RunState,
  standingApprovals,
  TRACE_POINTS_MAX,
} from '../../src/domain/logbook/run-state.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, digestOf } from '../support/run-drafts.ts';

const approved = aRun().gated().approved(bob);
const ordered = approved.ordered();
const submitted = ordered.submitted();
const ended = submitted.observed({ evals: { 'eval/loss': '4.1' } }).ended();
const sealed = ended.sealed(bob);
const events = sealed.events;
// An open order may be replaced by another; everything else in this life happens once.
const REPEATABLE: ReadonlySet<EventType> = new Set(['gated', 'approved', 'ordered', 'observed']);

describe('fold', () => {
  it('of a prefix and then the rest one at a time is fold of the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: events.length }), (length) => {
        const first = fold(events.slice(0, length));
        if (!first.ok) throw new Error(first.error.rule);
        let state: RunState | null = first.value;
        for (const event of events.slice(length)) {
          const next = foldOne(state, event);
          if (!next.ok) throw new Error(next.error.rule);
          state = next.value;
        }
        expect(state).toEqual(sealed.state);
      }),
    );
  });

  it('leaves the state that it began from as it was', () => {
    const before = structuredClone(approved.state);
    approved.ordered().submitted();
    expect(approved.state).toEqual(before);
  });

  it('stops at the first illegal entry and names it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length - 1 }), (index) => {
        const doubled = [
          ...events.slice(0, index + 1),
          events[index] ?? events[0],
          ...events.slice(index + 1),
        ];
        const result = fold(doubled.filter((event) => event !== undefined));
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

describe('the phase', () => {
  it.each([
    ['proposed', aRun()],
    ['gated', aRun().gated()],
    ['approved', approved],
    ['ordered', ordered],
    ['ordered', ordered.claimed()],
    ['approved', ordered.incident('order-expired')],
    ['gated', ordered.dropped('gate-fails')],
    ['submitted', submitted],
    ['submitted', submitted.observed({ step: 0 })],
    ['stepping', submitted.observed()],
    ['degraded', submitted.observed({ status: 'UNKNOWN' })],
    ['degraded', submitted.observed({ signatures: ['owner-died'] })],
    ['ended', ended],
    ['sealed', sealed],
    ['closed', ended.closed()],
  ] as const)('%s', (phase, run: RunBuilder) => {
    expect(phaseOf(run.state)).toBe(phase);
  });

  it('live is between the order and the end, over is after the seal or the close', () => {
    const runs = [
      approved,
      ordered,
      ordered.dropped('body-edited'),
      submitted,
      ended,
      sealed,
      ended.closed(),
    ];
    expect(runs.map((run) => [isLive(run.state), isOver(run.state)])).toEqual([
      [false, false],
      [true, false],
      [false, false],
      [true, false],
      [false, false],
      [false, true],
      [false, true],
    ]);
  });
});

describe('an approval', () => {
  it('stands for this manifest and this text alone', () => {
    expect(standingApprovals(approved.state)).toHaveLength(1);
    expect(standingApprovals(approved.gated({ body: digestOf('edited') }).state)).toEqual([]);
    expect(standingApprovals(approved.gated({ digest: digestOf('other') }).state)).toEqual([]);
    expect(standingApprovals(approved.gated({ digest: null, manifest: null }).state)).toEqual([]);
  });

  it('falls for those who are named and stays for the others', () => {
    const two = approved.approved(alice);
    const drop = two.add({
      type: 'approval-dropped',
      role: 'control',
      data: { reason: 'comment-edited', digest: two.state.gate?.digest ?? digestOf(''), users: [bob.id] },
    });
    expect(standingApprovals(drop.state).map((a) => a.actor)).toEqual([alice]);
  });

  it('is taken back by a stop before the launch, not by one after it', () => {
    expect(ordered.stopRequested(alice).state).toMatchObject({ approvals: [], order: { status: 'void' } });
    expect(submitted.stopRequested(alice).state.approvals).toHaveLength(1);
  });
});

describe('an order', () => {
  const mine = { orderDigest: ordered.state.order?.digest ?? '' };

  it.each(['runner-refused', 'submit-rejected', 'submit-conflict', 'dispatch-failed'] as const)(
    'ends with %s, and the approvals with it',
    (code) => {
      expect(ordered.claimed().incident(code, mine).state).toMatchObject({
        order: { status: 'failed' },
        approvals: [],
      });
    },
  );

  it('does not end with an incident of another order', () => {
    expect(ordered.incident('runner-refused', { orderDigest: 'sha256:x' }).state.order?.status).toBe('open');
  });

  it('once claimed is not taken away by a drop, a hold or a stop: the runner looks itself', () => {
    const claimed = ordered.claimed();
    expect(claimed.dropped('gate-fails').state.order?.status).toBe('claimed');
    expect(claimed.stopRequested(alice).state.order?.status).toBe('claimed');
  });

  it('falls with a hold, and a release does not bring it back', () => {
    const held = ordered.add({
      type: 'held',
      role: 'control',
      actor: bob,
      data: { scope: 'run', reason: 'wait', date: null },
    });
    expect(held.state).toMatchObject({ order: { status: 'void' }, holds: [{ scope: 'run', actor: bob }] });
    const free = held.add({
      type: 'released',
      role: 'control',
      actor: bob,
      data: { scope: 'run', date: null },
    });
    expect(free.state).toMatchObject({ order: { status: 'void' }, holds: [] });
  });
});

describe('the trace of the loss', () => {
  it('never has too many points, never loses the newest, and keeps their order', () => {
    const steps = Array.from({ length: TRACE_POINTS_MAX * 2 + 5 }, (_, index) => index + 1);
    const run = steps.reduce((r, step) => r.observed({ step, loss: String(10 / step) }), submitted);
    const seen = run.state.trace.map((point) => point.step);
    expect(seen.length).toBeLessThanOrEqual(TRACE_POINTS_MAX);
    expect(seen.at(-1)).toBe(steps.at(-1));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('has one point a step', () => {
    const run = submitted.observed({ step: 5 }).observed({ step: 5 }).observed({ step: null });
    expect(run.state.trace).toHaveLength(1);
  });
});
