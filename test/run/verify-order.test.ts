/** What the runner refuses, one reason at a time, and whether the refusal ends the order. */

import { describe, expect, it } from 'vitest';
import type { CommentFacts } from '../../src/domain/facts.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { judgeOrder, type OrderFacts } from '../../src/run/verify-order.ts';
import type { RunBuilder } from '../support/run-builder.ts';
import { alice, bob, digestOf, shaOf } from '../support/run-drafts.ts';
import { aComment, aPull, instant, NOON, permissions } from '../support/run-facts.ts';
import { CONFIG, gatedOn } from './parts.ts';

const ordered = gatedOn().approved(bob).ordered({ expiresAt: '2026-11-21T13:00:00.000Z' });
const { order } = ordered.state;
if (order === null) throw new Error('no order');
const said = (change: Partial<CommentFacts> = {}): Partial<OrderFacts> => ({
  comments: known([aComment(bob, 'a comment', { id: order.order.approvals[0]?.comment ?? 0, ...change })]),
});
const good: OrderFacts = {
  repository: 'lab/models',
  now: NOON,
  config: CONFIG,
  laneHolds: known([]),
  pull: known(aPull()),
  comments: known([]),
  permissions: permissions([bob, 'maintain']),
  digest: known(order.order.digest),
  ...said(),
};
const quorumOfTwo = { ...CONFIG, approvals: { ...CONFIG.approvals, quorum: 2 } };
const held = ordered.claimed();

describe('the runner', () => {
  it('claims an order on which everything stands, and resumes one that it claimed', () => {
    expect(judgeOrder(ordered.state, order.digest, good).kind).toBe('claim');
    expect(judgeOrder(held.state, order.digest, good).kind).toBe('resume');
  });

  it('accepts an approver who is named and can write', () => {
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, users: [bob.id] } };
    const facts = { ...good, config, permissions: permissions([bob, 'write']) };
    expect(judgeOrder(ordered.state, order.digest, facts).kind).toBe('claim');
  });

  it.each([
    ['order-unknown', 'standing', null, {}],
    ['order-unknown', 'standing', gatedOn(), {}],
    ['other-repository', 'standing', ordered, { repository: 'mallory/models' }],
    ['order-used', 'standing', ordered.submitted(), {}],
    ['order-used', 'standing', held.incident('runner-refused', { orderDigest: order.digest }), {}],
    ['order-void', 'standing', ordered.dropped('body-edited'), {}],
    ['order-expired', 'standing', ordered, { now: instant('2026-11-21T13:00:00.000Z') }],
    ['unreadable', 'standing', ordered, { pull: unknown('away') }],
    ['unreadable', 'standing', ordered, { comments: unknown('away') }],
    ['unreadable', 'standing', ordered, { digest: unknown('away') }],
    ['unreadable', 'standing', ordered, { permissions: new Map() }],
    ['unreadable', 'standing', ordered, { permissions: new Map([[bob.id, unknown('away')]]) }],
    ['fork', 'ending', ordered, { pull: known(aPull({ headRepository: 'mallory/models' })) }],
    ['fork', 'ending', ordered, { pull: known(aPull({ headRepository: null })) }],
    ['head-moved', 'ending', ordered, { pull: known(aPull({ headSha: shaOf('pushed later') })) }],
    ['too-few-approvals', 'ending', ordered, { config: quorumOfTwo }],
    ['approval-gone', 'ending', ordered, { comments: known([]) }],
    ['approval-gone', 'ending', ordered, said({ surface: 'review' })],
    ['approval-by-another', 'ending', ordered, said({ author: alice })],
    ['approval-by-another', 'ending', ordered, said({ authorIsBot: true })],
    ['approval-edited', 'ending', ordered, said({ editedAt: NOON })],
    ['approval-edited', 'ending', ordered, said({ bodyDigest: digestOf('something else') })],
    ['approval-hidden', 'ending', ordered, said({ minimized: true })],
    ['approver-lost-permission', 'ending', ordered, { permissions: permissions([bob, 'write']) }],
    ['manifest-changed', 'ending', ordered, { digest: known(digestOf('another manifest')) }],
  ] as const satisfies readonly (readonly [string, string, RunBuilder | null, Partial<OrderFacts>])[])(
    'refuses with %s (%s)',
    (code, effect, run, facts) => {
      expect(judgeOrder(run?.state ?? null, order.digest, { ...good, ...facts })).toMatchObject({
        kind: 'refuse',
        code,
        effect,
      });
    },
  );

  it('refuses while a stop or a hold stands, should the order still be open', () => {
    const stop = { ...ordered.state, stop: { actor: alice, at: '', comment: 1, seq: 1 } };
    const one = { kind: 'hold', scope: 'run', reason: 'x', date: null, actor: alice, at: '' } as const;
    const hold = { ...ordered.state, holds: [one] };
    const judge = (laneHolds: OrderFacts['laneHolds']) =>
      judgeOrder(ordered.state, order.digest, { ...good, laneHolds });
    expect(judgeOrder(stop, order.digest, good)).toMatchObject({ code: 'stop-requested', effect: 'ending' });
    expect(judgeOrder(hold, order.digest, good)).toMatchObject({ code: 'held', effect: 'ending' });
    expect(judge(known([{ ...one, kind: 'freeze', scope: 'lane' }]))).toMatchObject({ code: 'held' });
    const skip = { ...one, kind: 'skip', scope: 'lane' } as const;
    expect(judge(known([{ ...skip, date: '2026-11-21' }]))).toMatchObject({ code: 'held' });
    expect(judge(known([{ ...skip, date: '2026-11-22' }])).kind).toBe('claim');
    expect(judge(unknown('broken'))).toMatchObject({ code: 'unreadable', effect: 'standing' });
  });
});
