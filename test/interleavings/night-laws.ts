// The checker of a night: it uses only calls, recorded events and the fate of jobs, and none of the tested
// decisions.

import { approvalMaxAgeMs } from '../../src/config/approvals-schema.ts';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { CONFIG } from '../run/parts.ts';
import type { Call, Night, NightJob } from './night-world.ts';

/** The laws, in the words of the policy. */
export const LAWS = [
  'two live watches',
  'more relaunches than the budget',
  'a relaunch after NaN',
  'a relaunch after a lineage mismatch',
  'the same manifest after out of memory',
  'the same failure a third time',
  'an action without consent or envelope',
  'an engine call without a pushed intent',
  'two jobs at once',
] as const;
export type Law = (typeof LAWS)[number];

/** Every broken law with its cause; empty if none is broken. */
export function findBrokenLaws(night: Night): readonly string[] {
  const say = (law: Law, what: string): string => `${law}: ${what}`;
  return [
    ...twoWatches(night).map((what) => say('two live watches', what)),
    ...starts(night).flatMap((start) => startFaults(night, start, say)),
    ...night.calls.flatMap((call) => callFaults(night, call, say)),
  ];
}

type Say = (law: Law, what: string) => string;

/** An observation under a lease while another watch's lease is valid, by the record's own times. */
function twoWatches({ record, writers }: Night): readonly string[] {
  const faults: string[] = [];
  let held: { readonly by: string; readonly until: number; readonly attempt: number } | null = null;
  for (const event of record.events) {
    const by = writers.get(event.seq);
    if (by === undefined || (event.type !== 'observed' && event.type !== 'ended')) continue;
    const { attempt } = event.data;
    const at = Date.parse(event.at);
    if (held !== null && held.attempt === attempt && held.by !== by && at < held.until)
      faults.push(`${by} at ${event.at} beside ${held.by}`);
    if (event.type === 'observed') held = { by, attempt, until: Date.parse(event.data.lease.until) };
  }
  return faults;
}

type Start = {
  readonly call: Call;
  readonly job: NightJob;
  readonly digest: string;
  /** Jobs that were started before it, oldest first. */
  readonly before: readonly NightJob[];
  /** Whether a person requested it after the previous attempt had ended. */
  readonly isAsked: boolean;
};

/** The first submission of each job. */
function starts(night: Night): readonly Start[] {
  const calls = [
    ...new Map(
      night.calls
        .filter(({ does }) => does === 'submit')
        .toReversed()
        .map((call) => [call.target, call]),
    ).values(),
  ];
  const sorted = calls.toSorted((a, b) => a.at - b.at);
  return sorted.flatMap((call, index) => {
    const job = night.jobs.get(call.target);
    const before = sorted.slice(0, index).flatMap((one) => night.jobs.get(one.target) ?? []);
    if (job === undefined) return [];
    return [{ call, job, digest: job.spec.metadata.manifest, before, isAsked: isAskedFor(call.recorded) }];
  });
}

/** By a command after the end, or by a consent to delete this attempt's machine. */
function isAskedFor(recorded: readonly LogbookEvent[]): boolean {
  const since = recorded.findLastIndex(({ type }) => type === 'ended');
  const end = recorded[since];
  const attempt = end?.type === 'ended' ? end.data.attempt : 0;
  const machines = recorded.flatMap((event) =>
    event.type === 'action-proposed' && event.data.evidence.facts['attempt'] === attempt ? [event.data.digest] : [],
  );
  const isLetGo = recorded.some(
    (event) =>
      event.type === 'action-approved' &&
      event.data.source.kind === 'comment' &&
      machines.includes(event.data.proposal),
  );
  const isSaid = recorded.slice(since + 1).some((event) => {
    if (event.type === 'command-answered') return event.data.code === 'relaunch-asked';
    return event.type === 'approved';
  });
  return isLetGo || isSaid;
}

function startFaults(night: Night, start: Start, say: Say): readonly string[] {
  const { call, job, before, digest } = start;
  const what = `attempt ${job.attempt}`;
  const same = before.filter(({ spec }) => spec.metadata.manifest === digest);
  const last = same.at(-1);
  const faults: string[] = [];
  if (before.some((one) => wasRunning(one, call))) faults.push(say('two jobs at once', what));
  if (same.length > restartBudget(start, night)) faults.push(say('more relaunches than the budget', what));
  const isOfNan = last?.fate?.status === 'FAILED' && last.fate.class === 'nan';
  if (last !== undefined && (isOfNan || isSeenLost(last, call))) faults.push(say('a relaunch after NaN', what));
  if (last !== undefined && (isSeenOther(last, call) || isRejected(call)))
    faults.push(say('a relaunch after a lineage mismatch', what));
  const outOfMemory = same.filter(({ fate }) => fate?.status === 'FAILED' && fate.class.startsWith('oom-'));
  if (outOfMemory.some(({ spec }) => spec.command.join(' ') === job.spec.command.join(' ')))
    faults.push(say('the same manifest after out of memory', what));
  if (isThirdTime(night, start)) faults.push(say('the same failure a third time', what));
  return faults;
}

function wasRunning({ fate, attempt }: NightJob, { recorded }: Call): boolean {
  const hasEnded = recorded.some((event) => event.type === 'ended' && event.data.attempt === attempt);
  return fate === null || !hasEnded;
}

/** The restarts of the approved manifest, and one for each approval given after its end. */
function restartBudget({ call, digest }: Start, { record }: Night): number {
  const restarts = record.events.flatMap((event) =>
    event.type === 'gated' && event.data.digest === digest ? [event.data.manifest?.envelope.restarts ?? 0] : [],
  );
  const firstEnd = call.recorded.findIndex(({ type }) => type === 'ended');
  const since = firstEnd < 0 ? [] : call.recorded.slice(firstEnd);
  const again = since.filter((event) => event.type === 'approved' && event.data.digest === digest);
  return (restarts[0] ?? 0) + again.length;
}

/** A loss that no watch has observed could not be known. */
function isSeenLost({ isLost, attempt }: NightJob, { recorded }: Call): boolean {
  return (
    isLost &&
    recorded.some(
      (event) => event.type === 'ended' && event.data.attempt === attempt && event.data.signatures.length > 0,
    )
  );
}

function isSeenOther({ isOther, attempt }: NightJob, { recorded }: Call): boolean {
  return (
    isOther &&
    recorded.some(
      (event) =>
        event.type === 'incident' && event.data.code === 'run-alarm' && event.data.detail['attempt'] === attempt,
    )
  );
}

/** All attempts write to one output root, so the next one would resume from the rejected checkpoint. */
function isRejected({ recorded }: Call): boolean {
  return recorded.some(({ type }) => type === 'checkpoint-rejected');
}

/**
 * The newest failure occurred before, also in the lane's previous run, and nobody requested a restart since.
 */
function isThirdTime({ earlier }: Night, { before, isAsked }: Start): boolean {
  const job = before.at(-1);
  const last = fingerprintOf(job?.fate ?? null);
  if (isAsked || job === undefined || last === null) return false;
  const { end = null } = earlier ?? {};
  const { diagnosis } = end ?? {};
  const inLane = end?.status === 'FAILED' ? `${diagnosis?.class}: ${diagnosis?.evidence[0]}` : null;
  // Another preemption is a new failure if the run got further meanwhile.
  const isTakenAgain = (step: number): boolean => last.startsWith('preempted: ') && job.step > step;
  return (
    before.slice(0, -1).some(({ fate, step }) => fingerprintOf(fate) === last && !isTakenAgain(step)) ||
    (inLane === last && !isTakenAgain(0))
  );
}

/**
 * Null if there is nothing to compare: after a smaller config, a replaced machine, or without an error in the
 * log.
 */
function fingerprintOf(fate: NightJob['fate']): string | null {
  if (fate === null || fate.status === 'SUCCEEDED') return null;
  if (fate.status === 'STOPPED') return 'stopped';
  const isCompared = !['unknown', 'benign', 'bad-node', 'oom-hbm', 'oom-host'].includes(fate.class);
  return isCompared ? `${fate.class}: it said ${fate.where}` : null;
}

function callFaults(night: Night, call: Call, say: Say): readonly string[] {
  const { does, target, recorded } = call;
  const isIntended = recorded.some((event) => {
    if (does === 'stop') return event.type === 'stop-requested';
    if (does === 'delete') return event.type === 'action-claimed' && event.data.proposal === target;
    const attempt = night.jobs.get(target)?.attempt;
    return event.type === 'claimed' && event.data.attempt === attempt;
  });
  const faults = isIntended ? [] : [say('an engine call without a pushed intent', `${does} ${target}`)];
  if (does !== 'delete') return faults;
  const twice = night.calls.filter((one) => one.does === 'delete' && one.target === target).length > 1;
  const isGranted = wasApproved(call);
  return isGranted && !twice ? faults : [...faults, say('an action without consent or envelope', target)];
}

/** A recorded consent, no older than the config allows, with an existing comment or config at that moment. */
function wasApproved({ target, recorded, at, consent }: Call): boolean {
  const given = recorded.findLast((event) => event.type === 'action-approved' && event.data.proposal === target);
  if (given?.type !== 'action-approved' || at - Date.parse(given.at) >= approvalMaxAgeMs(CONFIG)) return false;
  return given.data.source.kind === 'comment' ? consent.isStanding : consent.isConfigured;
}
