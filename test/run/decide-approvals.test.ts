/** What approvals are worth today: quorum by cost, permissions that are gone, comments that were changed. */

import { describe, expect, it } from 'vitest';
import { quorumOf } from '../../src/config/approvers.ts';
import { isTooOld } from '../../src/domain/launch/response.ts';
import { known, type Observed, type Sha, unknown } from '../../src/domain/values.ts';
import { decideApprovals } from '../../src/run/approvals.ts';
import { decideOrder } from '../../src/run/decide-launch.ts';
import { alice, bob, digestOf, shaOf } from '../support/run-drafts.ts';
import { aComment, instant, NOON, permissions, someFacts } from '../support/run-facts.ts';
import { CONFIG, gatedOn, gatesOn, inputOf, lineFor, told, withApprovals } from './parts.ts';

const approved = gatedOn().approved(bob);
const bobs = approved.state.approvals[0]?.comment ?? 0;
const comment = (change: Parameters<typeof aComment>[2]) =>
  someFacts({
    comments: known([
      aComment(bob, lineFor(approved.state.gate?.digest ?? ''), {
        id: bobs,
        bodyDigest: digestOf('a comment'),
        ...change,
      }),
    ]),
  });

describe('an approval that stands', () => {
  it('falls when its giver may not approve any more, and nothing is ordered on it', () => {
    const facts = someFacts({ permissions: permissions([bob, 'write']) });
    const step = decideApprovals(approved.state, withApprovals(approved.state, facts), CONFIG, NOON);
    expect(step).toMatchObject({ drafts: [{ data: { reason: 'approver-not-permitted', users: [bob.id] } }] });
    expect(decideOrder({ ...inputOf(approved, facts), gated: gatesOn(approved.state, facts) })).toBeNull();
  });

  it.each([
    ['approval-invalid', { editedAt: inputOf(approved).now }],
    ['approval-invalid', { bodyDigest: digestOf('other words') }],
    ['approval-invalid', { minimized: true }],
    ['approval-outdated', { createdAt: instant('2026-11-20T12:00:00Z') }],
  ] as const)('falls as %s when its comment is another by now', (reason, change) => {
    expect(decideApprovals(approved.state, comment(change), CONFIG, NOON)).toMatchObject({
      drafts: [{ data: { reason } }],
    });
  });

  it('in a review falls where the review was written on another commit, or nobody knows on which', () => {
    const reviewed = gatedOn().approved(bob);
    const [given] = reviewed.state.approvals;
    if (given === undefined) throw new Error('no approval');
    const state = { ...reviewed.state, approvals: [{ ...given, surface: 'review' as const }] };
    const on = (commit: Sha | null) =>
      comment({ surface: 'review', commit, createdAt: instant('2026-11-21T11:00:00Z') });
    const own = state.gate?.commit ?? null;
    expect(decideApprovals(state, on(own), CONFIG, NOON)).toBeNull();
    for (const other of [shaOf('older'), null])
      expect(decideApprovals(state, on(other), CONFIG, NOON)).toMatchObject({
        drafts: [{ data: { reason: 'approval-invalid', users: [bob.id] } }],
      });
  });

  it('stays when its comment is a minute younger than a day, and when the first attempt was claimed in time', () => {
    const almost = comment({ createdAt: instant('2026-11-20T12:01:00Z') });
    expect(decideApprovals(approved.state, almost, CONFIG, NOON)).toBeNull();
    const { digest } = approved.ordered().state.order?.order ?? { digest: digestOf('none') };
    const late = instant('2026-11-25T12:00:00Z');
    const claimed = approved.ordered().claimed();
    const day = 24 * 3_600_000;
    const createdAt = instant('2026-11-21T08:00:00Z');
    expect(isTooOld(approved.ordered().state, { digest, createdAt }, late, day)).toBe(true);
    expect(isTooOld(claimed.state, { digest, createdAt }, late, day)).toBe(false);
    expect(isTooOld(claimed.state, { digest: digestOf('another'), createdAt }, late, day)).toBe(true);
    // Written after that claim, it is none that was claimed on.
    const after = instant('2026-11-21T13:00:00Z');
    expect(isTooOld(claimed.state, { digest, createdAt: after }, late, day)).toBe(true);
  });

  it('stays when its comment is as it was, and when something cannot be read; unread orders nothing', () => {
    expect(decideApprovals(approved.state, comment({}), CONFIG, NOON)).toBeNull();
    const unread = someFacts({ permissions: new Map([[bob.id, unknown('GitHub is away')]]) });
    expect(decideApprovals(approved.state, withApprovals(approved.state, unread), CONFIG, NOON)).toBeNull();
    expect(decideOrder({ ...inputOf(approved, unread), gated: gatesOn(approved.state, unread) })).toBeNull();
  });

  it('falls when GitHub says that there is no such comment, and not because a list does not show it', () => {
    const cited = (found: Observed<null>) => someFacts({ cited: new Map([[`comment-${bobs}`, found]]) });
    expect(decideApprovals(approved.state, cited(known(null)), CONFIG, NOON)).toMatchObject({
      drafts: [{ data: { reason: 'approval-invalid', users: [bob.id] } }],
    });
    const asked = decideApprovals(approved.state, someFacts(), CONFIG, NOON);
    expect(told(asked)).toBe(`need cited comment-${bobs}`);
    const unread = cited(unknown('GitHub is away'));
    expect(decideApprovals(approved.state, unread, CONFIG, NOON)).toBeNull();
    expect(decideOrder({ ...inputOf(approved, unread), gated: gatesOn(approved.state, unread) })).toBeNull();
  });

  it('is left to the runner once a launch is ordered on it', () => {
    const facts = someFacts({ permissions: permissions([bob, 'none']) });
    expect(
      decideApprovals(approved.state, withApprovals(approved.state, facts), CONFIG, NOON),
    ).not.toBeNull();
    expect(
      decideApprovals(approved.ordered().state, withApprovals(approved.state, facts), CONFIG, NOON),
    ).toBeNull();
  });

  it('is not given to the runner where another one that counts is enough', () => {
    const both = gatedOn().approved(bob).approved(alice);
    const facts = someFacts({
      permissions: new Map([
        [alice.id, known('maintain')],
        [bob.id, unknown('GitHub is away')],
      ]),
    });
    const step = decideOrder({ ...inputOf(both, facts), gated: gatesOn(both.state, facts) });
    expect(told(step)).toBe('ordered');
    expect(step).toMatchObject({ drafts: [{ data: { order: { approvals: [{ user: alice.id }] } } }] });
  });
});

describe('how many people a run takes', () => {
  const rows = [
    { fromAcceleratorHours: '2.50', people: 2 },
    { fromAcceleratorHours: '2.51', people: 5 },
  ];
  const withRows = (cost: string, quorum = 1) =>
    quorumOf({
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

  it('follows from the dearest row that it reaches, to the last digit', () => {
    expect([withRows('2.49'), withRows('2.5'), withRows('2.509'), withRows('2.510')]).toEqual([1, 2, 2, 5]);
  });

  it('is never fewer than the quorum, and all of them where the cost is not known', () => {
    expect(withRows('2.5', 3)).toBe(3);
    const nowhere = { ...CONFIG, approvals: { ...CONFIG.approvals, quorumByCost: rows }, clusters: {} };
    expect(quorumOf(nowhere)).toBe(5);
  });
});
