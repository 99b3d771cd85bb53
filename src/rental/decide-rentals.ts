/** Checks an account: what to record in the runs and the journal, and which machines to destroy. */

import type { AccountRead, Condemnation, RentedInstance } from '../domain/care/machines.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { type Orphan, openOrphans } from '../domain/logbook/events/rental-events.ts';
import { rentalTerms, rentedJobs } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, type RunId } from '../domain/values.ts';
import {
  listCondemned,
  listRentingRuns,
  listWorkedTimes,
  nextCheckMs,
  tearDownPolicy,
  toMicrodollars,
  toSpent,
} from './renting-run.ts';
import { buildRunDrafts, buildUnreadableDrafts } from './run-drafts.ts';
import {
  bookCosts,
  type Condemned,
  type Destruction,
  decideTearDown,
  hourlyRate,
  type MachineSpending,
  mayHaveRunUnobserved,
} from './tear-down.ts';

/** Interval between alerts for a machine that should be gone. */
const MACHINE_ALERT_AGAIN_MS = 10 * 60 * 1_000;

/** `live`: live runs of every cluster; `unrecorded`: those with a broken record. `isWhole`: the whole record was read. */
export type RentalRecord = {
  readonly live: readonly RunState[];
  readonly unrecorded?: readonly RunState[];
  readonly orphans: readonly Orphan[];
  readonly isWhole: boolean;
};

export type RentalInput = {
  readonly now: Instant;
  readonly cluster: string;
  /** The cluster's current terms, for machines without a run. */
  readonly terms: RentalTerms;
  readonly account: AccountRead;
  readonly record: RentalRecord;
  readonly decide?: typeof decideTearDown;
};

/** `drafts` are recorded before anything is destroyed. `isBusy`: the account has, or may have, one of our machines. */
export type RentalDecision = {
  readonly drafts: readonly { readonly run: RunId; readonly seq: number; readonly drafts: readonly EventDraft[] }[];
  readonly journal: readonly EventDraft[];
  readonly destroy: readonly Condemnation[];
  readonly cadenceMs: number;
  readonly isBusy: boolean;
};

/** Compares the machines of an account with the runs that rented them: events to record, machines to destroy. */
export function decideRentals(input: RentalInput): RentalDecision {
  const { account, cluster, record, now } = input;
  const renting = record.live.filter((run) => rentsOnCluster(run, cluster));
  if (account.kind === 'unknown') {
    const drafts = renting.map((state) =>
      buildEntry(state, buildUnreadableDrafts(state, cluster, account.message, now)),
    );
    return { drafts, journal: [], destroy: [], cadenceMs: limits.rentalAlertMs, isBusy: true };
  }
  const rows = filterFleetInstances(account.instances, record.live, cluster);
  const orphans = openOrphans(record.orphans).filter((one) => one.cluster === cluster);
  const condemned = new Map([
    ...orphans.map((one) => [one.instance, toCondemned(one)] as const),
    ...renting.flatMap((run) => [...listCondemned(run)]),
  ]);
  const terms = [input.terms, ...renting.flatMap((run) => rentalTerms(run) ?? [])];
  const ours = rows.filter(({ jobId }) => jobId !== null);
  // Machines that are destroyed now may be gone at the next check, which then has the usual interval.
  const untilNextMs = nextCheckMs(ours, terms, false, now) + limits.rentalLateMs;
  const worked = new Map(renting.flatMap((run) => [...listWorkedTimes(run)]));
  const spent = bookCosts(sumSpending(renting, rows), rows, now, worked);
  const decided = (input.decide ?? decideTearDown)({
    nowMs: now,
    nextObservationMs: now + untilNextMs,
    account: { ...account, instances: rows },
    record: {
      runs: renting.flatMap((run) => listRentingRuns(run, { cluster, rows, spent, untilNextMs })),
      isWhole: record.isWhole,
    },
    policy: tearDownPolicy(input.terms),
    alertEveryMs: MACHINE_ALERT_AGAIN_MS,
    unverified: condemned,
    spent,
  });
  const cadenceMs = nextCheckMs(ours, terms, decided.length > 0, now);
  const seen = { ...input, account: { ...account, instances: rows }, decided, spent, cadenceMs };
  return {
    drafts: renting.map((state) => buildEntry(state, buildRunDrafts(state, seen))),
    journal: buildOrphanDrafts(input, rows, orphans, decided),
    destroy: decided.map(({ id, jobId }) => ({ id, jobId })),
    cadenceMs,
    isBusy: ours.length > 0,
  };
}

function buildEntry({ run, head }: RunState, drafts: readonly EventDraft[]): RentalDecision['drafts'][number] {
  return { run, seq: head.seq, drafts };
}

/** Whether the cluster's account may hold a machine of this run. */
export function rentsOnCluster(state: RunState, cluster: string): boolean {
  return rentalTerms(state) !== null && rentedJobs(state).some((job) => job.cluster === cluster);
}

/** Another cluster may share the account; its own watch handles its machines. */
function filterFleetInstances(
  instances: readonly RentedInstance[],
  live: readonly RunState[],
  cluster: string,
): readonly RentedInstance[] {
  const elsewhere = new Set(live.flatMap(rentedJobs).flatMap((job) => (job.cluster === cluster ? [] : [job.jobId])));
  return instances.map((one) => (one.jobId !== null && elsewhere.has(one.jobId) ? { ...one, jobId: null } : one));
}

function toCondemned({ reason, since }: Orphan): Condemned {
  return { reason, sinceMs: fromRfc3339(since) ?? 0, alertedAtMs: null };
}

function sumSpending(runs: readonly RunState[], rows: readonly RentedInstance[]): ReadonlyMap<number, MachineSpending> {
  const here = new Set(rows.map(({ id }) => id));
  return new Map(
    runs.flatMap(({ rental }) =>
      rental.machines
        .filter(({ instance, status }) => status !== 'gone' || here.has(instance))
        .map((machine) => [machine.instance, toSpent(machine)] as const),
    ),
  );
}

/** The journal records machines without a live run, from their teardown to their absence in a complete list. */
function buildOrphanDrafts(
  { record, now, cluster }: RentalInput,
  rows: readonly RentedInstance[],
  orphans: readonly Orphan[],
  destroy: readonly Destruction[],
): readonly EventDraft[] {
  const known = new Set(record.live.flatMap(rentedJobs).map(({ jobId }) => jobId));
  const begun = destroy.filter(
    ({ id, jobId }) => !known.has(jobId) && orphans.every(({ instance }) => instance !== id),
  );
  const present = new Map(rows.map((row) => [row.id, row]));
  const draft = (
    type: 'tear-down-begun' | 'tear-down-ended',
    data: Orphan | Omit<Orphan, 'seq' | 'since' | 'endedAt'>,
  ): EventDraft => {
    const { instance, jobId, reason, microdollars } = data;
    return { type, role: 'watch', data: { instance, jobId, cluster, reason, microdollars } };
  };
  return [
    // rule VA-31
    ...begun.map(({ id, jobId, reason }) => {
      const microdollars = costSinceMs(present.get(id), present.get(id)?.createdAtMs ?? now, now);
      return draft('tear-down-begun', { instance: id, jobId, cluster, reason, microdollars });
    }),
    ...orphans.filter(({ instance }) => !present.has(instance)).map((one) => draft('tear-down-ended', one)),
  ];
}

/** The cost of an orphan, as if it had been in its current state since its creation. */
function costSinceMs(row: RentedInstance | undefined, sinceMs: number, nowMs: number): number {
  if (row === undefined) return 0;
  const hours = Math.max(0, nowMs - sinceMs) / 3_600_000;
  const rate = mayHaveRunUnobserved(null, row.status) ? row.hourly : hourlyRate(row, row.status);
  return toMicrodollars(rate * hours + row.traffic);
}
