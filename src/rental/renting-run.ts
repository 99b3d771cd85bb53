/** Reads a run's record for the teardown rules. */

import type { RentedInstance } from '../domain/care/machines.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { limits } from '../domain/limits.ts';
import type { Machine } from '../domain/logbook/events/rental-events.ts';
import { RENTAL_CHECK_MS, rentalTerms, rentedJobs } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, MICRODOLLARS } from '../domain/values.ts';
import {
  type Condemned,
  hourlyRate,
  type MachineSpending,
  type RentingRun,
  type TearDownPolicy,
  type WorkedPeriod,
} from './tear-down.ts';

/** Ages for early checks of a new machine, because most failures happen then. */
const RENTAL_STARTUP_MS = [60_000, 180_000, 420_000, 900_000];

const MS_OF_MINUTE = 60_000;
const MS_OF_HOUR = 60 * MS_OF_MINUTE;

/** Millionths of a dollar, as recorded. Hosts set prices, so the value is limited to the largest safe integer. */
export function toMicrodollars(dollars: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(dollars * MICRODOLLARS));
}

/** The terms in milliseconds and dollars. */
export function tearDownPolicy(terms: RentalTerms): TearDownPolicy {
  return {
    idleGraceMs: terms.idleMinutesMax * MS_OF_MINUTE,
    startGraceMs: terms.startMinutesMax * MS_OF_MINUTE,
    lifetimeMs: terms.hoursMax * MS_OF_HOUR,
    dollarsMax: Number(terms.dollarsMax),
  };
}

/** When the step last advanced; null: never. */
export function progressAtMs({ observation }: RunState): number | null {
  const { moved, steppingSince } = observation?.course ?? {};
  return fromRfc3339(moved?.at ?? steppingSince ?? '');
}

/** The account of a cluster. `rows` are all current machines, and `untilNextMs` is the time until the next check. */
type Account = {
  readonly cluster: string;
  readonly rows: readonly RentedInstance[];
  readonly spent: ReadonlyMap<number, MachineSpending>;
  readonly untilNextMs: number;
};

/** The run's jobs on this cluster, if it rents. */
export function listRentingRuns(
  state: RunState,
  { cluster, rows, spent, untilNextMs }: Account,
): readonly RentingRun[] {
  const terms = rentalTerms(state);
  if (terms === null) return [];
  const { keepRequest, tearDownRequest } = state.rental;
  const jobs = rentedJobs(state);
  const here = rows.filter(({ jobId }) => jobs.some((job) => job.jobId === jobId));
  const shared = {
    policy: tearDownPolicy(terms),
    keepUntilMs: fromRfc3339(keepRequest?.until ?? ''),
    isAsked: tearDownRequest !== null && (keepRequest === null || tearDownRequest.seq > keepRequest.seq),
    dollarsThen: sumDollars(state, here, spent) + runningCost(here, untilNextMs),
  };
  return jobs
    .filter((job) => job.cluster === cluster)
    .map(({ jobId, endedAt }) => ({
      ...shared,
      jobId,
      endedAtMs: endedAt === null ? null : (fromRfc3339(endedAt) ?? 0),
      progressAtMs: jobId === state.submission?.jobId ? progressAtMs(state) : null,
    }));
}

function sumDollars(
  state: RunState,
  here: readonly RentedInstance[],
  spent: ReadonlyMap<number, MachineSpending>,
): number {
  const isHere = new Set(here.map(({ id }) => id));
  const gone = state.rental.machines.filter(({ instance }) => !isHere.has(instance));
  const now = here.reduce((sum, { id }) => sum + (spent.get(id)?.dollars ?? 0), 0);
  return gone.reduce((sum, { microdollars }) => sum + microdollars / MICRODOLLARS, now);
}

/** The cost of these machines for a time, in dollars. */
export function runningCost(rows: readonly RentedInstance[], durationMs: number): number {
  const hourly = rows.reduce((sum, row) => sum + hourlyRate(row, row.status ?? 'running'), 0);
  return (hourly * durationMs) / MS_OF_HOUR;
}

/** The cost of a machine at its last observation. */
export function toSpent(machine: Machine): MachineSpending {
  const { microdollars, microdollarsOfTraffic, seenAt, status, isEstimated = false } = machine;
  return {
    dollars: microdollars / MICRODOLLARS,
    atMs: fromRfc3339(seenAt) ?? 0,
    status,
    traffic: microdollarsOfTraffic / MICRODOLLARS,
    isEstimated,
  };
}

/** When machines worked, by their jobs' times. A machine stays up after its job, at most for the grace time. */
export function listWorkedTimes(state: RunState): ReadonlyMap<number, WorkedPeriod> {
  const graceMs = (rentalTerms(state)?.endMinutesMax ?? 0) * MS_OF_MINUTE;
  const ends = [...state.attempts.map(({ end }) => end), ...(state.end === null ? [] : [state.end])];
  return new Map(
    ends.flatMap(({ engineDetails, startedAt, endedAt }) => {
      const [fromMs, endedMs] = [fromRfc3339(startedAt ?? ''), fromRfc3339(endedAt ?? '')];
      const machine = Number(engineDetails?.['instance'] ?? Number.NaN);
      if (fromMs === null || endedMs === null || !Number.isSafeInteger(machine)) return [];
      return [[machine, { fromMs, untilMs: endedMs + graceMs }] as const];
    }),
  );
}

/** Teardowns that are not verified yet. */
export function listCondemned(state: RunState): ReadonlyMap<number, Condemned> {
  return new Map(
    state.rental.machines.flatMap(({ instance, tearDown }) =>
      tearDown === null || tearDown.endedAt !== null
        ? []
        : [
            [
              instance,
              {
                reason: tearDown.reason,
                sinceMs: fromRfc3339(tearDown.since) ?? 0,
                alertedAtMs: lastAlertMs(state, instance),
              },
            ] as const,
          ],
    ),
  );
}

function lastAlertMs({ incidents }: RunState, instance: number): number | null {
  const told = incidents.findLast((one) => one.code === 'machine-still-there' && one.detail.instance === instance);
  return told === undefined ? null : fromRfc3339(told.at);
}

/** The interval to the next check: short after a machine's creation, later a quarter of the grace time, and shortest during a teardown. */
export function nextCheckMs(
  rows: readonly RentedInstance[],
  terms: readonly RentalTerms[],
  isAlert: boolean,
  nowMs: number,
): number {
  if (isAlert) return limits.rentalAlertMs;
  const grace = Math.min(...terms.map(({ idleMinutesMax }) => idleMinutesMax * MS_OF_MINUTE));
  const pace = Math.max(limits.rentalAlertMs, Math.min(RENTAL_CHECK_MS, grace / 4));
  const early = rows.flatMap(({ createdAtMs }) =>
    RENTAL_STARTUP_MS.filter((ms) => createdAtMs + ms > nowMs).map((ms) => createdAtMs + ms - nowMs),
  );
  return Math.round(Math.min(pace, ...early));
}
