/** Resources that a run holds according to its record, each until it is proven gone. */

import type { Actor } from '../actor.ts';
import type { RentalTerms } from '../launch/manifest.ts';
import {
  addMs,
  brandAs,
  type Digest,
  fromRfc3339,
  type Instant,
  isDigest,
  isInstant,
  isSha,
  type Sha,
} from '../values.ts';
import type { EventDataByType } from './define.ts';
import type { Machine } from './events/rental-events.ts';
import { type Description, isOver, type RunState, type Submission } from './run-state.ts';

/** Default time for a person to confirm the adoption: a weekend. */
export const ADOPTION_WAIT_MS = 72 * 60 * 60 * 1_000;

const ZEROS = '0'.repeat(64);
/** Placeholder digest of an order and an approval. */
export const NO_ORDER: Digest = brandAs(`sha256:${ZEROS}`, isDigest);
/** Placeholder for an unknown commit; git's null id. */
export const NO_COMMIT: Sha = brandAs(ZEROS.slice(0, 40), isSha);

/** Whether another person's job waits for its adoption. Until then, its log is not read and nothing is launched. */
export function awaitsAdoption({ proposal, submission, attempts }: RunState): boolean {
  return proposal.adopts !== undefined && submission === null && attempts.length === 0;
}

/** Whether a watch must still ask the cluster to describe the job to adopt. */
export function awaitsDescription(state: RunState): boolean {
  const found = state.description?.found ?? 'unknown';
  return found === 'unknown' && awaitsAdoption(state) && !isOver(state);
}

/**
 * When the wait for an adoption ends: `hours` (null: the default) after the cluster described the job, or after the proposal. Null if the
 * run does not wait for one.
 */
export function awaitsAdoptionUntil(state: RunState, hours: number | null): Instant | null {
  if (!awaitsAdoption(state) || isOver(state)) return null;
  const { description, proposedAt } = state;
  const since = fromRfc3339(description?.found === 'described' ? description.at : proposedAt);
  return since === null ? null : addMs(since, hours === null ? ADOPTION_WAIT_MS : hours * HOUR_MS);
}

const HOUR_MS = 3_600_000;

/** Whether the current job is an adopted one, not an attempt by ferrybot. */
export function isAdopted({ submission }: Pick<RunState, 'submission'>): boolean {
  return submission?.orderDigest === NO_ORDER;
}

/** The person who confirmed the adoption becomes the owner. */
export function adoptJob(
  state: RunState,
  { actor, ...moment }: { readonly actor: Actor; readonly at: string; readonly seq: number },
): RunState {
  const { description, proposal } = state;
  if (description === null || proposal.adopts === undefined)
    throw new Error('an adoption of nothing passed the transition check');
  const submission = { ...buildSubmission(description, proposal.adopts), ...moment };
  return { ...state, submission, order: buildOrder(state, submission), watch: { ...state.watch, owner: actor } };
}

function buildSubmission(
  { engine, entrypoint, commit, session, urls }: Description,
  { jobId, cluster }: NonNullable<RunState['proposal']['adopts']>,
): EventDataByType['submitted'] {
  return {
    orderDigest: NO_ORDER,
    attempt: 1,
    engine,
    jobId,
    cluster,
    command: entrypoint === null ? [] : entrypoint.split(' '),
    commit: commit ?? NO_COMMIT,
    adopted: true,
    urls,
    details: session === null ? {} : { session },
  };
}

/** Claimed and submitted, without manifest or approval, so it has no cost and allows no relaunch. */
function buildOrder({ run, proposal }: RunState, { at, seq, jobId }: Submission): RunState['order'] {
  return {
    order: {
      v: 1,
      run,
      repository: proposal.repository,
      pull: proposal.pull,
      commit: NO_COMMIT,
      digest: NO_ORDER,
      attempt: 1,
      submissionId: jobId,
      approvals: [],
      issuedAt: at,
      expiresAt: at,
    },
    digest: NO_ORDER,
    status: 'submitted',
    manifest: null,
    at,
    seq,
    claim: { orderDigest: NO_ORDER, attempt: 1, workflowRun: 0, engineSession: '', at },
  };
}

const MS_OF_MINUTE = 60_000;
const MS_OF_HOUR = 60 * MS_OF_MINUTE;

/**
 * The run's rental terms, or null. The previous attempt's terms apply until the runner claims an order and verifies its manifest.
 * Therefore, control cannot extend a rental without the runner.
 */
export function rentalTerms({ order, attempts }: Pick<RunState, 'order' | 'attempts'>): RentalTerms | null {
  const held = order?.claim == null ? (attempts.at(-1)?.order ?? order) : order;
  return held?.manifest?.envelope.rental ?? null;
}

/**
 * The gated manifest that still needs an offer search, and the cluster where a watch searches; null if there is none. Each manifest gets
 * one search.
 */
export function offerRequest(
  state: Pick<RunState, 'gate' | 'order' | 'rental' | 'seal' | 'closed'>,
): { readonly digest: Digest; readonly cluster: string } | null {
  const { gate, order, rental } = state;
  if (gate?.manifest?.envelope.rental === undefined || gate.digest === null || order !== null) return null;
  if (isOver(state) || rental.offer?.digest === gate.digest) return null;
  return { digest: gate.digest, cluster: gate.manifest.cluster };
}

/** A job id that labels of rented machines may contain. `endedAt` as recorded. */
export type RentedJob = {
  readonly jobId: string;
  readonly cluster: string;
  readonly attempt: number;
  readonly endedAt: string | null;
};

/** Jobs of all attempts, starting from the claim, which is pushed before any rental. */
export function rentedJobs({ attempts, order, submission, end }: RunState): readonly RentedJob[] {
  const past = attempts.map((one) => toRentedJob(one.submission, one.end.at));
  if (submission !== null) return [...past, toRentedJob(submission, end?.at ?? null)];
  if (order === null || order.claim === null || order.manifest === null) return past;
  const { submissionId: jobId, attempt } = order.order;
  const endedAt = order.status === 'failed' ? order.claim.at : null;
  return [...past, { jobId, attempt, cluster: order.manifest.cluster, endedAt }];
}

function toRentedJob({ jobId, cluster, attempt }: Submission, endedAt: string | null): RentedJob {
  return { jobId, cluster, attempt, endedAt };
}

/** Machines that a complete listing showed and that no later listing reported as gone. */
export function presentMachines({ rental }: Pick<RunState, 'rental'>): readonly Machine[] {
  return rental.machines.filter(({ status }) => status !== 'gone');
}

/** Whether an unlisted machine may exist: the account was not read since the run's last job ended. */
export function mayHaveUnlistedMachine({ rental, end, submission, attempts }: RunState): boolean {
  const ended = submission === null ? attempts.at(-1)?.end : end;
  return ended != null && (rental.lastListing === null || rental.lastListing.seq < ended.seq);
}

/** Cost of the run's machines up to the newest observation, in millionths of a dollar. */
export function sumMicrodollars({ rental }: Pick<RunState, 'rental'>): number {
  return rental.machines.reduce((sum, { microdollars }) => sum + microdollars, 0);
}

/** Longest time between two listings, which bounds the unnoticed cost of a machine. */
export const RENTAL_CHECK_MS = 10 * MS_OF_MINUTE;

/**
 * When to list the account next, in Unix ms; 0 (immediately) after a new end, stop or request. Otherwise at the recorded cadence,
 * at most `RENTAL_LOOK_MS` after the last listing.
 */
export function rentalDueAtMs(state: RunState): number {
  const { rental, end, stop } = state;
  const { lastListing, keepRequest, tearDownRequest } = rental;
  if (lastListing === null) return 0;
  const newest = Math.max(end?.seq ?? 0, stop?.seq ?? 0, keepRequest?.seq ?? 0, tearDownRequest?.seq ?? 0);
  return newest > lastListing.seq
    ? 0
    : (fromRfc3339(lastListing.at) ?? 0) + Math.min(lastListing.cadenceMs, RENTAL_CHECK_MS);
}

/** The latest time a person can keep the machines until; null if the run rents nothing. */
export function keepLatestMs(state: RunState, now: Instant): Instant | null {
  const terms = rentalTerms(state);
  if (terms === null) return null;
  const { keepHoursMax, hoursMax, endMinutesMax } = terms;
  const madeAt = presentMachines(state).map(({ createdAt }) => fromRfc3339(createdAt) ?? now);
  const endedAt = fromRfc3339(state.end?.at ?? '');
  const latest = [
    addMs(now, keepHoursMax * MS_OF_HOUR),
    ...madeAt.map((made) => addMs(made, hoursMax * MS_OF_HOUR)),
    ...(endedAt === null ? [] : [addMs(endedAt, endMinutesMax * MS_OF_MINUTE)]),
  ];
  return brandAs(Math.min(...latest), isInstant);
}

/** The watch of a holding's `cluster` observes it. */
export type Holding =
  /** Claimed by the runner with unknown result: a job may exist. */
  | { readonly kind: 'launch'; readonly submissionId: string }
  /** Submitted, end not observed. */
  | { readonly kind: 'job'; readonly cluster: string; readonly jobId: string }
  /** Rented, not yet observed gone; `instance` null: the account was not read since the job ended. */
  | { readonly kind: 'machine'; readonly cluster: string; readonly instance: number | null };

/** Empty after a person closed the run as *lost*. */
export function listHoldings(state: RunState): readonly Holding[] {
  if (state.closed?.outcome === 'lost') return [];
  return [...listLaunchOrJob(state), ...listMachines(state)];
}

function listLaunchOrJob({ order, submission, end }: RunState): readonly Holding[] {
  if (submission === null)
    return order?.status === 'claimed' ? [{ kind: 'launch', submissionId: order.order.submissionId }] : [];
  return end === null ? [{ kind: 'job', cluster: submission.cluster, jobId: submission.jobId }] : [];
}

/** Includes machines of earlier attempts, which are billed until they are gone. */
function listMachines(state: RunState): readonly Holding[] {
  if (rentalTerms(state) === null) return [];
  const jobs = rentedJobs(state);
  const cluster = jobs.at(-1)?.cluster;
  if (cluster === undefined) return [];
  const seen = presentMachines(state).map(({ instance, jobId }) => {
    const where = jobs.find((job) => job.jobId === jobId)?.cluster ?? cluster;
    return { kind: 'machine', cluster: where, instance } as const;
  });
  return seen.length === 0 && mayHaveUnlistedMachine(state) ? [{ kind: 'machine', cluster, instance: null }] : seen;
}
