/** In which state a job is, by what each of its witnesses has said and how long ago: RUNNING alone never means that it makes steps. */

import type { DetectorId } from '../detector-ids.ts';
import type { JobStatus } from '../engine.ts';
import type { Instant } from '../ids.ts';
import { incidentsWith } from '../incidents.ts';
import { limits } from '../limits.ts';
import { fromRfc3339 } from '../time.ts';
import type { Observation, RunState } from './run-state.ts';

export const JOB_STATES = [
  'submitted',
  'pending',
  'allocated',
  'compiling',
  'stepping',
  'degraded',
  'ended-succeeded',
  'ended-failed',
  'ended-stopped',
  'state-lost',
  'unknown',
] as const;
export type JobState = (typeof JOB_STATES)[number];

/** What each has said last, and when; null of one that has not said anything yet, or that nobody asks. */
export type Witnesses = {
  /** `lost`: it has forgotten the job, or positively has none. */
  readonly engine: { readonly at: Instant; readonly says: JobStatus | 'UNKNOWN' | 'lost' } | null;
  /** `at`: the newest look that could read it. */
  readonly log: { readonly at: Instant | null; readonly hasLines: boolean } | null;
  /** `at`: the newest look that saw a step or a loss move. */
  readonly progress: { readonly at: Instant } | null;
  /** `at`: the newest look that it answered; `movedAt`: the newest that saw its step move. Null where nobody asks it. */
  readonly tracker: { readonly at: Instant | null; readonly movedAt: Instant | null } | null;
  readonly checkpoint: { readonly at: Instant | null; readonly step: number } | null;
  /** What the newest look found wrong: signatures of failures, and alarms that stand. */
  readonly trouble: { readonly signatures: readonly string[]; readonly alarms: readonly string[] };
  /** The watch's own sign of life, and when it wanted to look again. */
  readonly watch: { readonly at: Instant; readonly nextWithinMs: number } | null;
};

/** How long a watch may be silent that said when it looks again: two such times, and longer than its lease lasts. */
export function silenceAllowedMs(nextWithinMs: number): number {
  return Math.max(2 * nextWithinMs, nextWithinMs + limits.leaseSlackMs);
}

/** Alarms that say how the job is now; the others tell of something that has happened. */
const STANDING: ReadonlySet<string> = new Set<DetectorId>([
  'stalled-steps',
  'stalled-start',
  'throughput-collapse',
  'checkpoint-stalled',
  'checkpoint-missing',
  'low-utilisation',
]);

/**
 * The state of a job that was submitted and has not ended. `allocated`: it runs and its log is empty; `compiling`: it says
 * something and has made no step; `degraded`: it makes none any more, is much slower than it was, or shows a failure;
 * `unknown`: nobody sees it, because engine and log do not answer, or because the watch is silent.
 */
export function jobStateBy(witnesses: Witnesses, now: Instant): Exclude<JobState, `ended-${string}`> {
  const { engine, log, watch, progress, tracker, trouble } = witnesses;
  if (engine === null || watch === null) return 'submitted';
  if (engine.says === 'lost') return 'state-lost';
  if (now - watch.at > silenceAllowedMs(watch.nextWithinMs)) return 'unknown';
  if (engine.says === 'UNKNOWN') return 'unknown';
  if (engine.says === 'PENDING') return 'pending';
  if (trouble.signatures.length > 0 || trouble.alarms.some((one) => STANDING.has(one))) return 'degraded';
  const movedAt = newest(progress?.at ?? null, tracker?.movedAt ?? null);
  if (movedAt === null) return log?.hasLines === true ? 'compiling' : 'allocated';
  const isLogDark = now - (log?.at ?? 0) >= limits.engineUnreadMs;
  return isLogDark && now - movedAt >= limits.engineUnreadMs ? 'unknown' : 'stepping';
}

function newest(one: Instant | null, other: Instant | null): Instant | null {
  return one === null ? other : other === null || one > other ? one : other;
}

/** What the witnesses of the newest attempt have said, by the record. */
export function witnessesOf(state: RunState): Witnesses {
  const { observation: seen } = state;
  if (seen === null) return NOBODY;
  const at = momentOf(seen.at);
  const { course, unread, tracker } = seen;
  // Since the first look in the row it could not be read.
  const readAt = unread === undefined ? at : momentOf(unread.since);
  // The first step of another epoch is step 0 too.
  const hasTrained =
    seen.step === null ? seen.loss !== null : seen.step > 0 || (course?.moved?.looks ?? 0) > 1;
  return {
    engine: at === null ? null : { at, says: isLost(state, seen) ? 'lost' : seen.status },
    log: { at: readAt, hasLines: seen.logOffset > 0 },
    progress: hasTrained && at !== null ? { at: momentOf(course?.moved?.at) ?? at } : null,
    tracker:
      tracker === undefined
        ? null
        : { at: momentOf(tracker.last?.readAt), movedAt: momentOf(tracker.last?.movedAt) },
    checkpoint:
      seen.checkpointStep === null ? null : { at: momentOf(course?.saved?.at), step: seen.checkpointStep },
    trouble: { signatures: seen.signatures, alarms: seen.alarms ?? [] },
    watch: at === null ? null : { at, nextWithinMs: seen.cadenceMs },
  };
}

const NOBODY: Witnesses = {
  engine: null,
  log: null,
  progress: null,
  tracker: null,
  checkpoint: null,
  trouble: { signatures: [], alarms: [] },
  watch: null,
};

function momentOf(time: string | null | undefined): Instant | null {
  return time == null ? null : fromRfc3339(time);
}

function isLost({ incidents, submission }: RunState, { status }: Observation): boolean {
  if (status !== 'UNKNOWN') return false;
  return incidentsWith(incidents, 'engine-state-lost').some(
    ({ detail }) => (detail.attempt ?? 1) === (submission?.attempt ?? 1),
  );
}

/** The state of the newest attempt, when the record was last written. */
export function jobStateOf(state: RunState): JobState {
  const { end, head, observation } = state;
  if (end !== null) return ENDED[end.status];
  const now = momentOf(head.at) ?? momentOf(observation?.at);
  return now === null ? 'submitted' : jobStateBy(witnessesOf(state), now);
}

const ENDED = {
  SUCCEEDED: 'ended-succeeded',
  FAILED: 'ended-failed',
  STOPPED: 'ended-stopped',
} as const;
