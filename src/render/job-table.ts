/** The job of a run on its card: what was launched (policy DF-24), how far it is, what each witness says, and what it has cost. */

import { checkpointName } from '../checkpoints/lineage.ts';
import { assertNever } from '../domain/assert.ts';
import type { StorePath } from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { StoreSeen, TrackerSeen } from '../domain/logbook/events/job-events.ts';
import { jobStateOf, type Witnesses, witnessesOf } from '../domain/logbook/job-state.ts';
import type { Observation, RunState, Submission } from '../domain/logbook/run-state.ts';
import { trimmedEnd } from '../domain/text.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { withoutTokens } from '../domain/written-secrets.ts';
import { launchedCommit } from './adoption-words.ts';
import type { RenderInput } from './input.ts';
import { code, count, digestHex, link, table, text, utc } from './words.ts';

/** `~<step>/<exact total>`, `~<step>/unknown`, or that there is no step yet. */
export function progressText(step: number | null, totalSteps: number | null): string {
  if (step === null) return 'no step seen yet';
  // rule ML-14
  return `\`~${step}/${totalSteps ?? 'unknown'}\``;
}

/** How fast it goes and how long it will take, as far as it is known: `18.9 s a step, about 5 h 10 min to go`; empty where it is not. */
export function paceText({ step, totalSteps, pace }: Observation): string {
  if (pace === undefined) return '';
  const seconds = pace.secondsPerStep === null ? null : Number(pace.secondsPerStep);
  const rate =
    seconds === null ? [] : [seconds >= 1 ? `${short(seconds)} s a step` : `${short(1 / seconds)} steps/s`];
  const tokens = pace.tokensPerSecond === null ? [] : [`${short(Number(pace.tokensPerSecond))} tokens/s`];
  const toGo =
    seconds !== null && step !== null && totalSteps !== null && totalSteps >= step
      ? (totalSteps - step) * seconds
      : pace.remainingSeconds;
  const left = toGo === null ? [] : [`about ${spanText(toGo)} to go`];
  return [...rate, ...tokens, ...left].join(', ');
}

/** Three digits: `1.23M`, `456k`, `18.9`. */
function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(Number(value.toPrecision(3)));
}

/** A time to go is an estimate: minutes at the finest, and days where it is days. */
function spanText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}

/** What the engine said last, as a person reads it. */
export function engineSays(status: Observation['status']): string {
  switch (status) {
    case 'PENDING':
      return 'the engine has it in its queue (PENDING)';
    case 'RUNNING':
      return 'the engine says RUNNING';
    case 'SUCCEEDED':
    case 'FAILED':
    case 'STOPPED':
      return `the engine says ${status}`;
    case 'UNKNOWN':
      return 'the engine gave no usable answer';
    default:
      return assertNever(status);
  }
}

/** Newest tracker link of the run, or null. */
export function trackerUrl(state: RunState): string | null {
  return state.end?.trackers.at(-1)?.url ?? state.observation?.trackers.at(-1)?.url ?? null;
}

/** Whose link it is. MLflow's pages lie behind a `#`. */
export function trackerName(url: string): string {
  return url.includes('/#/experiments/') ? 'MLflow' : 'W&B';
}

/** Rows of what was submitted; the command has a block of its own, see `commandText`. */
export function jobTable(state: RunState, submission: Submission): string {
  const digest = state.order?.order.digest ?? null;
  const rows = [
    ['Job id', code(submission.jobId)],
    ['Cluster', `${code(submission.cluster)} (engine ${code(submission.engine)})`],
    ['Attempt', attemptText(state, submission)],
    ...startRow(state),
    [
      isAdopted({ submission }) ? 'Taken over' : 'Launched',
      `${utc(submission.at)}${submission.adopted && !isAdopted({ submission }) ? '; the job was found running under this id and adopted' : ''}`,
    ],
    ['Commit', launchedCommit(submission.commit)],
    ...(digest === null || isAdopted({ submission }) ? [] : [['Manifest', `\`${digestHex(digest)}\``]]),
    ...Object.entries(submission.urls).map(([name, url]) => [
      text(name),
      link(name, url, limits.shownTextCharsMax),
    ]),
  ];
  return table(['Launch', ''], rows);
}

/** The command as one line, with each secret replaced, quoted where a blank would hide where an argument ends. */
export function commandText(command: readonly string[]): string {
  const line = command
    .map((part) => (/^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`))
    .join(' ');
  return withoutTokens(line);
}

function startRow({ order }: RunState): readonly (readonly string[])[] {
  const path = order?.order.checkpoint?.path ?? order?.manifest?.resume.initializeFrom ?? null;
  return path === null ? [] : [['Goes on from', `${text(checkpointName(path as StorePath))}, ${code(path)}`]];
}

function attemptText({ attempts }: RunState, { attempt }: Submission): string {
  const before = attempts
    .filter((past) => past.submission.attempt < attempt)
    .map(({ submission, end }) => `attempt ${submission.attempt} ended ${end.status}`);
  return before.length === 0 ? String(attempt) : `${attempt}; ${before.join(', ')}`;
}

/** Null before the first look. A dash stands where nobody said. */
export function compactLine(state: RunState): string | null {
  const { observation: seen, end } = state;
  if (seen === null) return null;
  const job = jobStateOf(state);
  const step = seen.step === null ? DASH : `~${seen.step}/${seen.totalSteps ?? 'unknown'}`;
  const action = end !== null ? 'ended' : ALERTS.has(job) ? 'look' : 'watch';
  const columns = [
    shortTime(seen.at),
    job,
    step,
    rateOf(seen),
    useOf(seen),
    `mem=${seen.pace?.memory ?? DASH}`,
    evalOf(seen),
    action,
  ];
  return code([...columns, end === null ? nextOf(seen) : DASH].join(' '));
}

const DASH = '-';
const ALERTS: ReadonlySet<string> = new Set(['degraded', 'state-lost', 'unknown']);

function shortTime(at: string): string {
  return `${at.slice(0, 16)}Z`;
}

function rateOf({ pace }: Observation): string {
  if (pace?.secondsPerStep != null) return `${Number(Number(pace.secondsPerStep).toPrecision(3))}s/step`;
  return pace?.tokensPerSecond == null ? DASH : `${Math.round(Number(pace.tokensPerSecond))}tok/s`;
}

function useOf({ pace }: Observation): string {
  return `gpu=${pace?.usePercent === undefined ? DASH : `${pace.usePercent}%`}`;
}

/** The loss of an eval where there is one, or else the newest of any. */
function evalOf({ evals }: Observation): string {
  const all = Object.entries(evals);
  const shown = all.find(([key]) => key === 'eval/loss') ?? all.at(-1);
  return shown === undefined ? `eval=${DASH}` : `${shown[0]}=${shown[1]}`;
}

function nextOf({ at, cadenceMs }: Observation): string {
  const seenAt = fromRfc3339(at);
  return seenAt === null ? DASH : shortTime(toRfc3339(after(seenAt, cadenceMs)));
}

/** Null before the first look. */
export function witnessTable(state: RunState): string | null {
  const { observation: seen } = state;
  if (seen === null) return null;
  const { engine, log, progress, tracker, checkpoint, watch } = witnessesOf(state);
  const rows = [
    ['Engine', witnessedStatus(engine), whenOf(engine?.at)],
    ['Log', logSays(log, seen), whenOf(log?.at)],
    ['Progress', progressSays(progress, seen), whenOf(progress?.at)],
    ...(tracker === null ? [] : [['Tracker', trackerSays(seen.tracker), whenOf(tracker.at)]]),
    [
      'Checkpoint',
      checkpoint === null ? 'none yet' : `saved at step ${checkpoint.step}, by the log`,
      whenOf(checkpoint?.at),
    ],
    ...(seen.store === undefined ? [] : [['Store', storeSays(seen.store), utc(seen.store.askedAt)]]),
    ['Watch', watchSays(state, seen), whenOf(watch?.at)],
  ];
  return table(['Witness', 'Says', 'When'], rows);
}

function whenOf(at: number | null | undefined): string {
  return at == null ? '' : utc(new Date(at).toISOString());
}

function watchSays({ end }: RunState, { cadenceMs }: Observation): string {
  return end === null ? `looks again within ${Math.round(cadenceMs / 1_000)} s` : 'has seen the end';
}

function witnessedStatus(engine: Witnesses['engine']): string {
  if (engine === null || engine.says === 'UNKNOWN') return 'no usable answer';
  return engine.says === 'lost' ? 'knows no such job any more' : engine.says;
}

function logSays(log: Witnesses['log'], { unread }: Observation): string {
  if (unread !== undefined) return 'cannot be read since then';
  return log?.hasLines === true ? 'read as far as it goes' : 'empty';
}

function progressSays(progress: Witnesses['progress'], { step, totalSteps, loss }: Observation): string {
  if (progress === null) return 'no step yet';
  return `${progressText(step, totalSteps)}${loss === null ? '' : `, loss ${text(loss)}`}`;
}

/** Its own word for the run is told and no more: trackers call runs crashed that go on, and running that are dead. */
function trackerSays(seen: TrackerSeen | undefined): string {
  const last = seen?.last;
  const silence =
    seen === undefined || seen.says === 'found' ? null : `${SILENCES[seen.says]} ${code(seen.run)}`;
  if (last === undefined) return silence ?? '';
  const parts = [
    `calls ${code(last.identity)} ${text(last.state)}`,
    ...(last.step === null ? [] : [`step ${last.step}`]),
    ...(last.loss === null ? [] : [`loss ${text(last.loss)}`]),
    ...(last.heartbeatAt === null ? [] : [`heard of it ${utc(last.heartbeatAt)}`]),
    ...(last.rowAt === null ? [] : [`newest metrics ${utc(last.rowAt)}`]),
  ];
  return `${parts.join(', ')}${silence === null ? '' : `; since then ${silence}`}`;
}

/** What the log calls saved is its word alone; this is what lies there. */
function storeSays({ unread, last }: StoreSeen): string {
  if (unread !== undefined) {
    const before = last === undefined ? '' : `; ${utc(last.readAt)} it had ${wholeSays(last)}`;
    return `cannot be read (${text(unread)})${before}`;
  }
  return last === undefined ? '' : wholeSays(last);
}

function wholeSays({ newest, partial, missing }: NonNullable<StoreSeen['last']>): string {
  const whole =
    newest === null
      ? 'no whole checkpoint of this run'
      : `step ${newest.step} whole, written ${utc(newest.writtenAt)}`;
  const half = partial === undefined ? '' : `; step ${partial.step} not whole since ${utc(partial.since)}`;
  const lacking =
    missing === undefined ? '' : `; none of step ${missing.step}, which the log calls saved, or later`;
  return `${whole}${half}${lacking}`;
}

const SILENCES = {
  absent: 'it has, or shows this key, no run',
  denied: 'it refuses the key for',
  limited: 'it was asked too often, now for',
  unknown: 'it gives no usable answer about',
} as const;

/** Null where the newest look has seen none. */
export function besideText({ observation }: Pick<RunState, 'observation'>): string | null {
  const beside = observation?.beside ?? [];
  if (beside.length === 0) return null;
  const jobs = beside.map(
    ({ jobId, status, since }) => `${code(jobId)} (${status}${since === null ? '' : ` since ${utc(since)}`})`,
  );
  return `On the cluster beside it, naming this run and no job of this attempt: ${jobs.join(', ')}. ferrybot stops none of them: whoever left a diagnostic running there ends it by the means of the cluster.`;
}

/**
 * Null before the job runs. From the engine's own start and end, and while it runs from the first look that found it running;
 * where these are not known, or the table does not say how many accelerators a run holds, that is what is said: an estimate
 * is never shown as a cost.
 */
export function costLine({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  const { end, submission, gate } = state;
  if (submission === null) return null;
  // What is gated by then is another launch.
  const isOurs = !isAdopted({ submission });
  if (end === null) return costSoFar(state, config.clusters[submission.cluster]?.accelerators ?? null);
  const estimate = gate?.manifest?.cost.acceleratorHours ?? null;
  const expected = estimate === null || !isOurs ? '' : ` Expected before the approval: ${text(estimate)}.`;
  const ranMs = durationMs(end.startedAt, end.endedAt);
  if (ranMs === null) return `Cost: not known, the engine did not tell when the job ran.${expected}`;
  const accelerators = config.clusters[submission.cluster]?.accelerators ?? null;
  if (accelerators === null)
    return `Cost: not known; the job ran ${duration(ranMs)}, and the config does not say how many accelerators a run holds on ${code(submission.cluster)}.${expected}`;
  return `Cost: **${hours(ranMs * accelerators)} accelerator-hours** (${duration(ranMs)} on ${count(accelerators, 'accelerator')})${withEarlier(state, ranMs, accelerators)}.${expected}`;
}

function costSoFar(state: RunState, accelerators: number | null): string | null {
  const { observation } = state;
  const ranMs = durationMs(observation?.course?.runningSince ?? null, observation?.at ?? null);
  if (ranMs === null || accelerators === null) return null;
  return `Cost so far: about **${hours(ranMs * accelerators)} accelerator-hours** (${duration(ranMs)} on ${count(accelerators, 'accelerator')})${withEarlier(state, ranMs, accelerators)}.`;
}

/** With the attempts before, as far as the engine has told when they ran. */
function withEarlier({ attempts }: RunState, ranMs: number, accelerators: number): string {
  if (attempts.length === 0) return '';
  const before = attempts.map(({ end }) => durationMs(end.startedAt, end.endedAt));
  if (before.includes(null)) return '; what attempts before it took is not known';
  const allMs = before.reduce<number>((sum, ms) => sum + (ms ?? 0), ranMs);
  return `; with ${count(attempts.length, 'attempt')} before it ${hours(allMs * accelerators)}`;
}

function durationMs(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 3_600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Three decimals are seconds of one accelerator; trailing zeros say nothing. */
function hours(ms: number): string {
  return trimmedEnd(trimmedEnd((ms / 3_600_000).toFixed(3), '0'), '.');
}
