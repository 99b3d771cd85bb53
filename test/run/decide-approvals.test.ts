/** Which approvals are still valid: quorum by cost, lost permissions, and comments that were changed. */

import { describe, expect, it } from 'vitest';
import { requiredQuorum } from '../../src/config/lane-of-file.ts';
import { isApprovalTooOld } from '../../src/domain/launch/response.ts';
import { known, type Observed, type Sha, unknown } from '../../src/domain/values.ts';
import { decideApprovals } from '../../src/run/approvals.ts';
import { decideOrder } from '../../src/run/decide-launch.ts';
import { alice, bob, digestOf, toSha } from '../support/run-drafts.ts';
import { aComment, instant, knownPermissions, NOON, someFacts } from '../support/run-facts.ts';
import {
  approveLineFor,
  CONFIG,
  describeStep,
  evaluateGatesOn,
  reconcileInput,
  runWithGates,
  withApprovals,
} from './parts.ts';

const approved = runWithGates().approved(bob);
const bobs = approved.state.approvals[0]?.comment ?? 0;
const comment = (change: Parameters<typeof aComment>[2]) =>
  someFacts({
    comments: known([
      aComment(bob, approveLineFor(approved.state.gate?.digest ?? ''), {
        id: bobs,
        bodyDigest: digestOf('a comment'),
        ...change,
      }),
    ]),
  });

describe('a recorded approval', () => {
  it('is dropped when its author may no longer approve, and no order is issued on it', () => {
    const facts = someFacts({ permissions: knownPermissions([bob, 'write']) });
    const step = decideApprovals(approved.state, withApprovals(approved.state, facts), CONFIG, NOON);
    expect(step).toMatchObject({ drafts: [{ data: { reason: 'approver-not-permitted', users: [bob.id] } }] });
    expect(
      decideOrder({ ...reconcileInput(approved, facts), gated: evaluateGatesOn(approved.state, facts) }),
    ).toBeNull();
  });

  it.each([
    ['approval-invalid', { editedAt: reconcileInput(approved).now }],
    ['approval-invalid', { bodyDigest: digestOf('other words') }],
    ['approval-invalid', { minimized: true }],
    ['approval-outdated', { createdAt: instant('2026-11-20T12:00:00Z') }],
  ] as const)('is dropped as %s when its comment changed or is too old', (reason, change) => {
    expect(decideApprovals(approved.state, comment(change), CONFIG, NOON)).toMatchObject({
      drafts: [{ data: { reason } }],
    });
  });

  it('in a review is dropped when the review is on another or an unknown commit', () => {
    const reviewed = runWithGates().approved(bob);
    const [given] = reviewed.state.approvals;
    if (given === undefined) throw new Error('no approval');
    const state = { ...reviewed.state, approvals: [{ ...given, surface: 'review' as const }] };
    const on = (commit: Sha | null) =>
      comment({ surface: 'review', commit, createdAt: instant('2026-11-21T11:00:00Z') });
    const own = state.gate?.commit ?? null;
    expect(decideApprovals(state, on(own), CONFIG, NOON)).toBeNull();
    for (const other of [toSha('older'), null])
      expect(decideApprovals(state, on(other), CONFIG, NOON)).toMatchObject({
        drafts: [{ data: { reason: 'approval-invalid', users: [bob.id] } }],
      });
  });

  it('stays valid until its comment is a day old, or when the first attempt was claimed in time', () => {
    const almost = comment({ createdAt: instant('2026-11-20T12:01:00Z') });
    expect(decideApprovals(approved.state, almost, CONFIG, NOON)).toBeNull();
    const { digest } = approved.ordered().state.order?.order ?? { digest: digestOf('none') };
    const late = instant('2026-11-25T12:00:00Z');
    const claimed = approved.ordered().claimed();
    const day = 24 * 3_600_000;
    const createdAt = instant('2026-11-21T08:00:00Z');
    expect(isApprovalTooOld(approved.ordered().state, { digest, createdAt }, late, day)).toBe(true);
    expect(isApprovalTooOld(claimed.state, { digest, createdAt }, late, day)).toBe(false);
    expect(isApprovalTooOld(claimed.state, { digest: digestOf('another'), createdAt }, late, day)).toBe(true);
    // An approval written after the claim cannot have been the ground for that claim.
    const after = instant('2026-11-21T13:00:00Z');
    expect(isApprovalTooOld(claimed.state, { digest, createdAt: after }, late, day)).toBe(true);
  });

  it('stays valid when its comment is unchanged or unreadable, but an unreadable one orders no launch', () => {
    expect(decideApprovals(approved.state, comment({}), CONFIG, NOON)).toBeNull();
    const unread = someFacts({ permissions: new Map([[bob.id, unknown('GitHub is away')]]) });
    expect(decideApprovals(approved.state, withApprovals(approved.state, unread), CONFIG, NOON)).toBeNull();
    expect(
      decideOrder({ ...reconcileInput(approved, unread), gated: evaluateGatesOn(approved.state, unread) }),
    ).toBeNull();
  });

  it('is dropped when GitHub reports its comment as missing, not when a list omits it', () => {
    const cited = (found: Observed<null>) => someFacts({ cited: new Map([[`comment-${bobs}`, found]]) });
    expect(decideApprovals(approved.state, cited(known(null)), CONFIG, NOON)).toMatchObject({
      drafts: [{ data: { reason: 'approval-invalid', users: [bob.id] } }],
    });
    const asked = decideApprovals(approved.state, someFacts(), CONFIG, NOON);
    expect(describeStep(asked)).toBe(`need cited comment-${bobs}`);
    const unread = cited(unknown('GitHub is away'));
    expect(decideApprovals(approved.state, unread, CONFIG, NOON)).toBeNull();
    expect(
      decideOrder({ ...reconcileInput(approved, unread), gated: evaluateGatesOn(approved.state, unread) }),
    ).toBeNull();
  });

  it('is left to the runner once a launch was ordered on it', () => {
    const facts = someFacts({ permissions: knownPermissions([bob, 'none']) });
    expect(decideApprovals(approved.state, withApprovals(approved.state, facts), CONFIG, NOON)).not.toBeNull();
    expect(decideApprovals(approved.ordered().state, withApprovals(approved.state, facts), CONFIG, NOON)).toBeNull();
  });

  it('is left out of the order when another valid approval reaches the quorum', () => {
    const both = runWithGates().approved(bob).approved(alice);
    const facts = someFacts({
      permissions: new Map([
        [alice.id, known('maintain')],
        [bob.id, unknown('GitHub is away')],
      ]),
    });
    const step = decideOrder({ ...reconcileInput(both, facts), gated: evaluateGatesOn(both.state, facts) });
    expect(describeStep(step)).toBe('ordered');
    expect(step).toMatchObject({ drafts: [{ data: { order: { approvals: [{ user: alice.id }] } } }] });
  });
});

describe('the quorum by cost', () => {
  const rows = [
    { fromAcceleratorHours: '2.50', people: 2 },
    { fromAcceleratorHours: '2.51', people: 5 },
  ];
  const withRows = (cost: string, quorum = 1) =>
    requiredQuorum({
      ...CONFIG,
      approvals: { ...CONFIG.approvals, quorum, quorumByCost: rows },
      clusters: {
        local: {
          engine: 'local',
          jobs: 'jobs',
          links: {},
          adoption: false,
          acceleratorHoursPerRun: cost,
          accelerators: null,
        },
      },
    });

  it('comes from the most expensive row that the cost reaches, compared exactly', () => {
    expect([withRows('2.49'), withRows('2.5'), withRows('2.509'), withRows('2.510')]).toEqual([1, 2, 2, 5]);
  });

  it('is never below the base quorum, and is the largest when the cost is unknown', () => {
    expect(withRows('2.5', 3)).toBe(3);
    const nowhere = { ...CONFIG, approvals: { ...CONFIG.approvals, quorumByCost: rows }, clusters: {} };
    expect(requiredQuorum(nowhere)).toBe(5);
  });
});
