/** What one check of an account records for a run. */

import { describe, expect, it } from 'vitest';
import type { RentedInstance } from '../../src/domain/care/machines.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import type { SeenMachine } from '../../src/domain/logbook/events/rental-events.ts';
import { rentalDueAtMs } from '../../src/domain/logbook/holdings.ts';
import { type Instant, toRfc3339 } from '../../src/domain/values.ts';
import { canonicalize } from '../../src/logbook/chain.ts';
import { renderRentalCost } from '../../src/render/rental-words.ts';
import { decideRentals } from '../../src/rental/decide-rentals.ts';
import { applyDrafts, createSubmittedRun, endRun, type Run, TERMS } from './simulated-run.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21, 12);
const RENTED = NOW - 2 * HOUR;

const machine = (changes: Partial<RentedInstance> = {}): RentedInstance => ({
  ...{ id: 7, jobId: 'job-1', status: 'exited', createdAtMs: RENTED, hourly: 0.4, storageHourly: 0.01 },
  traffic: 0,
  ...changes,
});

function newRun(jobId = 'job-1'): Run {
  const state = createSubmittedRun(jobId, RENTED);
  return {
    ...{ jobId, keepUntilMs: null, progressAtMs: null, endedAtMs: null, tries: 1 },
    ...{ submittedAtMs: RENTED, state },
  };
}

/** Checks the account and records the result. */
function look(run: Run, instances: readonly RentedInstance[], nowMs = NOW): readonly EventDraft[] {
  const { drafts, journal } = decideRentals({
    ...{ now: nowMs as Instant, cluster: 'rented', terms: TERMS },
    account: { kind: 'read', instances, credit: null },
    record: { live: [run.state], orphans: [], isWhole: true },
  });
  const own = drafts.flatMap((entry) => entry.drafts);
  applyDrafts(run, own, nowMs);
  return [...own, ...journal];
}

function seenIn(drafts: readonly EventDraft[]): readonly SeenMachine[] {
  return drafts.flatMap((draft) => (draft.type === 'machines-seen' ? draft.data.machines : []));
}

// threat T231
it.each([
  ['an hour', { hourly: 1e300, status: 'running' }],
  ['an hour of its disk', { storageHourly: 1e308 }],
  ['its traffic', { traffic: 1e300 }],
] as const)('destroys a machine with a price of %s that is too large to record', (_of, price) => {
  const run = newRun();
  const { drafts, destroy } = decideRentals({
    ...{ now: NOW as Instant, cluster: 'rented', terms: TERMS },
    account: { kind: 'read', instances: [machine(price)], credit: null },
    record: { live: [run.state], orphans: [], isWhole: true },
  });
  const told = drafts.flatMap((entry) => entry.drafts);
  expect(told.length).toBeGreaterThan(0);
  for (const { data } of told) expect(() => canonicalize(data as never)).not.toThrow();
  expect(destroy.map(({ id }) => id)).toEqual([7]);
});

// threat T173
it('uses the claimed approval, not the limits of an order without a claim', () => {
  const run = newRun();
  const { order, submission } = run.state;
  endRun(run, NOW - HOUR);
  if (order === null || submission === null || run.state.end === null) throw new Error('there is no job');
  const rental = { ...TERMS, hoursMax: 100_000, dollarsMax: '100000' };
  const until = toRfc3339((NOW + 9_000 * HOUR) as Instant);
  run.state = {
    ...run.state,
    attempts: [{ order, submission, observation: null, firstTracker: null, end: run.state.end } as never],
    order: { ...order, status: 'open', claim: null, manifest: { envelope: { rental } } as never },
    ...{ submission: null, end: null },
    rental: { ...run.state.rental, keepRequest: { until, seq: 3 } as never },
  };
  const late = RENTED + TERMS.hoursMax * HOUR;
  const types = look(run, [machine({ status: 'running' })], late).map(({ type }) => type);
  expect(types).toContain('tear-down-begun');
});

/** An entry that a stolen watch key can write. */
function forgedGone(run: Run, cadenceMs: number): void {
  const forged = {
    ...{ instance: 7, jobId: 'job-1', status: 'gone' as const, createdAt: toRfc3339(RENTED as Instant) },
    ...{ microdollarsPerHour: 1, microdollarsPerHourStored: 1, microdollars: 1, microdollarsOfTraffic: 1 },
  };
  applyDrafts(run, [{ type: 'machines-seen', role: 'watch', data: { machines: [forged], cadenceMs } }], NOW - MINUTE);
}

// threat T184
it('counts the whole life of a machine recorded as gone that still exists, at its full price', () => {
  for (const status of ['running', 'loading', 'exited'] as const) {
    const run = newRun();
    look(run, [machine({ status: 'running' })], RENTED + MINUTE);
    forgedGone(run, MINUTE);
    const [seen] = seenIn(look(run, [machine({ status })]));
    expect([seen?.status, seen?.microdollars, seen?.isEstimated]).toEqual([status, 800_000, true]);
  }
});

it('is due after ten minutes at the latest, even if the record names a later check', () => {
  const run = newRun();
  forgedGone(run, 30 * MINUTE);
  expect(rentalDueAtMs(run.state)).toBe(NOW - MINUTE + 10 * MINUTE);
});

it('ends a machine kept only until the next check, even if another check is late', () => {
  const [kept, gone] = [newRun(), newRun('job-2')];
  for (const run of [kept, gone]) endRun(run, NOW - HOUR);
  const until = toRfc3339((NOW + 4 * MINUTE) as Instant);
  kept.state = { ...kept.state, rental: { ...kept.state.rental, keepRequest: { until, seq: 3 } as never } };
  const types = look(gone, [machine({ id: 8, jobId: 'job-2' })], NOW - MINUTE).map(({ type }) => type);
  expect(types).toContain('tear-down-begun');
  const decided = decideRentals({
    ...{ now: NOW as Instant, cluster: 'rented', terms: TERMS },
    account: { kind: 'read', instances: [machine()], credit: null },
    record: { live: [kept.state, gone.state], orphans: [], isWhole: true },
  });
  expect(decided.destroy).toEqual([{ id: 7, jobId: 'job-1' }]);
});

describe('a machine that ran and stopped between two checks', () => {
  it('is booked as if it had been running all the time, and the text says that this is an estimate', () => {
    const run = newRun();
    expect(seenIn(look(run, [machine()]))).toMatchObject([{ instance: 7, microdollars: 800_000, isEstimated: true }]);
    expect(renderRentalCost(run.state)).toMatchInlineSnapshot(
      `"Cost so far: about **$0.80** of at most $12.00, for 1 machine; disk and traffic included. This is the highest possible estimate: a machine may have run and stopped between two checks of the account."`,
    );
  });

  it('is booked by the times of its job, from its start until its own destruction', () => {
    const run = newRun();
    const [from, to] = [RENTED + 10 * MINUTE, RENTED + 20 * MINUTE];
    const data = {
      ...{ attempt: 1, status: 'FAILED', fence: run.state.fence, engineDetails: { instance: '7' } },
      ...{ startedAt: toRfc3339(from as Instant), endedAt: toRfc3339(to as Instant) },
    } as unknown as Extract<EventDraft, { type: 'ended' }>['data'];
    applyDrafts(run, [{ type: 'ended', role: 'watch', data }], NOW - MINUTE);
    const [seen] = seenIn(look(run, [machine()]));
    // Two hours of disk, and the GPU from the start until the grace time after the end.
    const hours = (10 + TERMS.endMinutesMax) / 60;
    expect(seen?.microdollars).toBe(Math.round(20_000 + 390_000 * hours));
    expect(seen?.isEstimated).toBe(true);
  });

  it('is booked as an estimate if it disappeared before a check saw it running', () => {
    const run = newRun();
    const [loading] = seenIn(look(run, [machine({ status: 'loading', createdAtMs: NOW - MINUTE })]));
    expect(loading?.isEstimated).toBeUndefined();
    const [gone] = seenIn(look(run, [], NOW + HOUR));
    expect(gone).toMatchObject({ status: 'gone', isEstimated: true });
    expect((gone?.microdollars ?? 0) - (loading?.microdollars ?? 0)).toBe(400_000);
  });

  it('is booked as an orphan since its creation if no live run exists', () => {
    const run = newRun();
    const begun = look(run, [machine({ jobId: 'job-9' })]).filter(({ type }) => type === 'tear-down-begun');
    expect(begun).toMatchObject([{ data: { instance: 7, reason: 'orphan', microdollars: 800_000 } }]);
  });
});
