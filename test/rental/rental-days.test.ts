/** A sample of the rental days; `npm run rentals -- --days 10000` runs any number. */

import { describe, expect, it } from 'vitest';
import { decideTearDown } from '../../src/rental/tear-down.ts';
import { type Law, playRentalDays } from './rental-days.ts';

const DAYS = 120;

describe('rental days with faults', () => {
  it('leave no orphan, second or idle machine an hour after the faults, and never touch foreign machines', async () => {
    const { orphanMinutes, doubleMinutes, idleMinutes, foreignTouched, ...played } = await playRentalDays(DAYS, 1);
    expect({ orphanMinutes, doubleMinutes, idleMinutes, foreignTouched }).toEqual({
      orphanMinutes: 0,
      doubleMinutes: 0,
      idleMinutes: 0,
      foreignTouched: 0,
    });
    for (const happened of [played.rented, played.destroyed, played.faults, played.kills])
      expect(happened).toBeGreaterThan(DAYS / 10);
  });

  it('are booked to within one per cent of what the server bills', async () => {
    const { billed, booked } = await playRentalDays(DAYS, 2);
    expect(Math.abs(booked / billed - 1)).toBeLessThan(0.01);
  });

  it.each([
    [
      'forgets machines that were not destroyed',
      (input) => decideTearDown({ ...input, record: forgetful(input) }),
      'orphanMinutes',
    ],
    [
      'waits for another check',
      (input) => decideTearDown({ ...input, nextObservationMs: input.nowMs - 600_000 }),
      'idleMinutes',
    ],
    [
      'treats every machine as ours',
      (input) => decideTearDown({ ...input, account: allOurs(input) }),
      'foreignTouched',
    ],
  ] as const satisfies readonly (readonly [string, Law, string])[])(
    'reveal a decision rule that %s',
    async (_, law, what) => {
      expect((await playRentalDays(20, 3, law))[what]).toBeGreaterThan(0);
    },
  );
});

/** Every machine has a live run. */
function forgetful({ record }: Parameters<Law>[0]): Parameters<Law>[0]['record'] {
  return {
    isWhole: false,
    runs: record.runs.map((run) => ({ ...run, endedAtMs: null, progressAtMs: Number.MAX_SAFE_INTEGER })),
  };
}

function allOurs({ account }: Parameters<Law>[0]): Parameters<Law>[0]['account'] {
  if (account.kind === 'unknown') return account;
  return { ...account, instances: account.instances.map((one) => ({ ...one, jobId: one.jobId ?? 'x' })) };
}
