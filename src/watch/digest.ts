/** Decides which observations become entries: changes, incidents, and otherwise one digest in half an hour. */

import type { EventDataByType, EventDraft, EventOf } from '../domain/logbook/define.ts';
import { currentJobState } from '../domain/logbook/job-state.ts';
import { applyObserved } from '../domain/logbook/observed-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, toRfc3339 } from '../domain/values.ts';
import { extendLease } from './cadence.ts';
import { LOSSES_MAX, thinEvenly } from './training.ts';

/** Each entry is a push, and GitHub recommends at most six a minute for a repository. */
const DIGEST_PERIOD_MS = 30 * 60_000;
/** A turn of the watch can take this long. A watch counts as silent after twice the sum, 65 minutes. */
const TURN_MS = 150_000;

type Folded = 'observation' | 'trace' | 'losses' | 'paces' | 'fence' | 'firstEval' | 'firstTracker';

/** What a process knows beyond the recorded observation `base`. */
export type Unrecorded = { readonly base: number | null; readonly after: Pick<RunState, Folded> };

/** The state with the unrecorded observations of this process. Another process reads them again from the job's log. */
export function withUnrecorded(state: RunState, unrecorded: Unrecorded | undefined): RunState {
  const isNewer =
    unrecorded !== undefined &&
    unrecorded.base === (state.observation?.seq ?? null) &&
    unrecorded.after.observation?.attempt === state.submission?.attempt;
  return isNewer ? { ...state, ...unrecorded.after } : state;
}

/** One poll. `state`: `recorded` with the unrecorded observations. `isEach`: whether the policy asks for an entry at every check. */
type Polled = {
  readonly recorded: RunState;
  readonly state: RunState;
  readonly drafts: readonly EventDraft[];
  readonly at: Instant;
  readonly isEach: boolean;
};

/** The events to record now, none if nothing changed, and what this process has to remember. */
export function digested({ recorded, state, drafts, at, isEach }: Polled): {
  readonly drafts: readonly EventDraft[];
  readonly unrecorded: Unrecorded | null;
} {
  const [first, ...others] = drafts;
  if (first?.type !== 'observed') return { drafts, unrecorded: null };
  const data = isEach ? first.data : untilDigest(first.data, at);
  const seq = recorded.head.seq + 1;
  const { observation, trace, losses, paces, fence, firstEval, firstTracker } = applyObserved(state, {
    ...{ data, seq, at: toRfc3339(at) },
  } as EventOf<'observed'>);
  const after = { observation, trace, losses, paces, fence, firstEval, firstTracker };
  const last = recorded.observation;
  const isDue =
    isEach ||
    last === null ||
    others.length > 0 ||
    standing(recorded) !== standing({ ...recorded, ...after }) ||
    at + data.cadenceMs > (fromRfc3339(last.at) ?? 0) + DIGEST_PERIOD_MS;
  return {
    drafts: isDue ? [{ ...first, data: withLosses(data, losses, recorded) }, ...others] : [],
    unrecorded: { base: isDue ? seq : last.seq, after },
  };
}

/** The entry has the losses of the checks since the last entry, thinned as those of one check are. */
function withLosses(
  data: EventDataByType['observed'],
  losses: RunState['losses'],
  recorded: RunState,
): EventDataByType['observed'] {
  const known = new Set(recorded.losses);
  const fresh = losses.filter((point) => !known.has(point));
  return fresh.length === 0 ? data : { ...data, losses: [...thinEvenly(fresh, LOSSES_MAX)] };
}

/** The entry also renews the lease, which therefore lasts until the next one. */
function untilDigest(data: EventDataByType['observed'], at: Instant): EventDataByType['observed'] {
  const nextEntryMs = Math.max(DIGEST_PERIOD_MS, data.cadenceMs) + TURN_MS;
  return { ...data, nextEntryMs, lease: extendLease(data.lease, at, nextEntryMs) };
}

/** What people and other processes act on; figures such as step and loss are left out. */
function standing(state: RunState): string {
  const { observation } = state;
  if (observation === null) return '';
  const { status, firstStepCompleted, signatures, alarms = [], trackers, evals, resumedFrom } = observation;
  const { unread, lease, otherJobs = [], checkpointStep } = observation;
  return JSON.stringify([
    ...[currentJobState(state), status, firstStepCompleted, signatures, alarms, resumedFrom],
    ...[trackers.map(({ id }) => id), Object.keys(evals), checkpointStep === null],
    ...[unread === undefined, lease.holder, lease.fence, otherJobs.map(({ jobId }) => jobId)],
  ]);
}
