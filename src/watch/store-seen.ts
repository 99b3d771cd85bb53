/** What the stores of the checkpoints say at a look, beside what the log calls saved and what they said before. */

import type { Evidence } from '../detectors/evidence.ts';
import type { Instant } from '../domain/ids.ts';
import type { StoreSeen } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { present } from '../domain/present.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { type Look, redactAndTruncate } from './look.ts';

type Last = NonNullable<StoreSeen['last']>;

/** Between two listings: as far apart as the usual looks, and no nearer while the job is looked at more often. */
const LOOK_PERIOD_MS = 9 * 60_000;

/** Whether it is time to ask them. */
export function isStoreDue({ observation }: Pick<RunState, 'observation'>, now: Instant): boolean {
  const askedAt = fromRfc3339(observation?.store?.askedAt ?? '');
  return askedAt === null || now - askedAt >= LOOK_PERIOD_MS;
}

/** As it is recorded; undefined where nobody has asked them yet. */
export function storeSeenOf(state: RunState, look: Look): StoreSeen | undefined {
  const { stored } = look;
  const before = state.observation?.store;
  if (stored === undefined) return before;
  const askedAt = toRfc3339(look.at);
  if (stored.kind === 'unknown')
    return present({ askedAt, unread: redactAndTruncate(look, stored.why), last: before?.last });
  const { newest, partial } = stored.value;
  const last = present({
    readAt: askedAt,
    newest: newest === null ? null : { step: newest.step, writtenAt: toRfc3339(newest.writtenAt) },
    partial: partial === null ? undefined : { step: partial, since: sinceOf(before, partial, askedAt) },
    missing: missingOf(state, newest?.step ?? null, askedAt),
  });
  return { askedAt, last };
}

function sinceOf(before: StoreSeen | undefined, step: number, now: string): string {
  const known = before?.last?.partial;
  return known?.step === step ? known.since : now;
}

/** A listing of the same moment may be older than the line: what counts is what the look before had read already. */
function missingOf({ observation }: RunState, newest: number | null, now: string): Last['missing'] {
  const claimed = observation?.checkpointStep ?? null;
  if (claimed === null || (newest !== null && newest >= claimed)) return undefined;
  const before = observation?.store?.last?.missing;
  return { step: claimed, since: before?.since ?? now, answers: (before?.answers ?? 0) + 1 };
}

/** What the detectors may know of it. Whole checkpoints that an attempt before has left count from where this one began to step. */
export function storedEvidence(
  seen: StoreSeen | undefined,
  steppingSince: Instant | null,
): Pick<Evidence, 'isStoreRead' | 'unstored'> & {
  readonly saved: Pick<NonNullable<Evidence['saved']>, 'step' | 'at'> | null;
  readonly savingSince: Instant | null;
} {
  const last = seen?.last;
  const isStoreRead = seen === undefined ? null : seen.unread === undefined && last !== undefined;
  if (last === undefined || isStoreRead !== true)
    return { isStoreRead, unstored: null, saved: null, savingSince: null };
  const { newest, partial, missing } = last;
  const writtenAt = fromRfc3339(newest?.writtenAt ?? '');
  const since = fromRfc3339(missing?.since ?? '');
  return {
    isStoreRead,
    saved:
      newest === null || writtenAt === null
        ? null
        : { step: newest.step, at: laterOf(writtenAt, steppingSince) },
    savingSince: partial === undefined ? null : fromRfc3339(partial.since),
    unstored:
      missing === undefined || since === null
        ? null
        : { step: missing.step, newest: newest?.step ?? null, since, answers: missing.answers },
  };
}

function laterOf(one: Instant, other: Instant | null): Instant {
  return other !== null && other > one ? other : one;
}
