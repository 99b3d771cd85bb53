/** Derives a job's state from all witnesses and their age: the engine's RUNNING does not prove progress. */

import type { JobStatus } from '../engine.ts';
import type { DetectorId } from '../failure-class.ts';
import { filterIncidents } from '../incidents.ts';
import { isFixEvaluated } from '../launch/next-attempt.ts';
import { allPass } from '../launch/verdict.ts';
import { limits } from '../limits.ts';
import { assertNever, fromRfc3339, type Instant } from '../values.ts';
import { awaitsAdoption, awaitsDescription, listHoldings, offerRequest } from './holdings.ts';
import { isOver, listCurrentApprovals, type Observation, type RunState } from './run-state.ts';

/** Whether the run occupies its lane: from a claimable order until it holds nothing. */
export function isLive(state: RunState): boolean {
  return isBilled(state) || (!isOver(state) && state.end === null && state.order?.status === 'open');
}

/** A run that holds something can be neither sealed nor closed. */
export function isBilled(state: RunState): boolean {
  return listHoldings(state).length > 0;
}

/** Clusters where a watch must observe the run's holdings, describe the job to adopt, or search for an offer. */
export function listWatchedClusters(state: RunState): readonly string[] {
  const { adopts } = state.proposal;
  const asked = adopts !== undefined && awaitsDescription(state) ? [adopts.cluster] : [];
  const offer = offerRequest(state);
  const shopped = offer === null ? [] : [offer.cluster];
  return [...asked, ...shopped, ...listHoldings(state).flatMap((held) => ('cluster' in held ? [held.cluster] : []))];
}

export type JobPlace = { readonly jobId: string; readonly cluster: string };

/** The run that this job belongs to, or null. Includes runs that are over, and orders without a job so far. */
export function findHolder(runs: readonly RunState[], { jobId, cluster }: JobPlace): RunState | null {
  return runs.find((state) => watchesJob(state, jobId, cluster)) ?? null;
}

function watchesJob(state: RunState, jobId: string, cluster: string): boolean {
  const { proposal, submission, order, attempts } = state;
  const { adopts } = proposal;
  if (adopts?.jobId === jobId && adopts.cluster === cluster)
    return !isOver(state) && (awaitsAdoption(state) || isLive(state) || state.end !== null);
  const ours = [submission, ...attempts.map((past) => past.submission)];
  return (
    ours.some((one) => one !== null && one.jobId === jobId && one.cluster === cluster) ||
    order?.order.submissionId === jobId
  );
}

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

/** The newest report of each witness; null if the witness has not reported or does not exist. */
export type Witnesses = {
  /** `lost`: the engine forgot the job or reports that it does not exist. */
  readonly engine: { readonly at: Instant; readonly says: JobStatus | 'UNKNOWN' | 'lost' } | null;
  /** `at`: the newest observation that could read the log. */
  readonly log: { readonly at: Instant | null; readonly hasLines: boolean } | null;
  /** `at`: the newest observation with a new step or loss. */
  readonly progress: { readonly at: Instant } | null;
  /** `at`: the newest answer; `movedAt`: the newest answer with a new step. */
  readonly tracker: { readonly at: Instant | null; readonly movedAt: Instant | null } | null;
  readonly checkpoint: { readonly at: Instant | null; readonly step: number } | null;
  /** The newest observation's failure signatures and active alarms. */
  readonly signs: { readonly signatures: readonly string[]; readonly alarms: readonly string[] };
  /** The watch's last entry, and when it expects the next one. */
  readonly watch: { readonly at: Instant; readonly nextWithinMs: number } | null;
};

/** How long a watch may be silent: twice its cadence, and longer than its lease. */
export function allowedSilenceMs(nextWithinMs: number): number {
  return Math.max(2 * nextWithinMs, nextWithinMs + limits.leaseSlackMs);
}

/** Alarms about the current state; the others report past events. */
const STATUS_PRECEDENCE: ReadonlySet<string> = new Set<DetectorId>([
  'stalled-steps',
  'stalled-start',
  'throughput-collapse',
  'checkpoint-stalled',
  'evals-stalled',
  'checkpoint-missing',
  'low-utilisation',
]);

/**
 * State of a submitted job that has not ended. `allocated`: running, empty log. `compiling`: log output, no step yet. `degraded`: no more
 * steps, much slower, or a failure signature. `unknown`: engine and log do not answer, or the watch is silent.
 */
export function decideJobState(witnesses: Witnesses, now: Instant): Exclude<JobState, `ended-${string}`> {
  const { engine, log, watch, progress, tracker, signs } = witnesses;
  if (engine === null || watch === null) return 'submitted';
  if (engine.says === 'lost') return 'state-lost';
  if (now - watch.at > allowedSilenceMs(watch.nextWithinMs)) return 'unknown';
  if (engine.says === 'UNKNOWN') return 'unknown';
  if (engine.says === 'PENDING') return 'pending';
  if (signs.signatures.length > 0 || signs.alarms.some((one) => STATUS_PRECEDENCE.has(one))) return 'degraded';
  const movedAt = laterInstant(progress?.at ?? null, tracker?.movedAt ?? null);
  if (movedAt === null) return log?.hasLines === true ? 'compiling' : 'allocated';
  // By the newest observation: until the next one, nothing can be seen.
  const isLogDark = watch.at - (log?.at ?? 0) >= limits.engineUnreadMs;
  return isLogDark && watch.at - movedAt >= limits.engineUnreadMs ? 'unknown' : 'stepping';
}

function laterInstant(one: Instant | null, other: Instant | null): Instant | null {
  return one === null ? other : other === null || one > other ? one : other;
}

/** Reads the newest attempt's witnesses from the record. */
export function collectWitnesses(state: RunState): Witnesses {
  const { observation: seen } = state;
  if (seen === null) return NO_WITNESS;
  const at = parseTime(seen.at);
  const { course, unread, tracker } = seen;
  // If the log or the job is unreadable, use the time of the first failed observation in a row.
  const readAt = unread === undefined ? at : parseTime(unread.since);
  // Step 0 can also be the first step of another epoch.
  const hasTrained = seen.step === null ? seen.loss !== null : seen.step > 0 || (course?.moved?.observations ?? 0) > 1;
  return {
    engine: at === null ? null : { at, says: isJobLost(state, seen) ? 'lost' : seen.status },
    log: { at: readAt, hasLines: seen.logOffset > 0 },
    progress: hasTrained && at !== null ? { at: parseTime(course?.moved?.at) ?? at } : null,
    tracker:
      tracker === undefined ? null : { at: parseTime(tracker.last?.readAt), movedAt: parseTime(tracker.last?.movedAt) },
    checkpoint: seen.checkpointStep === null ? null : { at: parseTime(course?.saved?.at), step: seen.checkpointStep },
    signs: { signatures: seen.signatures, alarms: seen.alarms ?? [] },
    watch: at === null ? null : { at, nextWithinMs: seen.nextEntryMs ?? seen.cadenceMs },
  };
}

const NO_WITNESS: Witnesses = {
  engine: null,
  log: null,
  progress: null,
  tracker: null,
  checkpoint: null,
  signs: { signatures: [], alarms: [] },
  watch: null,
};

function parseTime(time: string | null | undefined): Instant | null {
  return time == null ? null : fromRfc3339(time);
}

function isJobLost({ incidents, submission }: RunState, { status }: Observation): boolean {
  if (status !== 'UNKNOWN') return false;
  return filterIncidents(incidents, 'engine-state-lost').some(
    ({ detail }) => (detail.attempt ?? 1) === (submission?.attempt ?? 1),
  );
}

/** The newest attempt's state at the time of the newest record entry. */
export function currentJobState(state: RunState): JobState {
  const { end, head, observation } = state;
  if (end !== null) return ENDED[end.status];
  const now = parseTime(head.at) ?? parseTime(observation?.at);
  return now === null ? 'submitted' : decideJobState(collectWitnesses(state), now);
}

const ENDED = { SUCCEEDED: 'ended-succeeded', FAILED: 'ended-failed', STOPPED: 'ended-stopped' } as const;

/** Lifecycle stages as shown to people (docs/architecture.md, What ferrybot is). */
export const PHASES = [
  'proposed',
  'gated',
  'approved',
  'ordered',
  'submitted',
  'stepping',
  'degraded',
  'ended',
  'sealed',
  'closed',
] as const;
export type Phase = (typeof PHASES)[number];

/** The run's stage, or that of a fix after a failed attempt. `degraded` includes a job that cannot be observed. */
export function runPhase(state: RunState): Phase {
  if (state.seal !== null) return 'sealed';
  if (state.closed !== null) return 'closed';
  if (state.end !== null && !isFixEvaluated(state)) return 'ended';
  if (state.submission !== null && state.end === null) return jobPhase(state);
  if (state.order !== null && (state.order.status === 'open' || state.order.status === 'claimed')) return 'ordered';
  if (listCurrentApprovals(state).length > 0) return 'approved';
  return state.gate !== null && allPass(state.gate.verdicts) ? 'gated' : 'proposed';
}

/** Coarser than the job state, because each change edits the card. */
function jobPhase(state: RunState): Phase {
  const job = currentJobState(state);
  switch (job) {
    case 'submitted':
    case 'pending':
    case 'allocated':
    case 'compiling':
      return 'submitted';
    case 'stepping':
      return 'stepping';
    case 'degraded':
    case 'unknown':
    case 'state-lost':
      return 'degraded';
    case 'ended-succeeded':
    case 'ended-failed':
    case 'ended-stopped':
      return 'ended';
    default:
      return assertNever(job);
  }
}
