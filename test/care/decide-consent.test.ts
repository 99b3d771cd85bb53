/** Which proposal a consent means: one of this thread, and where there is more than one the person is asked to name it. */

import { describe, expect, it } from 'vitest';
import { proposalDigest } from '../../src/care/mutation-digest.ts';
import { approveStartCleanup } from '../../src/commands/approve-start-cleanup.ts';
import { decideConsent } from '../../src/commands/consent.ts';
import type { PlaceContext } from '../../src/commands/decision.ts';
import { policyOf } from '../../src/commands/policy.ts';
import type { MutationProposal } from '../../src/domain/care/mutation.ts';
import type { MutationRecord } from '../../src/domain/care/mutation-state.ts';
import type { Instant } from '../../src/domain/ids.ts';
import { known, type Observed, unknown } from '../../src/domain/observed.ts';
import { after as moved, toRfc3339 } from '../../src/domain/time.ts';
import { aConfig } from '../support/run-parts.ts';
import { at, comment, digestOf, evidence, mira, proposal } from './consent-parts.ts';

const ENDED = { outcome: 'done', code: 'alive', detail: {}, at: toRfc3339(at(5)), seq: 40 } as const;

/** Proposed at 12:00 and untouched since. */
function open(change: Partial<MutationProposal>, more: Partial<MutationRecord> = {}): MutationRecord {
  const what = proposal(change);
  const digest = proposalDigest(what, digestOf);
  return {
    proposal: what,
    digest,
    evidence,
    at: toRfc3339(at(0)),
    seq: 20,
    consents: [],
    begun: null,
    ended: null,
    ...more,
  };
}

const cron = (
  cluster: string,
  thread: number,
  round = 1,
  more: Partial<MutationRecord> = {},
): MutationRecord =>
  open(
    {
      record: 'journal',
      cluster,
      thread,
      round,
      mutation: { kind: 'start-cleanup-cron', head: cluster },
      steps: [{ does: 'start-cleanup-cron', command: ['uv', 'run', cluster, 'start-cleanup'] }],
    },
    more,
  );

function context(
  mutations: readonly MutationRecord[],
  args: Readonly<Record<string, string>> = {},
): PlaceContext {
  return {
    now: at(12),
    actor: mira,
    permission: 'maintain',
    comment: comment({ body: '/approve-start-cleanup' }),
    args,
    policy: policyOf(aConfig()),
    journalHolds: known([]),
    recordedRuns: known([]),
    lanes: ['daily'],
    proposing: ['daily'],
    laneHere: null,
    adoptable: [],
    mutations: known(mutations),
    showings: new Map(mutations.map(({ digest }) => [digest, known(at(0))])),
    holds: known([]),
  };
}

const said = (mutations: readonly MutationRecord[], args: Readonly<Record<string, string>> = {}): unknown =>
  approveStartCleanup.decideWithoutRun?.(context(mutations, args));
const hex = (one: MutationRecord): string => one.digest.slice(7, 39);

describe('/approve-start-cleanup', () => {
  const here = cron('us-central1', 12);
  const there = cron('us-east5', 13);

  it.each([
    ['newest', [here, there]],
    ['oldest', [there, here]],
  ])('means the proposal of this thread, whichever is %s of all clusters', (_, mutations) => {
    expect(said(mutations, { digest: hex(here) })).toMatchObject({
      code: 'consented',
      detail: { target: 'us-central1' },
    });
    expect(said(mutations)).toMatchObject({
      code: 'consent-digest-needed',
      detail: { lines: `/approve-start-cleanup ${hex(here)}` },
      journal: [],
    });
  });

  it('is sent to the thread of the only proposal where this one has none', () => {
    expect(said([there])).toMatchObject({ code: 'consent-other-thread', detail: { thread: 13 } });
    expect(said([there], { digest: hex(there) })).toMatchObject({ code: 'consent-other-thread' });
  });

  it('speaks of this thread although the newest proposal of another cluster is open', () => {
    const over = cron('us-central1', 12, 1, { ended: { ...ENDED, proposal: here.digest } });
    expect(said([over, there])).toMatchObject({ code: 'consent-done' });
  });

  it('is asked which, where more than one is open in this thread, and takes the one that is named', () => {
    const second = cron('us-central1', 12, 2);
    expect(said([here, second])).toMatchObject({
      code: 'consent-ambiguous',
      detail: { lines: `/approve-start-cleanup ${hex(here)}\n/approve-start-cleanup ${hex(second)}` },
      drafts: [],
      journal: [],
    });
    for (const one of [here, second])
      expect(said([here, second], { digest: hex(one).toUpperCase() })).toMatchObject({
        code: 'consented',
        journal: [{ data: { proposal: one.digest } }],
      });
  });

  it('is asked for a longer digest where the one that is given begins two', () => {
    const twin = {
      ...cron('us-central1', 12, 2),
      digest: `${here.digest.slice(0, -1)}x` as typeof here.digest,
    };
    expect(said([here, twin], { digest: hex(here) })).toMatchObject({ code: 'consent-ambiguous' });
  });

  it('means the open one where the others are over or were begun', () => {
    const over = cron('us-central1', 12, 1, { ended: { ...ENDED, proposal: here.digest } });
    const second = cron('us-central1', 12, 2);
    expect(said([over, second], { digest: hex(second) })).toMatchObject({
      code: 'consented',
      journal: [{ data: { proposal: second.digest } }],
    });
    const begun = { proposal: here.digest, consent: 21, workflowRun: 5, at: toRfc3339(at(11)), seq: 22 };
    expect(said([over, cron('us-central1', 12, 2, { begun })])).toMatchObject({ code: 'consent-under-way' });
  });

  it('does not mean what was proposed after the person wrote', () => {
    const late = cron('us-central1', 12, 2, { at: toRfc3339(at(11)) });
    expect(said([here, late])).toMatchObject({
      code: 'consent-digest-needed',
      detail: { lines: `/approve-start-cleanup ${hex(here)}` },
    });
    expect(said([late], { digest: hex(late) })).toMatchObject({ code: 'consent-nothing-proposed' });
    expect(said([late])).toMatchObject({ code: 'consent-nothing-proposed' });
  });
});

describe('/approve-node-delete', () => {
  it('is asked which, where the same machine is proposed twice in this thread', () => {
    const first = open({});
    const second = open({ round: 2 });
    const vm = 'ray-us-central1-worker-7c21';
    const decide = (args: Readonly<Record<string, string>>): unknown =>
      decideConsent(context([first, second], { ...args }), ['delete-tpu-vm']);
    expect(decide({ vm })).toMatchObject({ code: 'consent-ambiguous' });
    expect(decide({ vm, digest: hex(second) })).toMatchObject({ code: 'consented' });
    expect(decide({ vm, digest: '0'.repeat(12) })).toMatchObject({ code: 'consent-other-digest' });
  });
});

describe('a consent to what was not on show', () => {
  const one = cron('us-central1', 12);
  const decided = (since: Observed<Instant | null> | undefined): unknown => {
    const showings = new Map(since === undefined ? [] : [[one.digest, since]]);
    const asked = { ...context([one], { digest: hex(one) }), showings };
    return approveStartCleanup.decideWithoutRun?.(asked);
  };

  it.each<[string, Observed<Instant | null> | undefined]>([
    ['before it was written', known(at(11))],
    ['because somebody else’s text stood there', known(null)],
    ['as far as anybody could read', unknown('502')],
    ['as far as anybody was asked', undefined],
  ])('%s is refused with the line to copy', (_, since) => {
    const lines = `/approve-start-cleanup ${hex(one)}`;
    expect(decided(since)).toMatchObject({ code: 'consent-not-shown', detail: { lines }, journal: [] });
  });

  it('is recorded where it was, up to the second', () => {
    expect(decided(known(at(10)))).toMatchObject({ code: 'consented' });
  });
});

describe('a consent to what is on show', () => {
  const one = cron('us-central1', 12);
  const decided = (change: Partial<PlaceContext>): unknown =>
    approveStartCleanup.decideWithoutRun?.({ ...context([one], { digest: hex(one) }), ...change });

  it('is refused an hour after it was written, and not a moment before', () => {
    expect(decided({ now: at(70) })).toMatchObject({ code: 'consent-too-old', journal: [] });
    expect(decided({ now: moved(at(70), -1) })).toMatchObject({ code: 'consented' });
  });

  it('is refused while somebody holds it back', () => {
    const hold = {
      scope: 'run',
      lane: null,
      reason: 'wait',
      date: null,
      actor: mira,
      at: ENDED.at,
    } as const;
    expect(decided({ holds: known([hold]) })).toMatchObject({ code: 'consent-held', journal: [] });
    expect(decided({ holds: unknown('the journal is broken') })).toMatchObject({ code: 'logbook-broken' });
  });
});
