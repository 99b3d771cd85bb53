/** What a run rents according to its record. */

import type { RentalTerms } from '../launch/manifest.ts';
import { after, branded, type Digest, fromRfc3339, type Instant, isInstant } from '../values.ts';
import type { Machine } from './events/rental-events.ts';
import { isOver, type RunState, type Submission } from './run-state.ts';

const MS_OF_MINUTE = 60_000;
const MS_OF_HOUR = 60 * MS_OF_MINUTE;

/**
 * The run's rental terms, or null. Until the runner claims an order and verifies its manifest, the previous attempt's terms apply: control
 * alone cannot extend a rental.
 */
export function rentalTerms({ order, attempts }: Pick<RunState, 'order' | 'attempts'>): RentalTerms | null {
  const held = order?.claim == null ? (attempts.at(-1)?.order ?? order) : order;
  return held?.manifest?.envelope.rental ?? null;
}

/**
 * The unapproved manifest that needs an offer search, and the cluster whose watch searches; null if there is none. Each manifest gets one
 * search.
 */
export function offerWanted(
  state: Pick<RunState, 'gate' | 'order' | 'rental' | 'seal' | 'closed'>,
): { readonly digest: Digest; readonly cluster: string } | null {
  const { gate, order, rental } = state;
  if (gate?.manifest?.envelope.rental === undefined || gate.digest === null || order !== null) return null;
  if (isOver(state) || rental.offer?.digest === gate.digest) return null;
  return { digest: gate.digest, cluster: gate.manifest.cluster };
}

/** A job that machines may be labelled with; `endedAt` as recorded. */
export type RentedJob = {
  readonly jobId: string;
  readonly cluster: string;
  readonly attempt: number;
  readonly endedAt: string | null;
};

/** Jobs of all attempts, starting from the claim, which is pushed before any rental. */
export function rentedJobs({ attempts, order, submission, end }: RunState): readonly RentedJob[] {
  const past = attempts.map((one) => jobOf(one.submission, one.end.at));
  if (submission !== null) return [...past, jobOf(submission, end?.at ?? null)];
  if (order === null || order.claim === null || order.manifest === null) return past;
  const { submissionId: jobId, attempt } = order.order;
  const endedAt = order.status === 'failed' ? order.claim.at : null;
  return [...past, { jobId, attempt, cluster: order.manifest.cluster, endedAt }];
}

function jobOf({ jobId, cluster, attempt }: Submission, endedAt: string | null): RentedJob {
  return { jobId, cluster, attempt, endedAt };
}

/** Machines that a complete listing has shown, and none has shown gone. */
export function presentMachines({ rental }: Pick<RunState, 'rental'>): readonly Machine[] {
  return rental.machines.filter(({ status }) => status !== 'gone');
}

/** Whether an unlisted machine may exist: the account was not read since the run's last job ended. */
export function isUnseen({ rental, end, submission, attempts }: RunState): boolean {
  const ended = submission === null ? attempts.at(-1)?.end : end;
  return ended != null && (rental.look === null || rental.look.seq < ended.seq);
}

/** Cost of the run's machines up to the newest observation, in millionths of a dollar. */
export function microdollarsOf({ rental }: Pick<RunState, 'rental'>): number {
  return rental.machines.reduce((sum, { microdollars }) => sum + microdollars, 0);
}

/** Longest time between two listings, which bounds the unnoticed cost of a machine. */
export const RENTAL_LOOK_MS = 10 * MS_OF_MINUTE;

/**
 * When to list the account next: immediately after a new end, stop or request, and at the latest after `RENTAL_LOOK_MS`, whatever the
 * record states.
 */
export function rentalDueAtMs(state: RunState): number {
  const { rental, end, stop } = state;
  const { look, keep, asked } = rental;
  if (look === null) return 0;
  const newest = Math.max(end?.seq ?? 0, stop?.seq ?? 0, keep?.seq ?? 0, asked?.seq ?? 0);
  return newest > look.seq ? 0 : (fromRfc3339(look.at) ?? 0) + Math.min(look.cadenceMs, RENTAL_LOOK_MS);
}

/** The latest time a person can keep the machines until; null if the run rents nothing. */
export function keepLatestMs(state: RunState, now: Instant): Instant | null {
  const terms = rentalTerms(state);
  if (terms === null) return null;
  const { keepHoursMax, hoursMax, endMinutesMax } = terms;
  const madeAt = presentMachines(state).map(({ createdAt }) => fromRfc3339(createdAt) ?? now);
  const endedAt = fromRfc3339(state.end?.at ?? '');
  const latest = [
    after(now, keepHoursMax * MS_OF_HOUR),
    ...madeAt.map((made) => after(made, hoursMax * MS_OF_HOUR)),
    ...(endedAt === null ? [] : [after(endedAt, endMinutesMax * MS_OF_MINUTE)]),
  ];
  return branded(Math.min(...latest), isInstant);
}
