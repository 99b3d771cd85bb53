/** What a run rents by its record: under which terms, which machines are there, what may follow, and when somebody has to look. */

import { branded, type Digest, type Instant, isInstant } from '../ids.ts';
import type { RentalTerms } from '../launch/rental-terms.ts';
import { after, fromRfc3339 } from '../time.ts';
import type { Machine } from './events/rental-events.ts';
import { isOver, type RunState, type Submission } from './run-state.ts';

const MS_OF_MINUTE = 60_000;
const MS_OF_HOUR = 60 * MS_OF_MINUTE;

/**
 * The terms under which the run rents; null where it rents nothing. While an order waits for its runner, who holds its manifest
 * against what was approved, those of the attempt before count: control's word alone keeps no machine longer.
 */
export function rentalTerms({ order, attempts }: Pick<RunState, 'order' | 'attempts'>): RentalTerms | null {
  const held = order?.claim == null ? (attempts.at(-1)?.order ?? order) : order;
  return held?.manifest?.envelope.rental ?? null;
}

/**
 * The manifest whose offer people shall see before they approve it, and the cluster whose watch searches for it; null: none
 * waits. Each manifest has one search, whatever comes of it.
 */
export function offerWanted(
  state: Pick<RunState, 'gate' | 'order' | 'rental' | 'seal' | 'closed'>,
): { readonly digest: Digest; readonly cluster: string } | null {
  const { gate, order, rental } = state;
  if (gate?.manifest?.envelope.rental === undefined || gate.digest === null || order !== null) return null;
  if (isOver(state) || rental.offer?.digest === gate.digest) return null;
  return { digest: gate.digest, cluster: gate.manifest.cluster };
}

/** A job of the run under whose label a machine may be, where that is, and when the record says that it was over. */
export type RentedJob = {
  readonly jobId: string;
  readonly cluster: string;
  readonly attempt: number;
  readonly endedAt: string | null;
};

/** Those of all attempts, from the claim on, which is pushed before anything is rented. */
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

/** Machines that a whole read has shown and none has shown gone. */
export function presentMachines({ rental }: Pick<RunState, 'rental'>): readonly Machine[] {
  return rental.machines.filter(({ status }) => status !== 'gone');
}

/** Whether a machine may be there that no whole read has shown: the account was not read since the last job of the run ended. */
export function isUnseen({ rental, end, submission, attempts }: RunState): boolean {
  const ended = submission === null ? attempts.at(-1)?.end : end;
  return ended != null && (rental.look === null || rental.look.seq < ended.seq);
}

/** Millionths of a dollar that all machines of the run have cost until the newest look. */
export function microdollarsOf({ rental }: Pick<RunState, 'rental'>): number {
  return rental.machines.reduce((sum, { microdollars }) => sum + microdollars, 0);
}

/** The longest time between two looks at an account that rents machines: one that stops is billed for so long and no longer. */
export const RENTAL_LOOK_MS = 10 * MS_OF_MINUTE;

/** When the account is to be looked at for this run: at once where something has happened since the last look, and never later than looks are made, whatever the record says of the next one. */
export function rentalDueAtMs(state: RunState): number {
  const { rental, end, stop } = state;
  const { look, keep, asked } = rental;
  if (look === null) return 0;
  const newest = Math.max(end?.seq ?? 0, stop?.seq ?? 0, keep?.seq ?? 0, asked?.seq ?? 0);
  return newest > look.seq ? 0 : (fromRfc3339(look.at) ?? 0) + Math.min(look.cadenceMs, RENTAL_LOOK_MS);
}

/**
 * Until when somebody may have the machines kept who asks now: by how long that may be asked for, by the longest life of each,
 * and by when each ends itself after its job. Null where the run rents nothing.
 */
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
