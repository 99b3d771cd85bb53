/** The events for one run after an account check: machines, teardowns, incidents, and the job's end. */

import type { AccountRead, RentedInstance } from '../domain/care/machines.ts';
import { FIRST_RESPONSE } from '../domain/failure-class.ts';
import { filterIncidents, incidentDraft } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/define.ts';
import {
  type Machine,
  type SeenMachine,
  TEAR_DOWN_WHY,
  type TearDownReason,
} from '../domain/logbook/events/rental-events.ts';
import { presentMachines, rentalDueAtMs, rentalTerms, rentedJobs } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, MICRODOLLARS, toRfc3339 } from '../domain/values.ts';
import { listWorkedTimes, progressAtMs, runningCost, tearDownPolicy, toMicrodollars, toSpent } from './renting-run.ts';
import { bookGoneMachine, type Destruction, idleSinceMs, type MachineSpending } from './tear-down.ts';

type DecidedRentals = {
  readonly now: Instant;
  readonly cluster: string;
  readonly account: Extract<AccountRead, { kind: 'read' }>;
  readonly decided: readonly Destruction[];
  readonly spent: ReadonlyMap<number, MachineSpending>;
  readonly cadenceMs: number;
};

/** The events; none if nothing changed and no check was due. */
export function buildRunDrafts(state: RunState, look: DecidedRentals): readonly EventDraft[] {
  const { cluster, now } = look;
  const jobs = rentedJobs(state).filter((job) => job.cluster === cluster);
  const here = look.account.instances.filter(({ jobId }) => jobs.some((job) => job.jobId === jobId));
  const machines = [...here.map((row) => toSeenMachine(row, look.spent)), ...listGoneMachines(state, here, look)];
  const after = mergeMachines(state, machines);
  const acts = [...begunDrafts(state, look, here), ...endedDrafts(state, machines, cluster)];
  const drafts = [
    ...acts,
    ...buildAlerts(state, look, here),
    ...buildBudgetWarnings(state, look, after, here),
    ...buildIdleWarnings(state, look, here),
  ];
  const isChanged = machines.some((one) => one.status !== state.rental.machines.find(isSame(one))?.status);
  const over = buildRunEnd(state, after, now);
  if (drafts.length + over.length === 0 && !isChanged && now < rentalDueAtMs(state)) return [];
  // A machine that vanished is checked once more before its job counts as ended.
  const isLost = after.some(({ status, tearDown }) => status === 'gone' && tearDown === null) && state.end === null;
  const cadenceMs = isLost ? limits.rentalAlertMs : look.cadenceMs;
  return [{ type: 'machines-seen', role: 'watch', data: { machines, cadenceMs } }, ...drafts, ...over];
}

/** Reports an unreadable account after some time, and again at intervals. */
export function buildUnreadableDrafts(
  state: RunState,
  cluster: string,
  message: string,
  now: Instant,
): readonly EventDraft[] {
  const since = state.rental.lastListing?.at ?? state.order?.claim?.at ?? null;
  const sinceMs = fromRfc3339(since ?? '');
  const isHeld = presentMachines(state).length > 0 || (state.submission !== null && state.end === null);
  if (since === null || sinceMs === null || !isHeld || now - sinceMs < limits.engineUnreadMs) return [];
  if (isReportedSince(state, 'account-unreadable', now - limits.engineUnreadMs * 4)) return [];
  const said = `${message} (${cluster})`;
  return [incidentDraft('watch', 'account-unreadable', { message: said, since })];
}

const isSame =
  ({ instance }: Pick<SeenMachine, 'instance'>) =>
  (other: Pick<SeenMachine, 'instance'>): boolean =>
    other.instance === instance;

function toSeenMachine(row: RentedInstance, spent: ReadonlyMap<number, MachineSpending>): SeenMachine {
  const { dollars = 0, traffic = 0, isEstimated = false } = spent.get(row.id) ?? {};
  return {
    instance: row.id,
    jobId: row.jobId ?? '',
    status: row.status,
    ...(row.machine === undefined ? {} : { machine: row.machine }),
    createdAt: toRfc3339(Math.trunc(row.createdAtMs) as Instant),
    microdollarsPerHour: toMicrodollars(row.hourly),
    microdollarsPerHourStored: toMicrodollars(row.storageHourly),
    microdollars: toMicrodollars(dollars),
    microdollarsOfTraffic: toMicrodollars(traffic),
    ...(isEstimated ? { isEstimated } : {}),
  };
}

/** Recorded machines that left the account, with their final cost. */
function listGoneMachines(
  state: RunState,
  here: readonly RentedInstance[],
  { cluster, now }: DecidedRentals,
): readonly SeenMachine[] {
  const jobs = rentedJobs(state).filter((job) => job.cluster === cluster);
  const worked = listWorkedTimes(state);
  return presentMachines(state)
    .filter(({ instance, jobId }) => !here.some(({ id }) => id === instance) && jobs.some((job) => job.jobId === jobId))
    .map(({ seenAt, tearDown, ...machine }) => {
      const rates = {
        createdAtMs: fromRfc3339(machine.createdAt) ?? 0,
        hourly: machine.microdollarsPerHour / MICRODOLLARS,
        storageHourly: machine.microdollarsPerHourStored / MICRODOLLARS,
      };
      const before = toSpent({ ...machine, seenAt, tearDown });
      const { dollars, isEstimated } = bookGoneMachine(before, rates, now, worked.get(machine.instance) ?? null);
      const microdollars = toMicrodollars(dollars);
      return { ...machine, status: 'gone', microdollars, ...(isEstimated ? { isEstimated } : {}) };
    });
}

function mergeMachines(
  { rental }: RunState,
  seen: readonly SeenMachine[],
): readonly Pick<Machine, keyof SeenMachine | 'tearDown'>[] {
  const fresh = seen.filter((one) => !rental.machines.some(isSame(one)));
  return [
    ...rental.machines.map((one) => ({ ...one, ...seen.find(isSame(one)) })),
    ...fresh.map((one) => ({ ...one, tearDown: null })),
  ];
}

function begunDrafts(state: RunState, look: DecidedRentals, here: readonly RentedInstance[]): readonly EventDraft[] {
  return look.decided.flatMap(({ id, jobId, reason }) => {
    const row = here.find((one) => one.id === id);
    const { tearDown = null } = state.rental.machines.find(({ instance }) => instance === id) ?? {};
    if (row === undefined || (tearDown !== null && tearDown.endedAt === null)) return [];
    const { microdollars } = toSeenMachine(row, look.spent);
    return [
      {
        type: 'tear-down-begun',
        role: 'watch',
        data: { instance: id, jobId, cluster: look.cluster, reason, microdollars },
      } as const,
    ];
  });
}

/** Verifies our teardowns; reports machines that vanished without one. */
function endedDrafts(state: RunState, seen: readonly SeenMachine[], cluster: string): readonly EventDraft[] {
  return seen
    .filter(({ status }) => status === 'gone')
    .flatMap(({ instance, jobId, microdollars }) => {
      const dollars = String(microdollars / MICRODOLLARS);
      const tearDown = state.rental.machines.find((one) => one.instance === instance)?.tearDown ?? null;
      if (tearDown === null) return [incidentDraft('watch', 'machine-lost', { instance, dollars })];
      const { reason } = tearDown;
      return [
        { type: 'tear-down-ended', role: 'watch', data: { instance, jobId, cluster, reason, microdollars } } as const,
        incidentDraft('watch', 'machine-destroyed', { instance, reason, dollars }),
      ];
    });
}

function buildAlerts(
  state: RunState,
  { decided }: DecidedRentals,
  here: readonly RentedInstance[],
): readonly EventDraft[] {
  return decided.flatMap(({ id, alertSinceMs, reason }) => {
    if (alertSinceMs === null || !here.some((row) => row.id === id) || state.rental.machines.length === 0) return [];
    const since = toRfc3339(alertSinceMs as Instant);
    return [incidentDraft('watch', 'machine-still-there', { instance: id, reason, since })];
  });
}

/** Share of the limit at which people are notified. */
const NEARLY_SHARE = 0.8;

function buildBudgetWarnings(
  state: RunState,
  { account, cadenceMs, now }: DecidedRentals,
  after: readonly Pick<SeenMachine, 'microdollars'>[],
  here: readonly RentedInstance[],
): readonly EventDraft[] {
  const most = rentalTerms(state)?.dollarsMax ?? '0';
  const dollars = after.reduce((sum, one) => sum + one.microdollars, 0);
  const isNear =
    dollars >= NEARLY_SHARE * Number(most) * MICRODOLLARS &&
    filterIncidents(state.incidents, 'budget-nearly-used').length === 0;
  const horizonMs = Math.max(cadenceMs, limits.creditHorizonMs);
  const needed = runningCost(account.instances, horizonMs);
  const isShort =
    account.credit !== null &&
    account.credit < needed &&
    here.length > 0 &&
    !isReportedSince(state, 'balance-short', now - limits.creditHorizonMs);
  return [
    ...(isNear
      ? [incidentDraft('watch', 'budget-nearly-used', { dollars: String(dollars / MICRODOLLARS), most })]
      : []),
    ...(isShort
      ? [
          incidentDraft('watch', 'balance-short', {
            credit: String(account.credit ?? 0),
            needed: String(needed),
            minutes: Math.round(horizonMs / 60_000),
          }),
        ]
      : []),
  ];
}

/** Notifies people once per idle phase, one check before the teardown, so that they can keep the machine. */
function buildIdleWarnings(
  state: RunState,
  { decided, now, cadenceMs }: DecidedRentals,
  here: readonly RentedInstance[],
): readonly EventDraft[] {
  const terms = rentalTerms(state);
  const { keepRequest } = state.rental;
  const isKept = keepRequest !== null && now < (fromRfc3339(keepRequest.until) ?? 0);
  if (terms === null || isKept || state.end !== null || state.submission === null) return [];
  const run = { progressAtMs: progressAtMs(state), policy: tearDownPolicy(terms) };
  const { jobId } = state.submission;
  return here
    .filter((row) => row.jobId === jobId && !decided.some(({ id }) => id === row.id))
    .flatMap((row) => {
      const sinceMs = run.progressAtMs ?? row.createdAtMs;
      const idleMs = idleSinceMs(row, run);
      const isNext = now + 2 * cadenceMs + limits.rentalLateMs - idleMs > run.policy.idleGraceMs;
      // rule VA-15
      if (!isNext || isReportedSince(state, 'machine-idle', sinceMs)) return [];
      const at = toRfc3339(Math.trunc(idleMs + run.policy.idleGraceMs) as Instant);
      const since = toRfc3339(Math.trunc(sinceMs) as Instant);
      return [incidentDraft('watch', 'machine-idle', { instance: row.id, since, at })];
    });
}

/** A job without a machine has ended, even without an observed end. */
function buildRunEnd(
  state: RunState,
  after: readonly Pick<Machine, keyof SeenMachine | 'tearDown'>[],
  now: Instant,
): readonly EventDraft[] {
  const { submission, end, observation } = state;
  if (submission === null || end !== null) return [];
  const its = after.filter(({ jobId }) => jobId === submission.jobId);
  const isGone = its.length > 0 && its.every(({ status }) => status === 'gone');
  const last = its.at(-1);
  const reason = last?.tearDown?.reason ?? null;
  const isKnownGone = state.rental.machines.some(
    ({ instance, status }) => instance === last?.instance && status === 'gone',
  );
  if (!isGone || (reason === null && !isKnownGone)) return [];
  const data: EventDataByType['ended'] = {
    attempt: submission.attempt,
    status: state.stop !== null || reason === 'asked' ? 'STOPPED' : 'FAILED',
    message: endMessage(reason),
    errorType: reason === null ? 'MACHINE_GONE' : 'MACHINE_DESTROYED',
    exitCode: null,
    ...(last?.machine === undefined ? {} : { engineDetails: { machine: last.machine } }),
    startedAt: observation?.course?.runningSince ?? null,
    endedAt: toRfc3339(now),
    lastStep: observation?.stepIsExact === true ? observation.step : null,
    totalSteps: observation?.totalSteps ?? null,
    metrics: {},
    trackers: observation?.trackers ?? [],
    signatures: observation?.signatures ?? [],
    checkpointStep: observation?.checkpointStep ?? null,
    ...diagnosisForTearDown(reason),
    fence: state.fence,
  };
  return [{ type: 'ended', role: 'watch', data }];
}

/** Without an observed end, the machine was lost or the job stalled. A limit or a person's request needs no diagnosis. */
function diagnosisForTearDown(reason: TearDownReason | null): Pick<EventDataByType['ended'], 'diagnosis'> {
  if (reason !== null && reason !== 'idle') return {};
  const failure = reason === null ? 'bad-node' : 'stalled';
  const response = FIRST_RESPONSE[failure];
  const evidence = [endMessage(reason)];
  return { diagnosis: { class: failure, confidence: 'medium', response, place: null, error: null, evidence } };
}

function endMessage(reason: TearDownReason | null): string {
  return reason === null
    ? 'its machine is gone from the account, and nobody saw how the job ended'
    : `its machine was destroyed: ${TEAR_DOWN_WHY[reason]}`;
}

function isReportedSince(state: RunState, code: Parameters<typeof filterIncidents>[1], sinceMs: number): boolean {
  return filterIncidents(state.incidents, code).some(({ at }) => (fromRfc3339(at) ?? 0) >= sinceMs);
}
