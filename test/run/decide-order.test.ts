/** When an order is issued, which process dispatches it, and how often. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import { type Instant, known, unknown } from '../../src/domain/values.ts';
import { decideLaunch, decideOrder } from '../../src/run/decide-launch.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { anIssue, aWorkflowRun, instant, knownWorkflowRuns, someFacts } from '../support/run-facts.ts';
import { CONFIG, cacheWith, describeStep, evaluateGatesOn, reconcileInput, runWithGates } from './parts.ts';

const approved = runWithGates().approved(bob);
const ordered = approved.ordered();
const moment = (text: string | undefined): Instant => instant(text ?? '');
const issuedAt = moment(ordered.state.order?.at);
const soon = instant(new Date(issuedAt + 60_000).toISOString());

const TWO = { ...CONFIG, approvals: { ...CONFIG.approvals, quorum: 2 } };
const order = (run: RunBuilder, facts: RunFacts = someFacts(), config = CONFIG) =>
  decideOrder({ ...reconcileInput(run, facts), gated: evaluateGatesOn(run.state, facts, config) });

describe('an order', () => {
  // rule DF-06
  it('is issued once the quorum has approved, and expires after two hours', () => {
    expect(order(runWithGates())).toBeNull();
    const byBob = runWithGates(someFacts(), TWO).approved(bob);
    expect(order(byBob, someFacts(), TWO)).toBeNull();
    expect(order(byBob.approved(bob), someFacts(), TWO)).toBeNull();
    expect(describeStep(order(byBob.approved(alice), someFacts(), TWO))).toBe('ordered');
    const data = { attempt: 1, issuedAt: '2026-11-21T12:00:00.000Z', expiresAt: '2026-11-21T14:00:00.000Z' };
    expect(order(approved)).toMatchObject({ drafts: [{ data: { order: data } }] });
  });

  it('is not issued after a stop, twice, or while a gate fails or is unknown', () => {
    expect(order(ordered.stopRequested(alice).approved(bob))).toBeNull();
    expect(order(ordered)).toBeNull();
    expect(order(ordered.submitted())).toBeNull();
    const closed = known(anIssue({ state: 'closed' }));
    expect(order(approved, someFacts({ issue: closed }))).toBeNull();
    expect(order(approved, someFacts({ recordedRuns: unknown('away') }))).toBeNull();
  });

  it('starts a new attempt only if the previous attempt was claimed', () => {
    const end = { orderDigest: ordered.state.order?.digest ?? '' };
    const unclaimed = ordered.incident('dispatch-failed', end).approved(bob);
    const claimed = ordered.claimed().incident('runner-refused', end).approved(bob);
    expect(order(unclaimed)).toMatchObject({ drafts: [{ data: { order: { attempt: 1 } } }] });
    expect(order(claimed)).toMatchObject({ drafts: [{ data: { order: { attempt: 2 } } }] });
  });
});

describe('the dispatch', () => {
  const digest = ordered.state.order?.digest ?? '';
  const key = `launch:${digest}:0`;
  const mine = cacheWith({ appended: new Set([ordered.state.order?.seq ?? 0]) });
  const dispatch = (facts: RunFacts, now = soon, remembered = NO_ATTEMPTS, run = ordered) =>
    describeStep(decideLaunch({ state: run.state, facts, config: CONFIG, now, memory: remembered }));
  const sent = ordered.dispatched('launch', digest);
  const seen = (change: Parameters<typeof aWorkflowRun>[0]) => someFacts(knownWorkflowRuns(aWorkflowRun(change)));
  const later = (ms: number): Instant => instant(new Date(issuedAt + ms).toISOString());

  it('is sent immediately by the process that issued the order, and by others after a minute', () => {
    expect(dispatch(someFacts(), issuedAt, mine)).toBe('dispatch-workflow launch');
    expect(dispatch(someFacts(), issuedAt)).toBe('nothing');
    expect(dispatch(someFacts(), soon)).toBe('dispatch-workflow launch');
  });

  it('is not repeated while its workflow run is queued or in progress, and is sent three times at most', () => {
    const done = { status: 'completed' } as const;
    const again = (facts: RunFacts, run = sent, ms = 11 * 60_000) => dispatch(facts, later(ms), NO_ATTEMPTS, run);
    expect(again(someFacts())).toBe('need workflowRuns of 77');
    expect(again(seen({ status: 'queued' }))).toBe('nothing');
    expect(again(seen(done))).toBe('dispatch-workflow launch');
    expect(again(seen(done), sent, 30_000)).toBe('nothing');
    const thrice = sent.dispatched('launch', digest).dispatched('launch', digest);
    expect(again(seen(done), thrice)).toBe('nothing');
    expect(dispatch(someFacts(), soon, cacheWith({ tries: new Map([[key, 3]]) }))).toBe('nothing');
  });

  it('records an incident when the dispatch is refused and when the order expires', () => {
    const refused = cacheWith({
      outcomes: new Map([[key, { kind: 'refused', code: 'no-workflow', message: 'not there' }]]),
    });
    expect(
      decideLaunch({ state: ordered.state, facts: someFacts(), config: CONFIG, now: soon, memory: refused }),
    ).toMatchObject({ drafts: [{ data: { code: 'dispatch-failed' } }] });
    const late = moment(ordered.state.order?.order.expiresAt);
    expect(
      decideLaunch({ state: ordered.state, facts: someFacts(), config: CONFIG, now: late, memory: NO_ATTEMPTS }),
    ).toMatchObject({ drafts: [{ data: { code: 'order-expired' } }] });
  });

  it('is not sent without an open order', () => {
    expect(dispatch(someFacts(), soon, mine, approved)).toBe('nothing');
    expect(dispatch(someFacts(), soon, mine, ordered.submitted())).toBe('nothing');
  });
});
