/** When an order is issued, who dispatches it and how often, and when a watch is started. */

import { describe, expect, it } from 'vitest';
import type { RunFacts } from '../../src/domain/facts.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideDispatch, decideOrder } from '../../src/run/decide-order.ts';
import { decideWatch } from '../../src/run/decide-watch.ts';
import { NO_ATTEMPTS } from '../../src/run/step.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob } from '../support/run-drafts.ts';
import { anIssue, aWorkflowRun, instant, NOON, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, gatesOn, inputOf, memory, told } from './parts.ts';

const approved = gatedOn().approved(bob);
const ordered = approved.ordered();
const moment = (text: string | undefined): Instant => instant(text ?? '');
const issuedAt = moment(ordered.state.order?.at);
const soon = instant(new Date(issuedAt + 60_000).toISOString());

const TWO = { ...CONFIG, approvals: { ...CONFIG.approvals, quorum: 2 } };
const order = (run: RunBuilder, facts: RunFacts = someFacts(), config = CONFIG) =>
  decideOrder({
    ...inputOf(run, facts),
    gated: gatesOn(run.state, facts, config),
  });

describe('an order', () => {
  it('is issued once the quorum of people has approved, and runs out after two hours', () => {
    expect(order(gatedOn())).toBeNull();
    const byBob = gatedOn(someFacts(), TWO).approved(bob);
    expect(order(byBob, someFacts(), TWO)).toBeNull();
    expect(order(byBob.approved(bob), someFacts(), TWO)).toBeNull();
    expect(told(order(byBob.approved(alice), someFacts(), TWO))).toBe('ordered');
    const data = { attempt: 1, issuedAt: '2026-11-21T12:00:00.000Z', expiresAt: '2026-11-21T14:00:00.000Z' };
    expect(order(approved)).toMatchObject({ drafts: [{ data: { order: data } }] });
  });

  it('is not issued after a stop, twice, or while a gate fails or cannot tell', () => {
    expect(order(ordered.stopRequested(alice).approved(bob))).toBeNull();
    expect(order(ordered)).toBeNull();
    expect(order(ordered.submitted())).toBeNull();
    const closed = known(anIssue({ state: 'closed' }));
    expect(order(approved, someFacts({ issue: closed }))).toBeNull();
    expect(order(approved, someFacts({ recordedRuns: unknown('away') }))).toBeNull();
  });

  it('is a new attempt only after the one before was claimed', () => {
    const end = { orderDigest: ordered.state.order?.digest ?? '' };
    const unclaimed = ordered.incident('dispatch-failed', end).approved(bob);
    const claimed = ordered.claimed().incident('runner-refused', end).approved(bob);
    expect(order(unclaimed)).toMatchObject({ drafts: [{ data: { order: { attempt: 1 } } }] });
    expect(order(claimed)).toMatchObject({ drafts: [{ data: { order: { attempt: 2 } } }] });
  });
});

describe('the dispatch', () => {
  const key = `dispatch:${ordered.state.order?.digest}:open:0`;
  const mine = memory({ appended: new Set([ordered.state.order?.seq ?? 0]) });
  const title = `launch ${ordered.state.order?.digest.slice(7, 19)}`;
  const dispatch = (facts: RunFacts, now = soon, remembered = NO_ATTEMPTS, run = ordered) =>
    told(decideDispatch(run.state, facts, CONFIG, now, remembered));
  const seen = (...runs: readonly Parameters<typeof aWorkflowRun>[1][]) =>
    someFacts({ launchRuns: known(runs.map((run) => aWorkflowRun(title, run))) });
  const completed = { status: 'completed', createdAt: issuedAt } as const;

  it('is done at once by who issued the order, and by others only when the list was read', () => {
    expect(dispatch(someFacts(), issuedAt, mine)).toBe('dispatch-workflow dispatch');
    expect(dispatch(someFacts(), soon)).toBe('need launchRuns');
    expect(dispatch(seen(), soon)).toBe('dispatch-workflow dispatch');
    expect(dispatch(someFacts({ launchRuns: unknown('GitHub is away') }), soon, mine)).toBe('nothing');
  });

  it('is not repeated while a launch is on its way, and three times at most', () => {
    expect(dispatch(seen({ status: 'queued' }))).toBe('nothing');
    expect(dispatch(seen(completed))).toBe('dispatch-workflow dispatch');
    expect(dispatch(seen(completed), issuedAt)).toBe('nothing');
    expect(dispatch(seen(completed, completed, completed))).toBe('nothing');
    expect(dispatch(seen(), soon, memory({ tries: new Map([[key, 3]]) }))).toBe('nothing');
    expect(
      dispatch(seen(), soon, memory({ outcomes: new Map([[key, { kind: 'done', number: null }]]) })),
    ).toBe('nothing');
  });

  it('is repeated by who did it, after ten minutes in which no launch came of it', () => {
    const done = memory({
      appended: new Set([ordered.state.order?.seq ?? 0]),
      outcomes: new Map([[key, { kind: 'done', number: null }]]),
    });
    const later = instant(new Date(issuedAt + 11 * 60_000).toISOString());
    expect(dispatch(someFacts(), soon, done)).toBe('nothing');
    expect(dispatch(someFacts(), later, done)).toBe('need launchRuns');
    expect(dispatch(seen(completed), later, done)).toBe('dispatch-workflow dispatch');
    expect(dispatch(seen({ status: 'queued' }), later, done)).toBe('nothing');
  });

  it('that is refused, and an order that lapses, are told', () => {
    const refused = memory({
      outcomes: new Map([[key, { kind: 'refused', code: 'no-workflow', message: 'not there' }]]),
    });
    expect(decideDispatch(ordered.state, seen(), CONFIG, soon, refused)).toMatchObject({
      drafts: [{ data: { code: 'dispatch-failed' } }],
    });
    const late = moment(ordered.state.order?.order.expiresAt);
    expect(decideDispatch(ordered.state, seen(), CONFIG, late, NO_ATTEMPTS)).toMatchObject({
      drafts: [{ data: { code: 'order-expired' } }],
    });
  });

  it('is nothing without an open order', () => {
    expect(dispatch(seen(), soon, mine, approved)).toBe('nothing');
    expect(dispatch(seen(), soon, mine, ordered.submitted())).toBe('nothing');
  });
});

describe('the watch', () => {
  const submitted = ordered.submitted();
  const watched = submitted.observed();
  const watch = (run: RunBuilder, facts: RunFacts, now: Instant = NOON) =>
    told(decideWatch(run.state, facts, CONFIG, now, NO_ATTEMPTS));
  const underLease = moment(watched.state.head.at);

  it('is started for a live job without a running lease, unless one is on its way', () => {
    expect(watch(submitted, someFacts())).toBe('dispatch-workflow watch');
    expect(watch(submitted, someFacts({ watchRuns: known([aWorkflowRun('watch local')]) }))).toBe('nothing');
    expect(watch(submitted, someFacts({ watchRuns: unknown('away') }))).toBe('nothing');
    expect(watch(watched, someFacts(), underLease)).toBe('nothing');
    expect(watch(watched, someFacts())).toBe('dispatch-workflow watch');
    expect(watch(watched.ended(), someFacts())).toBe('nothing');
    expect(watch(ordered, someFacts())).toBe('nothing');
  });
});
