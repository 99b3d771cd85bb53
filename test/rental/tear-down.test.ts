/** Which rented machines are destroyed, case by case and by property. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RentedInstance } from '../../src/domain/care/machines.ts';
import {
  decideTearDown,
  type RentingRun,
  type TearDownInput,
  type TearDownPolicy,
} from '../../src/rental/tear-down.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21);
const POLICY: TearDownPolicy = {
  idleGraceMs: 20 * MINUTE,
  startGraceMs: 30 * MINUTE,
  lifetimeMs: 30 * HOUR,
  dollarsMax: 12,
};

const machine = (changes: Partial<RentedInstance> = {}): RentedInstance => ({
  ...{ id: 1, jobId: 'job-1', status: 'running', createdAtMs: NOW - HOUR, hourly: 0.4, storageHourly: 0.01 },
  traffic: 0,
  ...changes,
});
const run = (changes: Partial<RentingRun> = {}): RentingRun => ({
  ...{ jobId: 'job-1', endedAtMs: null, progressAtMs: NOW, keepUntilMs: null },
  ...{ policy: POLICY, isAsked: false, dollarsThen: 0 },
  ...changes,
});
const decide = (
  instances: readonly RentedInstance[],
  runs: readonly RentingRun[],
  changes: Partial<TearDownInput> = {},
): ReturnType<typeof decideTearDown> =>
  decideTearDown({
    nowMs: NOW,
    nextObservationMs: NOW + 10 * MINUTE,
    account: { kind: 'read', instances, credit: null },
    alertEveryMs: 30 * MINUTE,
    record: { runs, isWhole: true },
    policy: POLICY,
    unverified: new Map(),
    spent: new Map(),
    ...changes,
  });
const why = (...asked: Parameters<typeof decide>): readonly string[] =>
  decide(...asked).map(({ id, reason }) => `${id} ${reason}`);

describe('a rented machine', () => {
  it('stays while its run trains', () => {
    expect(why([machine()], [run()])).toEqual([]);
  });

  // rule VA-01
  it('is destroyed when its run has ended, in any state, and when no run exists for it', () => {
    for (const status of ['running', 'stopped', 'frozen', 'exited'] as const)
      expect(why([machine({ status })], [run({ endedAtMs: NOW })])).toEqual(['1 ended']);
    expect(why([machine()], [])).toEqual(['1 orphan']);
  });

  it('is destroyed before its idle time would exceed the grace at the next check', () => {
    const idle = (minutes: number): readonly string[] =>
      why([machine()], [run({ progressAtMs: NOW - minutes * MINUTE })]);
    expect(idle(10)).toEqual([]);
    expect(idle(11)).toEqual(['1 idle']);
  });

  it('has time to start, except in a stopped, frozen, unknown or offline state', () => {
    const begun = (status: RentedInstance['status']): readonly string[] =>
      why([machine({ status, createdAtMs: NOW - 15 * MINUTE })], [run({ progressAtMs: null })]);
    for (const status of [null, 'created', 'loading', 'running'] as const) expect(begun(status)).toEqual([]);
    for (const status of ['stopped', 'frozen', 'unknown', 'offline'] as const)
      expect(begun(status)).toEqual(['1 idle']);
  });

  it('is kept if a person requested it, but never past its maximum lifetime or cost', () => {
    const kept = run({ endedAtMs: NOW, keepUntilMs: NOW + HOUR });
    expect(why([machine()], [kept])).toEqual([]);
    expect(why([machine()], [run({ endedAtMs: NOW, keepUntilMs: NOW + MINUTE })])).toEqual(['1 ended']);
    expect(why([machine({ createdAtMs: NOW - POLICY.lifetimeMs })], [kept])).toEqual(['1 lifetime']);
    expect(why([machine()], [run({ ...kept, dollarsThen: POLICY.dollarsMax })])).toEqual(['1 cost']);
  });

  it('is destroyed when a person requests it, even if it trains or is kept', () => {
    expect(why([machine()], [run({ isAsked: true, keepUntilMs: NOW + HOUR })])).toEqual(['1 asked']);
  });

  it('is destroyed if it is the newer machine of a doubled creation', () => {
    expect(why([machine({ id: 2 }), machine({ id: 1 })], [run()])).toEqual(['2 double']);
  });

  it('of another owner is never touched, in any state', () => {
    expect(why([machine({ jobId: null, status: 'frozen', createdAtMs: 0 })], [])).toEqual([]);
  });
});

describe('an unreadable source', () => {
  it('for the account destroys nothing and verifies nothing', () => {
    const condemned = new Map([[1, { reason: 'ended', sinceMs: 0, alertedAtMs: null } as const]]);
    expect(decide([], [], { account: { kind: 'unknown', message: '' }, unverified: condemned })).toEqual([]);
  });

  it('for the record makes no machine an orphan, but the limits still apply', () => {
    const record = { runs: [], isWhole: false };
    expect(why([machine()], [], { record })).toEqual([]);
    expect(why([machine({ createdAtMs: NOW - POLICY.lifetimeMs })], [], { record })).toEqual(['1 lifetime']);
  });
});

describe('a destruction', () => {
  it('is complete when the account no longer lists the machine; until then it is repeated and reported', () => {
    expect(why([machine()], [])).toEqual(['1 orphan']);
    const told: number[] = [];
    let alertedAtMs: number | null = null;
    for (let minute = 10; minute <= 120; minute += 10) {
      const nowMs: number = NOW + minute * MINUTE;
      const condemned = new Map([[1, { reason: 'orphan', sinceMs: NOW, alertedAtMs } as const]]);
      const [next] = decide([machine()], [run()], { nowMs, unverified: condemned });
      expect(next).toMatchObject({ id: 1, reason: 'orphan' });
      if (next?.alertSinceMs !== NOW) continue;
      told.push(minute);
      alertedAtMs = nowMs;
    }
    expect(told).toEqual([30, 60, 90, 120]);
  });
});

it('affects only our machines, never the last machine of a training run, and is deterministic', () => {
  const status = fc.constantFrom(null, 'loading', 'running', 'stopped', 'frozen', 'exited', 'unknown', 'offline');
  const jobId = fc.constantFrom(null, 'job-1', 'job-2', 'job-3');
  const instances = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 1, max: 9 }), jobId, status, age: fc.integer({ min: 1, max: 29 }) }),
    { selector: ({ id }) => id },
  );
  const runs = fc.uniqueArray(
    fc.record({ job: fc.integer({ min: 1, max: 3 }), isOver: fc.boolean(), idle: fc.integer({ min: 0, max: 40 }) }),
    { selector: ({ job }) => job },
  );
  fc.assert(
    fc.property(instances, runs, (someInstances, someRuns) => {
      const rented = someInstances.map(({ age, ...one }) => machine({ ...one, createdAtMs: NOW - age * HOUR }));
      const known = someRuns.map(({ job, isOver, idle }) =>
        run({ ...{ jobId: `job-${job}`, endedAtMs: isOver ? NOW : null, progressAtMs: NOW - idle * MINUTE } }),
      );
      const decided = decide(rented, known);
      expect(decide(rented, known)).toEqual(decided);
      const gone = new Set(decided.map(({ id }) => id));
      for (const { id, jobId: of } of rented) if (of === null) expect(gone.has(id)).toBe(false);
      for (const { jobId: of, endedAtMs, progressAtMs } of known) {
        const its = rented.filter((one) => one.jobId === of);
        const left = its.filter(({ id }) => !gone.has(id));
        const trains = endedAtMs === null && (progressAtMs ?? 0) >= NOW - 10 * MINUTE;
        expect(left.length).toBe(its.length > 0 && trains ? 1 : 0);
      }
    }),
  );
});
