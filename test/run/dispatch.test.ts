/** The dispatch of what a runner claims: once, looked for before it is tried again, and again where nothing came of it. */

import { describe, expect, it } from 'vitest';
import type { WorkflowRunFacts } from '../../src/domain/facts.ts';
import { branded, type Instant, isInstant } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import { notAsked } from '../../src/domain/need.ts';
import { known, unknown } from '../../src/domain/observed.ts';
import { decideMutations } from '../../src/run/decide-care.ts';
import { decideClaimable } from '../../src/run/dispatch.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../../src/run/step.ts';
import { at, record } from '../care/consent-parts.ts';
import { aWorkflowRun } from '../support/run-facts.ts';
import { CONFIG, memory, told } from './parts.ts';

const ONE = record({ begun: null });
const CONSENT = { seq: ONE.consents[0]?.seq ?? -1, at: ONE.consents[0]?.at ?? '' };
const ACT = { name: 'care:a', digest: ONE.digest, ...CONSENT, claimedAt: null, listed: 'careRuns' } as const;
const TARGET = { workflow: 'care.yml', ref: 'main', inputs: {} };
const NOW = branded(at(10) + 5_000, isInstant);
const OURS = memory({ appended: new Set([CONSENT.seq]) });
const LOST = memory({
  appended: new Set([CONSENT.seq]),
  outcomes: new Map([['care:a:0', { kind: 'unknown', message: 'reset' }]]),
});

function dispatches(
  runs: readonly WorkflowRunFacts[] | null,
  how: { readonly memory?: AttemptCache; readonly now?: Instant; readonly claimedAt?: string } = {},
): boolean {
  const listed = runs === null ? notAsked() : known(runs);
  const act = { ...ACT, claimedAt: how.claimedAt ?? null };
  const step = decideClaimable(act, listed, TARGET, how.now ?? NOW, how.memory ?? NO_ATTEMPTS);
  return step?.kind === 'perform';
}

/** What care does before it has seen the list. */
function care(memory: AttemptCache): string {
  const where = { record: 'journal', incidents: [], isHeld: false, config: CONFIG, ref: 'main' };
  return told(decideMutations({ ...where, mutations: [ONE], careRuns: notAsked(), now: NOW, memory }));
}

const later = (ms: number): Instant => branded(NOW + ms, isInstant);
const run = (status: WorkflowRunFacts['status'], createdAt = NOW): WorkflowRunFacts =>
  aWorkflowRun(`ferrybot care ${ONE.digest.slice(7, 19)}`, { status, createdAt });

describe('a dispatch', () => {
  it('is made at once by who recorded the consent, and by others once they have seen the list', () => {
    expect(dispatches(null, { memory: OURS })).toBe(true);
    expect(dispatches(null)).toBe(false);
    expect(dispatches([])).toBe(true);
    expect(care(NO_ATTEMPTS)).toBe('need careRuns');
  });

  it('whose answer was lost is looked for before it is made again', () => {
    expect(care(OURS)).toBe('dispatch-workflow care');
    const key = `care:${ONE.digest}:${CONSENT.seq}:open:0`;
    const lost = memory({ ...LOST, outcomes: new Map([[key, { kind: 'unknown', message: 'reset' }]]) });
    expect(care(lost)).toBe('need careRuns');
    const unread = decideClaimable(ACT, unknown('GitHub is away'), TARGET, NOW, LOST);
    expect(unread).toBeNull();
    expect(dispatches([run('queued')], { memory: LOST })).toBe(false);
    expect(dispatches([], { memory: LOST })).toBe(true);
  });

  it('is made again where a run ended without an end in the record, and not beside one that works', () => {
    const soon = later(limits.dispatchVisibleMs);
    expect(dispatches([run('completed')])).toBe(false);
    expect(dispatches([run('completed')], { now: soon })).toBe(true);
    expect(dispatches([run('in_progress')], { now: soon })).toBe(false);
    const claimedAt = new Date(NOW).toISOString();
    expect(dispatches([], { claimedAt })).toBe(false);
    expect(dispatches([], { claimedAt, now: soon })).toBe(true);
  });

  it('is not made endlessly, and runs of an earlier consent are not counted', () => {
    const many = Array.from({ length: limits.dispatchesPerOrderMax }, () => run('completed'));
    const late = later(10 * limits.dispatchVisibleMs);
    expect(dispatches(many, { now: late })).toBe(false);
    const before = at(-60);
    expect(
      dispatches(
        many.map((one) => ({ ...one, createdAt: before })),
        { now: late },
      ),
    ).toBe(true);
  });
});
