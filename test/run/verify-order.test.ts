/** What the runner refuses, one reason at a time, and whether the refusal ends the order. */

import { describe, expect, it } from 'vitest';
import {
  isClaimLost,
  isClaimStale,
  judgeOrder,
  type OrderFacts,
  verifyWorkflowOrigin,
} from '../../src/actions/verify-order.ts';
import { NO_BRANCH_WORK } from '../../src/domain/actor.ts';
import type { CommentFacts } from '../../src/domain/facts.ts';
import type { Manifest } from '../../src/domain/launch/manifest.ts';
import { citationKey, type Order } from '../../src/domain/launch/order.ts';
import { APPROVAL_GATES, GATES, isRunnerGate, RUNNER_GATES } from '../../src/domain/launch/verdict.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { brandAs, isRunId, known, type Sha, unknown } from '../../src/domain/values.ts';
import { evaluateRunnerGates } from '../../src/gates/run-gates.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { ROWS } from '../gates/gate-cases.ts';
import { gateFacts } from '../gates/sample-facts.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { alice, bob, digestOf, toSha } from '../support/run-drafts.ts';
import {
  aComment,
  anIssue,
  aPull,
  byPerson,
  instant,
  knownPermissions,
  NOON,
  versionsEditedBy,
} from '../support/run-facts.ts';
import { approveLineFor, CONFIG, runWithGates } from './parts.ts';

const ordered = runWithGates().shown().approved(bob).ordered({ expiresAt: '2026-11-21T13:00:00.000Z' });
const { order } = ordered.state;
if (order === null) throw new Error('no order');
const hex = order.order.digest.slice('sha256:'.length);
const cited = order.order.approvals[0];
if (cited === undefined) throw new Error('no approval');
const key = citationKey(cited);
const LINE = `/approve-launch ${hex.slice(0, 32)}`;
const AT = instant('2026-11-21T09:15:00Z');
/** The approving comment as GitHub shows it now. */
const said = (change: Partial<CommentFacts> = {}, body = LINE): Partial<OrderFacts> => {
  const comment = aComment(bob, body, { id: cited.comment, bodyDigest: cited.bodyDigest, createdAt: AT, ...change });
  return { cited: new Map([[key, known(comment)]]) };
};
const good: OrderFacts = {
  repository: 'lab/models',
  now: instant('2026-11-21T09:30:00.000Z'),
  config: CONFIG,
  digestOf,
  journalHolds: known([]),
  recordedRuns: known([]),
  pull: known(aPull()),
  body: known(digestOf('the body')),
  cited: new Map(),
  permissions: knownPermissions([bob, 'maintain']),
  digest: known(order.order.digest),
  gates: known(gateFacts()),
  fix: unknown('no order asks for it'),
  brakes: known([]),
  secondCard: known(null),
  shown: { pull: known(aPull()), issue: known(anIssue()), branchWork: known(NO_BRANCH_WORK) },
  ...said(),
};
/** The author of the proposal, as the runner reads it. */
const shown = (change: Partial<OrderFacts['shown']>): Partial<OrderFacts> => ({ shown: { ...good.shown, ...change } });
const pushedByBob = { ...NO_BRANCH_WORK, pushes: [{ by: byPerson(bob), after: toSha('launch commit') }] };
const quorumOfTwo = { ...CONFIG, approvals: { ...CONFIG.approvals, quorum: 2 } };
const onePerson = { ...CONFIG, approvals: { ...CONFIG.approvals, onePersonIsEnough: true } };
const held = ordered.claimed();
/**
 * A state that the fold would never produce: the runner compares it again although the record was verified.
 */
const forged = (change: Partial<Order>, fitDigest: boolean): RunState => {
  const changed = { ...order.order, ...change };
  const digest = fitDigest ? canonicalDigest(changed, digestOf) : order.digest;
  return { ...ordered.state, order: { ...order, order: changed, digest } };
};

/** The same order with another envelope in the record. */
function beside(change: Partial<Manifest['envelope']>): RunState {
  const manifest = order?.manifest ?? null;
  if (order === null || manifest === null) throw new Error('no manifest');
  const other = { ...manifest, envelope: { ...manifest.envelope, ...change } };
  return { ...ordered.state, order: { ...order, manifest: other } };
}

describe('the runner', () => {
  it('accepts an order on which everything stands, also one that it claimed', () => {
    expect(judgeOrder(ordered.state, order.digest, good)).toBeNull();
    expect(judgeOrder(held.state, order.digest, good)).toBeNull();
  });

  it('accepts an approver who is listed and has write permission', () => {
    const config = { ...CONFIG, approvals: { ...CONFIG.approvals, users: [{ written: '@bob', ids: [bob.id] }] } };
    const facts = { ...good, config, permissions: knownPermissions([bob, 'write']) };
    expect(judgeOrder(ordered.state, order.digest, facts)).toBeNull();
  });

  it('accepts an approver who renamed the account, because the id counts', () => {
    const facts = { ...good, ...said({ author: { ...bob, login: 'bob-the-second' } }) };
    expect(judgeOrder(ordered.state, order.digest, facts)).toBeNull();
  });

  // threat T101
  it("refuses an approval written by a new account under the approver's old login", () => {
    const facts = { ...good, ...said({ author: { ...bob, id: 999 } }) };
    expect(judgeOrder(ordered.state, order.digest, facts)).toMatchObject({ code: 'approval-invalid' });
  });

  // threat T249
  it('refuses an approval by a bot account even if the account has write permission', () => {
    const facts = { ...good, ...said({ authorIsBot: true }) };
    expect(judgeOrder(ordered.state, order.digest, facts)).toMatchObject({ code: 'approval-invalid' });
  });

  // threat T58
  it('refuses an order that cites one approval twice when the quorum is two', () => {
    const [given] = order.order.approvals;
    if (given === undefined) throw new Error('no approval');
    const twice = forged({ approvals: [given, given] }, true);
    const facts = { ...good, config: quorumOfTwo };
    expect(judgeOrder(twice, twice.order?.digest ?? '', facts)).toMatchObject({ code: 'too-few-approvals' });
  });

  it('accepts an approval that names the digest in a comment on the issue', () => {
    const facts = { ...good, ...said({ thread: 12 }, `/approve-launch sha256:${hex.toUpperCase()}`) };
    expect(judgeOrder(ordered.state, order.digest, facts)).toBeNull();
  });

  it("accepts the author's own approval only if the lab allows one person to be enough", () => {
    const facts = { ...good, ...shown({ pull: known(aPull({ author: bob })) }) };
    expect(judgeOrder(ordered.state, order.digest, { ...facts, config: onePerson })).toBeNull();
    expect(judgeOrder(ordered.state, order.digest, facts)).toMatchObject({ code: 'approver-not-permitted' });
  });

  it('expires an order two hours after its entry in the logbook, whatever the order says', () => {
    const long = runWithGates().shown().approved(bob).ordered({ expiresAt: '2027-11-21T13:00:00.000Z' });
    const digest = long.state.order?.digest ?? '';
    expect(judgeOrder(long.state, digest, good)).toBeNull();
    expect(judgeOrder(long.state, digest, { ...good, now: NOON })).toMatchObject({ code: 'order-expired' });
  });

  it('starts a claimed order within two hours of its claim, not of its issue', () => {
    const claim = held.state.order;
    if (claim === null) throw new Error('no order');
    const late = runWithGates()
      .shown()
      .approved(bob)
      .ordered()
      .later(110 * 60_000)
      .claimed().state.order;
    if (late === null) throw new Error('no order');
    const afterExpiry = instant('2026-11-21T11:30:00.000Z');
    expect(isClaimStale(claim, afterExpiry)).toBe(true);
    expect(isClaimStale(late, afterExpiry)).toBe(false);
    expect(isClaimStale({ ...claim, claim: null }, afterExpiry)).toBe(true);
  });

  it('treats a claim as forgotten if the engine forgets with its session and the session changed', () => {
    const claim = ordered.claimed().state.order;
    const session = claim?.claim?.engineSession ?? '';
    if (claim === null) throw new Error('no order');
    expect(session).not.toBe('');
    expect(isClaimLost(claim, { forgetsWithSession: true }, session)).toBe(false);
    expect(isClaimLost(claim, { forgetsWithSession: true }, 'another')).toBe(true);
    expect(isClaimLost(claim, { forgetsWithSession: true }, null)).toBe(true);
    expect(isClaimLost(claim, {}, 'another')).toBe(false);
  });

  it.each([
    ['order-unknown', 'standing', null, {}],
    ['order-unknown', 'standing', runWithGates(), {}],
    ['other-repository', 'standing', ordered, { repository: 'mallory/models' }],
    ['order-used', 'standing', ordered.submitted(), {}],
    ['order-used', 'standing', held.incident('runner-refused', { orderDigest: order.digest }), {}],
    ['order-void', 'standing', ordered.dropped('manifest-changed'), {}],
    ['order-expired', 'standing', ordered, { now: instant('2026-11-21T13:00:00.000Z') }],
    ['unreadable', 'standing', ordered, { pull: unknown('away') }],
    ['unreadable', 'standing', ordered, { body: unknown('away') }],
    ['unreadable', 'standing', ordered, { cited: new Map([[key, unknown('away')]]) }],
    ['unreadable', 'standing', ordered, { cited: new Map() }],
    ['unreadable', 'standing', ordered, { digest: unknown('away') }],
    ['unreadable', 'standing', ordered, { permissions: new Map() }],
    ['unreadable', 'standing', ordered, { permissions: new Map([[bob.id, unknown('away')]]) }],
    ['fork', 'ending', ordered, { pull: known(aPull({ headRepository: 'mallory/models' })) }],
    ['fork', 'ending', ordered, { pull: known(aPull({ headRepository: null })) }],
    ['manifest-changed', 'ending', ordered, { pull: known(aPull({ headSha: toSha('pushed later') })) }],
    ['too-few-approvals', 'ending', ordered, { config: quorumOfTwo }],
    ['pull-closed', 'ending', ordered, { pull: known(aPull({ state: 'closed' })) }],
    ['pull-closed', 'ending', ordered, { pull: known(aPull({ state: 'closed', merged: true })) }],
    ['manifest-changed', 'ending', ordered, { pull: known(aPull({ baseBranch: 'other' })) }],
    ['manifest-changed', 'ending', ordered, { body: known(digestOf('other words')) }],
    ['approval-invalid', 'ending', ordered, { cited: new Map([[key, known(null)]]) }],
    ['approval-invalid', 'ending', ordered, said({ thread: 99 })],
    ['approval-invalid', 'ending', ordered, said({}, 'thanks')],
    ['approval-invalid', 'ending', ordered, said({}, '> /approve-launch')],
    ['approval-invalid', 'ending', ordered, said({}, '/approve-launch')],
    ['approval-invalid', 'ending', ordered, said({}, `/approve-launch ${hex.slice(0, 12)}`)],
    ['approval-invalid', 'ending', ordered, said({}, `/approve-launch ${hex.slice(0, 31)}`)],
    ['approval-invalid', 'ending', ordered, said({}, `/approve-launch ${'0'.repeat(32)}`)],
    ['approval-outdated', 'ending', ordered, said({ createdAt: instant('2026-11-21T09:00:59Z') })],
    ['second-card', 'ending', ordered, { secondCard: known(aComment(alice, 'a card')) }],
    ['unreadable', 'standing', ordered, { secondCard: unknown('GitHub is silent') }],
    ['approver-not-permitted', 'ending', ordered, shown({ pull: known(aPull({ author: bob })) })],
    ['approver-not-permitted', 'ending', ordered, shown({ pull: known(aPull({ versions: versionsEditedBy(bob) })) })],
    [
      'approver-not-permitted',
      'ending',
      ordered,
      shown({ pull: known(aPull({ versions: versionsEditedBy(alice, bob) })) }),
    ],
    [
      'approver-not-permitted',
      'ending',
      ordered,
      shown({ issue: known(anIssue({ versions: versionsEditedBy(bob) })) }),
    ],
    ['approver-not-permitted', 'ending', ordered, shown({ branchWork: known(pushedByBob) })],
    ['approval-invalid', 'ending', ordered, said({ author: alice })],
    ['approval-invalid', 'ending', ordered, said({ authorIsBot: true })],
    ['approval-invalid', 'ending', ordered, said({ editedAt: NOON })],
    ['approval-invalid', 'ending', ordered, said({ bodyDigest: digestOf('something else') })],
    ['approval-invalid', 'ending', ordered, said({ minimized: true })],
    ['approver-not-permitted', 'ending', ordered, { permissions: knownPermissions([bob, 'write']) }],
    ['manifest-changed', 'ending', ordered, { digest: known(digestOf('another manifest')) }],
  ] as const satisfies readonly (readonly [string, string, RunBuilder | null, Partial<OrderFacts>])[])(
    'refuses with %s (%s)',
    (code, effect, run, facts) => {
      expect(judgeOrder(run?.state ?? null, order.digest, { ...good, ...facts })).toMatchObject({
        kind: 'refused',
        code,
        effect,
      });
    },
  );

  it.each([
    ['is gone', { cited: new Map([[key, known(null)]]) }],
    ['is in #99', said({ thread: 99 })],
    ['is by alice', said({ author: alice })],
    ['was edited', said({ editedAt: NOON })],
    ['was edited', said({ bodyDigest: digestOf('something else') })],
    ['was hidden', said({ minimized: true })],
    ['does not approve this digest', said({}, `/approve-launch ${'0'.repeat(32)}`)],
  ] as const)('reports for an invalid approval that the comment %s', (why, facts) => {
    const refusal = judgeOrder(ordered.state, order.digest, { ...good, ...facts });
    expect(refusal).toMatchObject({ code: 'approval-invalid', why: expect.stringMatching(new RegExp(`${why}$`)) });
  });

  it.each([
    ['after a revocation of an older approval', `/revoke\n\n${LINE}`],
    ['before a command that revokes nothing', `${LINE}\n\n/status`],
    ['before a hold, which is checked separately', `${LINE}\n\n/hold reason="x"`],
  ])('accepts an approval in a comment %s', (_, body) => {
    expect(judgeOrder(ordered.state, order.digest, { ...good, ...said({}, body) })).toEqual(
      judgeOrder(ordered.state, order.digest, good),
    );
  });

  // threat T169
  it.each([
    ['a digest that is not its own', forged({ expiresAt: '2026-11-21T13:30:00.000Z' }, false)],
    ['another run', forged({ run: brandAs('ferry-daily-20261120', isRunId) }, true)],
    ["another run's submission id", forged({ submissionId: 'ferrybot-ferry-daily-20261120-a1' }, true)],
    ['a submission id for another attempt', forged({ attempt: 2 }, true)],
    ['another manifest in the record than it names', beside({ restarts: 1_000 })],
  ])('refuses with order-forged an order with %s', (_, state) => {
    const named = state.order?.digest ?? '';
    expect(judgeOrder(state, named, good)).toMatchObject({ code: 'order-forged', effect: 'standing' });
  });

  it('refuses an approval by the person who requested the change', () => {
    const asked = aRun({ requestedBy: bob }).gated().shown().approved(bob).ordered();
    const digest = asked.state.order?.digest ?? '';
    const pull = known(aPull());
    const line = approveLineFor(asked.state.order?.order.digest ?? '');
    const facts = { ...good, ...said({}, line), pull, digest: known(digestOf('x')) };
    expect(judgeOrder(asked.state, digest, facts)).toMatchObject({ code: 'approver-not-permitted' });
  });

  it('refuses an approval older than the lab allows, but resumes an order claimed in time', () => {
    // Shown for two days, approved in the first minutes, ordered on the third: a control key can write this.
    const late = runWithGates()
      .shown()
      .approved(bob)
      .later(30 * 60 * 60_000)
      .ordered();
    const now = instant('2026-11-22T15:30:00Z');
    const digest = late.state.order?.digest ?? '';
    expect(judgeOrder(late.state, digest, { ...good, now })).toMatchObject({
      code: 'approval-outdated',
      effect: 'ending',
    });
    const week = { ...CONFIG, approvals: { ...CONFIG.approvals, maxAgeHours: 168 } };
    expect(judgeOrder(late.state, digest, { ...good, now, config: week })).toBeNull();
    const claimed = ordered.later(20 * 60_000).claimed();
    expect(judgeOrder(claimed.state, order.digest, { ...good, now })).toBeNull();
    // A claim from before the approval was written had another ground.
    expect(judgeOrder(held.state, order.digest, { ...good, now })).toMatchObject({ code: 'approval-outdated' });
  });

  it('accepts a review only for the commit it was written on', () => {
    const [given] = ordered.state.approvals;
    if (given === undefined) throw new Error('no approval');
    const approvals = [{ ...cited, surface: 'review' as const }];
    const change = { ...order.order, approvals };
    const digest = canonicalDigest(change, digestOf);
    const state = {
      ...ordered.state,
      approvals: [{ ...given, surface: 'review' as const }],
      order: { ...order, order: change, digest },
    };
    const judge = (commit: Sha | null) => {
      const at = { surface: 'review', id: cited.comment, createdAt: AT, commit } as const;
      const review = aComment(bob, LINE, { bodyDigest: cited.bodyDigest, ...at });
      return judgeOrder(state, digest, { ...good, cited: new Map([[`review:${cited.comment}`, known(review)]]) });
    };
    expect(judge(order.order.commit)).toBeNull();
    expect(judge(toSha('older'))).toMatchObject({ code: 'approval-invalid', effect: 'ending' });
    expect(judge(null)).toMatchObject({ code: 'approval-invalid' });
  });

  it('resumes a claimed order with a dropped approval as refused, so that nothing starts', () => {
    const fell = held.dropped('manifest-changed');
    expect(judgeOrder(fell.state, order.digest, good)).toMatchObject({ code: 'order-void' });
  });

  it('refuses while the run has a stop or a hold, also if the order is still open', () => {
    const stop = { ...ordered.state, stop: { actor: alice, at: '', comment: 1, seq: 1 } };
    const one = { scope: 'run', lane: null, reason: 'x', date: null, actor: alice, at: '' } as const;
    const hold = { ...ordered.state, holds: [one] };
    const judge = (journalHolds: OrderFacts['journalHolds']) =>
      judgeOrder(ordered.state, order.digest, { ...good, journalHolds });
    expect(judgeOrder(stop, order.digest, good)).toMatchObject({ code: 'stop-requested', effect: 'ending' });
    expect(judgeOrder(hold, order.digest, good)).toMatchObject({ code: 'held', effect: 'ending' });
    expect(judge(known([{ ...one, scope: 'repository' }]))).toMatchObject({ code: 'held' });
    expect(judge(known([{ ...one, scope: 'lane', lane: 'daily' }]))).toMatchObject({ code: 'held' });
    expect(judge(known([{ ...one, scope: 'lane', lane: 'other' }]))).toBeNull();
    const day = { ...one, scope: 'date', lane: 'daily' } as const;
    expect(judge(known([{ ...day, date: '2026-11-21' }]))).toMatchObject({ code: 'held' });
    expect(judge(known([{ ...day, date: '2026-11-22' }]))).toBeNull();
    expect(judge(unknown('broken'))).toMatchObject({ code: 'unreadable', effect: 'standing' });
  });
});

describe("the runner's own evaluation", () => {
  const judged = (change: Parameters<typeof gateFacts>[0]) =>
    judgeOrder(ordered.state, order.digest, { ...good, gates: known(gateFacts(change)) });

  it.each(RUNNER_GATES)('refuses when gate %s fails, whatever the record says', (gate) => {
    const blocking = ROWS[gate].flatMap(([, facts]) => {
      const first = evaluateRunnerGates(gateFacts(facts)).find((verdict) => verdict.outcome === 'fail');
      return first?.gate === gate ? [{ facts, code: first.code }] : [];
    });
    expect(blocking).not.toHaveLength(0);
    for (const { facts, code } of blocking)
      expect(judged(facts)).toMatchObject({
        kind: 'refused',
        code: gate,
        effect: 'ending',
        why: expect.stringContaining(code),
      });
    const open = ROWS[gate].filter(([, facts]) => {
      const verdicts = evaluateRunnerGates(gateFacts(facts));
      const own = verdicts.find((verdict) => verdict.gate === gate);
      return own?.outcome === 'unknown' && verdicts.every((one) => one.outcome !== 'fail');
    });
    expect(open).not.toHaveLength(0);
    for (const [, facts] of open)
      expect(judged(facts)).toMatchObject({ kind: 'refused', code: 'unreadable', effect: 'standing' });
  });

  it('leaves checks, holds and approvals to other code', () => {
    const left = GATES.filter((gate) => !isRunnerGate(gate));
    expect(left).toEqual(['checks-green', 'not-held', ...APPROVAL_GATES]);
    expect(judged({ checks: unknown('no right'), approvals: unknown('not asked') })).toBeNull();
  });

  it('refuses as unreadable when its own gates could not be read', () => {
    const facts = { ...good, gates: unknown('GitHub is away') };
    expect(judgeOrder(ordered.state, order.digest, facts)).toMatchObject({ code: 'unreadable', effect: 'standing' });
  });
});

describe('the workflow that asks for a launch', () => {
  const home = { repository: 'lab/models', defaultBranch: 'main', workflow: 'ferrybot-launch.yml' };
  const workflow = 'lab/models/.github/workflows/ferrybot-launch.yml';
  const right = { event: 'workflow_dispatch', ref: 'refs/heads/main', workflowRef: `${workflow}@refs/heads/main` };

  it('is accepted if it is the launch workflow dispatched on the default branch', () => {
    expect(verifyWorkflowOrigin(right, home)).toBeNull();
  });

  it.each([
    ['wrong-origin', { event: 'pull_request' }],
    ['wrong-origin', { event: 'push' }],
    ['wrong-origin', { event: '' }],
    ['wrong-origin', { ref: 'refs/heads/mine' }],
    ['wrong-origin', { ref: 'refs/tags/main' }],
    ['wrong-origin', { ref: 'refs/pull/7/merge' }],
    ['wrong-origin', { workflowRef: `${workflow}@refs/heads/mine` }],
    ['wrong-origin', { workflowRef: 'lab/models/.github/workflows/mine.yml@refs/heads/main' }],
    ['wrong-origin', { workflowRef: 'mallory/models/.github/workflows/ferrybot-launch.yml@refs/heads/main' }],
    ['unreadable', { workflowRef: '' }],
  ] as const)('is refused with %s: %o', (code, change) => {
    expect(verifyWorkflowOrigin({ ...right, ...change }, home)?.code).toBe(code);
  });
});
