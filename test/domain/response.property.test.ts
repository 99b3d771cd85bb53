/** For any failures and any repeated orders, the record accepts no attempt that was not approved. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FAILURE_CLASSES, FAILURES, type FailureClass } from '../../src/domain/failure-class.ts';
import { nextAttemptNumber } from '../../src/domain/logbook/run-state.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const NEVER: readonly FailureClass[] = ['oom-hbm', 'oom-host', 'nan', 'data'];

const deed = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: 'order' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'ask' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'approve' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'stop' } as const) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      class: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('preempted', 'network', 'stalled') },
        { weight: 1, arbitrary: fc.constantFrom(...FAILURE_CLASSES) },
      ),
      where: fc.constantFrom('a', 'b'),
      confidence: fc.oneof(
        { weight: 9, arbitrary: fc.constant('high' as const) },
        { weight: 1, arbitrary: fc.constant('low' as const) },
      ),
      status: fc.oneof(
        { weight: 12, arbitrary: fc.constant('FAILED' as const) },
        { weight: 1, arbitrary: fc.constantFrom('STOPPED' as const, 'SUCCEEDED' as const) },
      ),
      step: fc.nat(1_000),
    }),
  },
);
type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never;

function begun(restarts: number, after: readonly string[]): RunBuilder {
  const gated = aRun().gated();
  const { manifest, digest } = gated.state.gate ?? {};
  if (manifest === undefined || manifest === null || digest === undefined) throw new Error('no manifest');
  const envelope = { ...manifest.envelope, restarts, restartAfter: after };
  return aRun()
    .gated({ manifest: { ...manifest, envelope }, digest })
    .approved(bob)
    .ordered()
    .submitted();
}

/** The run after the deed, or null if the record rejects it. */
function done(run: RunBuilder, one: Deed): RunBuilder | null {
  try {
    switch (one.kind) {
      case 'order':
        return run.ordered({ attempt: nextAttemptNumber(run.state.order) }).submitted();
      case 'ask':
        return run.commanded({
          by: bob,
          name: 'relaunch',
          comment: 900 + run.state.commands.size,
          code: 'relaunch-asked',
          detail: { attempt: 2, left: 0 },
        });
      case 'approve':
        return run.approved(bob);
      case 'stop':
        return run.stopRequested(bob);
      case 'end':
        return run.ended({
          status: one.status,
          lastStep: run.state.attempts.length * 500 + one.step,
          diagnosis: {
            class: one.class,
            confidence: one.confidence,
            response: 'escalate',
            place: null,
            error: null,
            evidence: [`it said ${one.where}`],
          },
        });
    }
  } catch {
    return null;
  }
}

const envelopes = fc.record({
  restarts: fc.nat(4),
  after: fc.oneof(fc.constant([...FAILURES]), fc.subarray([...FAILURES])),
});

it('no attempt follows beyond the restarts, a repeatable failure or a live job, unless a person commands', () => {
  fc.assert(
    fc.property(envelopes, fc.array(deed, { maxLength: 30 }), ({ restarts, after }, deeds) => {
      let run = begun(restarts, after);
      let asked = false;
      let unasked = 0;
      const failures = new Map<string, number>();
      for (const one of deeds) {
        const before = run.state;
        const next = done(run, one);
        if (next === null) continue;
        run = next;
        if (one.kind === 'ask' && before.end !== null) asked = true;
        if (one.kind !== 'order') continue;
        const { end, stop, submission } = before;
        expect(submission).not.toBeNull();
        expect(end).not.toBeNull();
        expect(stop).toBeNull();
        expect(end?.status).not.toBe('SUCCEEDED');
        const failure = end?.status === 'STOPPED' ? 'stopped' : (end?.diagnosis?.class ?? 'unknown');
        expect(NEVER).not.toContain(failure);
        if (!asked) {
          unasked += 1;
          expect(unasked).toBeLessThanOrEqual(restarts);
          expect(after).toContain(failure);
          // Also failures from other releases, which recorded guesses as results.
          if (failure !== 'stopped') expect(end?.diagnosis?.confidence).not.toBe('low');
          const print = `${failure} ${failure === 'stopped' ? '' : end?.diagnosis?.evidence[0]}`;
          // A preempted attempt must get further each time; no other failure may occur twice.
          const [earlier, reached] = [failures.get(print), end?.lastStep ?? 0];
          if (failure === 'preempted') expect(reached).toBeGreaterThan(earlier ?? -1);
          else expect(earlier).toBeUndefined();
          failures.set(print, reached);
        }
        asked = false;
      }
      const approvedSince = run.state.approvals.length - 1;
      expect(run.state.attempts.length).toBeLessThanOrEqual(restarts + approvedSince);
    }),
    { numRuns: 1_000 },
  );
});

it('such a run can reach every approved number of attempts', () => {
  let most = 0;
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 30 }), (deeds) => {
      let run = begun(4, FAILURES);
      for (const one of deeds) run = done(run, one) ?? run;
      most = Math.max(most, run.state.attempts.length);
    }),
    { numRuns: 600, seed: 7 },
  );
  expect(most).toBeGreaterThanOrEqual(3);
});
