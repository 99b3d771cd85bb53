/** The job of a run on its card: what was launched (policy DF-24), its progress, each witness, and its cost. */

import { checkpointName } from '../checkpoints/lineage.ts';
import type { StorePath } from '../domain/checkpoint/stored.ts';
import type { StoreSeen, TrackerSeen } from '../domain/logbook/events/job-events.ts';
import { isAdopted, NO_COMMIT } from '../domain/logbook/holdings.ts';
import { collectWitnesses, currentJobState, type Witnesses } from '../domain/logbook/job-state.ts';
import type { Observation, RunState, Submission } from '../domain/logbook/run-state.ts';
import { addMs, formatDuration, formatNumber, fromRfc3339, toRfc3339 } from '../domain/values.ts';
import { maskTokens } from '../domain/written-secrets.ts';
import type { RenderInput } from './input.ts';
import { code, count, jobWords, link, measured, nonEmpty, shortDigest, table, text, utc } from './words.ts';

/** `~<step>/<exact total>`, `~<step>/unknown`, or that there is no step yet. */
export function progressText(step: number | null, totalSteps: number | null): string {
  if (step === null) return 'no step seen yet';
  // rule ML-14
  return `\`~${step}/${totalSteps ?? 'unknown'}\``;
}

/** `██████████░░░░░░░░░░ 52 %`; empty while the step or the total is unknown. */
export function progressBar({ step, totalSteps }: Pick<Observation, 'step' | 'totalSteps'>): string {
  if (step === null || totalSteps === null || totalSteps <= 0) return '';
  const share = Math.min(1, step / totalSteps);
  const full = Math.floor(share * BAR_CHARS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)} ${Math.floor(share * 100)} %`;
}

const BAR_CHARS = 20;

/** Newest tracker link of the run, or null. */
export function trackerUrl(state: RunState): string | null {
  return state.end?.trackers.at(-1)?.url ?? state.observation?.trackers.at(-1)?.url ?? null;
}

/** The tracker of a link. MLflow's pages are behind a `#`. */
export function trackerName(url: string): string {
  return url.includes('/#/experiments/') ? 'MLflow' : 'W&B';
}

/** Rows of what was submitted; the command has its own block, see `commandText`. */
export function jobTable(state: RunState, submission: Submission): string {
  const { cluster, at, commit, adopted, urls } = submission;
  const digest = state.order?.order.digest ?? null;
  const isByHand = isAdopted({ submission });
  const rows = [
    ['Job', jobWords(submission)],
    ['Cluster', code(cluster)],
    ['Attempt', formatAttempt(state, submission)],
    ...renderStartRow(state),
    [
      isByHand ? 'Adopted' : 'Launched',
      `${utc(at)}${adopted && !isByHand ? '; the job was found running under this id and adopted' : ''}`,
    ],
    ['Commit', describeLaunchedCommit(commit)],
    ...(digest === null || isByHand ? [] : [['Manifest', `\`${shortDigest(digest)}\``]]),
    ...Object.entries(urls).map(([name, url]) => [text(name), link(name, url)]),
  ];
  return table(['Launch', ''], rows);
}

/** The command as one line, with secrets replaced, and arguments quoted if they contain special characters. */
export function commandText(command: readonly string[]): string {
  const line = command
    .map((part) => (/^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`))
    .join(' ');
  return maskTokens(line);
}

function renderStartRow({ order }: RunState): readonly (readonly string[])[] {
  const path = order?.order.checkpoint?.path ?? order?.manifest?.resume.initializeFrom ?? null;
  return path === null ? [] : [['Starts from', `${text(checkpointName(path as StorePath))}, ${code(path)}`]];
}

function formatAttempt({ attempts }: RunState, { attempt }: Submission): string {
  const before = attempts
    .filter((past) => past.submission.attempt < attempt)
    .map(({ submission, end }) => `attempt ${submission.attempt} ended ${end.status}`);
  return before.length === 0 ? String(attempt) : `${attempt}; ${before.join(', ')}`;
}

/** One line for each check; null before the first. A dash is an unknown value. */
export function renderCompactLine(state: RunState, seen: NonNullable<RunState['observation']>): string {
  const { end } = state;
  const { pace, evals, at, cadenceMs } = seen;
  const job = currentJobState(state);
  const all = Object.entries(evals);
  const [key, value] = all.find(([name]) => name === 'eval/loss') ?? all.at(-1) ?? ['eval', DASH];
  const seenAt = fromRfc3339(at);
  const next = end !== null || seenAt === null ? DASH : formatShortTime(toRfc3339(addMs(seenAt, cadenceMs)));
  const columns = [
    formatShortTime(at),
    job,
    seen.step === null ? DASH : `~${seen.step}/${seen.totalSteps ?? 'unknown'}`,
    formatRate(seen),
    `gpu=${pace?.usePercent === undefined ? DASH : `${pace.usePercent}%`}`,
    `mem=${pace?.memory ?? DASH}`,
    `${key}=${formatNumber(value)}`,
    end !== null ? 'ended' : ALERTS.has(job) ? 'look' : 'watch',
    next,
  ];
  return code(columns.join(' '));
}

const DASH = '-';
const ALERTS: ReadonlySet<string> = new Set(['degraded', 'state-lost', 'unknown']);

function formatShortTime(at: string): string {
  return `${at.slice(0, 16)}Z`;
}

function formatRate({ pace }: Observation): string {
  if (pace?.secondsPerStep != null) return `${formatNumber(pace.secondsPerStep)}s/step`;
  return pace?.tokensPerSecond == null ? DASH : `${formatNumber(pace.tokensPerSecond)}tok/s`;
}

/** Null before the first check. */
export function renderWitnessTable(state: RunState): string | null {
  const { observation: seen, end } = state;
  if (seen === null) return null;
  const { engine, log, progress, tracker, checkpoint, watch } = collectWitnesses(state);
  const row = (name: string, words: string, at: number | null | undefined): readonly string[] => [
    name,
    words,
    at == null ? '' : utc(new Date(at).toISOString()),
  ];
  const rows = [
    row('Engine', describeEngineWitness(engine), engine?.at),
    row(
      'Log',
      seen.unread !== undefined ? 'unreadable since then' : log?.hasLines === true ? 'read to its end' : 'empty',
      log?.at,
    ),
    row(
      'Progress',
      progress === null
        ? noStepText(seen)
        : `${progressText(seen.step, seen.totalSteps)}${seen.loss === null ? '' : `, loss ${measured(seen.loss)}`}`,
      progress?.at,
    ),
    ...(tracker === null ? [] : [row('Tracker', describeTracker(seen.tracker), tracker.at)]),
    row(
      'Checkpoint',
      checkpoint === null ? 'none yet' : `saved at step ${checkpoint.step}, by the log`,
      checkpoint?.at,
    ),
    ...(seen.store === undefined ? [] : [['Store', describeStore(seen.store), utc(seen.store.requestedAt)]]),
    row('Watch', end === null ? `next check within ${formatDuration(seen.cadenceMs)}` : 'has seen the end', watch?.at),
  ];
  return table(['Witness', 'Report', 'When'], rows);
}

/** Without a step in a log that grows, nothing shows whether the job starts, trains or hangs. */
function noStepText({ status, logOffset, course }: Observation): string {
  if (status !== 'RUNNING' || logOffset === 0 || course?.logGrewAt === undefined) return 'no step yet';
  return 'cannot tell: the log has no step that ferrybot can read. If the job already trains, give one of its training lines in `trainerLine` of the lane.';
}

function describeEngineWitness(engine: Witnesses['engine']): string {
  if (engine === null || engine.says === 'UNKNOWN') return 'no usable answer';
  return engine.says === 'lost' ? 'does not know the job any more' : engine.says;
}

/** The run's state according to the tracker: trackers report live runs as crashed, and dead ones as running. */
function describeTracker(seen: TrackerSeen | undefined): string {
  const last = seen?.last;
  const silence = seen === undefined || seen.result === 'found' ? null : `${SILENCES[seen.result]} ${code(seen.run)}`;
  if (last === undefined) return silence ?? '';
  const { identity, state, step, loss, heartbeatAt, rowAt } = last;
  const parts = nonEmpty(
    `reports ${code(identity)} as ${text(state)}`,
    step !== null && `step ${step}`,
    loss !== null && `loss ${measured(loss)}`,
    heartbeatAt !== null && `last heartbeat ${utc(heartbeatAt)}`,
    rowAt !== null && `newest metrics ${utc(rowAt)}`,
  );
  return `${parts.join(', ')}${silence === null ? '' : `; since then ${silence}`}`;
}

/** The store's content; the log only claims that a checkpoint is saved. */
function describeStore({ unread, last }: StoreSeen): string {
  if (unread === undefined) return last === undefined ? '' : describeStored(last);
  const before = last === undefined ? '' : `; ${utc(last.readAt)} it had ${describeStored(last)}`;
  return `cannot be read (${text(unread)})${before}`;
}

function describeStored({ newest, partial, missing }: NonNullable<StoreSeen['last']>): string {
  return nonEmpty(
    newest === null
      ? 'no complete checkpoint of this run'
      : `step ${newest.step} complete, written ${utc(newest.writtenAt)}`,
    partial !== undefined && `step ${partial.step} incomplete since ${utc(partial.since)}`,
    missing !== undefined && `none of step ${missing.step}, which the log reports as saved, or later`,
  ).join('; ');
}

const SILENCES = {
  absent: 'it has no run, or hides from this key the run',
  denied: 'it refuses the key for',
  limited: 'it has a rate limit for',
  unknown: 'it gives no usable answer about',
} as const;

/** Null if the newest check found no other job that names this run. */
export function describeOtherJobs({ observation }: Pick<RunState, 'observation'>): string | null {
  const beside = observation?.otherJobs ?? [];
  if (beside.length === 0) return null;
  const jobs = beside.map(
    ({ jobId, status, since }) => `${code(jobId)} (${status}${since === null ? '' : ` since ${utc(since)}`})`,
  );
  return `Other jobs on the cluster name this run: ${jobs.join(', ')}. ferrybot does not stop them: the owner of a diagnostic job stops it with the cluster's own tools.`;
}

/**
 * Null before the job runs. Uses the engine's own start and end. While the job runs, counts from the first check that found it
 * running. An estimate is never shown as a cost: unknown times or accelerators are shown as unknown.
 */
export function renderCost({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  const { end, submission, gate, observation } = state;
  if (submission === null) return null;
  const accelerators = config.clusters[submission.cluster]?.accelerators ?? null;
  const ranMs =
    end === null
      ? elapsedMs(observation?.course?.runningSince ?? null, observation?.at ?? null)
      : elapsedMs(end.startedAt, end.endedAt);
  // While the job runs, the manifest may be of the next attempt.
  const estimate = end === null || isAdopted({ submission }) ? null : (gate?.manifest?.cost.acceleratorHours ?? null);
  const expected = estimate === null ? '' : ` Expected before the approval: ${measured(estimate)}.`;
  if (ranMs !== null && accelerators !== null)
    return `${end === null ? 'Cost so far: about' : 'Cost:'} **${formatNumber(formatHours(ranMs * accelerators))} accelerator-hours** (${formatDuration(ranMs)} on ${count(accelerators, 'accelerator')})${addEarlierCost(state, ranMs, accelerators)}.${expected}`;
  if (end === null) return null;
  return ranMs === null
    ? `Cost: not known, the engine did not report when the job ran.${expected}`
    : `Cost: not known; the job ran ${formatDuration(ranMs)}, and the config does not have the accelerators of a run on ${code(submission.cluster)}.${expected}`;
}

/** Adds the earlier attempts, if the engine reported when they ran. */
function addEarlierCost({ attempts }: RunState, ranMs: number, accelerators: number): string {
  if (attempts.length === 0) return '';
  const before = attempts.map(({ end }) => elapsedMs(end.startedAt, end.endedAt));
  if (before.includes(null)) return '; the cost of earlier attempts is not known';
  const allMs = before.reduce<number>((sum, ms) => sum + (ms ?? 0), ranMs);
  return `; with ${count(attempts.length, 'attempt')} before it ${formatNumber(formatHours(allMs * accelerators))}`;
}

function elapsedMs(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function formatHours(ms: number): number {
  return ms / 3_600_000;
}

/** The commit of a job, if it is known. */
function describeLaunchedCommit(commit: string): string {
  return commit === NO_COMMIT ? 'not reported by the job' : code(commit);
}
