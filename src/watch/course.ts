/** The history of a run over its observations. Each observation records it, for comparison with the next one. */

import {
  addValue,
  type Evidence,
  FOLLOWED_MEASURES,
  median,
  type PastEnd,
  type Series,
} from '../detectors/detector.ts';
import { LOW_USE_LIMITS } from '../detectors/engine.ts';
import { SPEED_LAW } from '../detectors/progress.ts';
import { percentToShare } from '../diagnosis/training-line.ts';
import { isTerminal } from '../domain/engine.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import { listComparableAttempts, listReductionsTaken } from '../domain/launch/ladder.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { Course, Pace, RecordedSeries } from '../domain/logbook/events/job-events.ts';
import { type RunState, TRACE_POINTS_MAX } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, omitUndefined, toRfc3339 } from '../domain/values.ts';
import { type LogFacts, NO_LOG_FACTS } from './log-facts.ts';
import { NO_WITNESSES, type Poll, type Witnesses } from './poll.ts';
import { currentSpeed, noiseAfter, readSeries, speedLaw } from './speed.ts';
import { buildStoreSeen, isOfAttempt, toStoredEvidence } from './tracker-and-stores.ts';
import {
  compareReplayed,
  formatDecimal,
  medianPace,
  NO_TRAINING,
  ownTrace,
  startReplay,
  type Training,
  thinEvenly,
} from './training.ts';

/** The history including this observation. */
export function updateCourse(state: RunState, poll: Poll): Course {
  const before = state.observation?.course ?? {};
  if (poll.job.kind !== 'found') return before;
  const { status } = poll.job;
  const now = toRfc3339(poll.at);
  const runningSince = status === 'PENDING' ? undefined : (before.runningSince ?? now);
  const pendingSince =
    status === 'PENDING'
      ? (before.pendingSince ?? (before.runningSince === undefined ? toRfc3339(submissionTime(state, poll)) : now))
      : undefined;
  const known = omitUndefined({ runningSince, pendingSince });
  if (poll.logUnread !== null) return { ...before, ...known };
  return {
    ...known,
    ...updateMovement(before, poll, now),
    ...updateMeasures(state, before, poll),
    ...updateSaved(state, before, poll, now),
    ...evaluated(before, poll, now),
    ...omitUndefined({ preemptions: poll.log.isPreempted ? (before.preemptions ?? 0) + 1 : before.preemptions }),
    ...omitUndefined({ logGrewAt: poll.logOffset > (state.observation?.logOffset ?? 0) ? now : before.logGrewAt }),
    ...recentSteps(poll),
  };
}

/** A resume may go back by less than one poll, so one step per observation is too coarse. Record a bounded sample of the steps. */
function recentSteps({ job, log }: Poll): Pick<Course, 'lastSteps'> {
  const isCutShort = job.kind === 'found' && isTerminal(job.status) && job.status !== 'SUCCEEDED';
  const { replay } = log.training;
  const points = isCutShort ? replay.recent : ownTrace(replay);
  return points.length > 0 ? { lastSteps: thinEvenly(points, TRACE_POINTS_MAX) } : {};
}

function submissionTime({ submission }: RunState, poll: Poll): Instant {
  return fromRfc3339(submission?.at ?? '') ?? poll.at;
}

function updateMovement(before: Course, { at, log }: Poll, now: string): Pick<Course, 'moved' | 'steppingSince'> {
  const { stepChanges, lines } = log.training.latest;
  const stepping = before.steppingSince ?? (lines > 0 && log.loss !== null ? now : undefined);
  if (stepChanges === 0) return omitUndefined({ moved: before.moved, steppingSince: stepping });
  const last = fromRfc3339(before.moved?.at ?? '');
  const gap = last === null ? 0 : at - last;
  const longestGapMs = Math.max(before.moved?.longestGapMs ?? 0, gap);
  const moved = { at: now, longestGapMs, observations: (before.moved?.observations ?? 0) + 1 };
  return omitUndefined({ moved, steppingSince: stepping });
}

function updateMeasures(
  state: RunState,
  before: Course,
  poll: Poll,
): Pick<Course, 'series' | 'speed' | 'speedUnit' | 'speedNoise' | 'idle' | 'idleSince' | 'slowSince' | 'replayed'> {
  const { training } = poll.log;
  const series = FOLLOWED_MEASURES.flatMap((name) => {
    const one = training.series[name];
    return one === undefined ? [] : [[name, toRecordedSeries(one)] as const];
  });
  const now = currentSpeed(state, poll);
  const law = speedLaw(before, now?.values ?? []);
  const after = now === null ? null : addValue(readSeries(before.speed), law, now.value, null);
  const speed = after === null ? before.speed : toRecordedSeries(after);
  const use = currentUse(poll);
  const idle = use === null ? before.idle : use < LOW_USE_LIMITS.percent ? (before.idle ?? 0) + 1 : 0;
  const { pairs } = training.replay;
  const at = toRfc3339(poll.at);
  return omitUndefined({
    series: series.length === 0 ? undefined : Object.fromEntries(series),
    speed,
    speedUnit: now?.unit ?? before.speedUnit,
    speedNoise: now === null ? before.speedNoise : noiseAfter(before, now),
    idle,
    idleSince: idle === undefined || idle === 0 ? undefined : (before.idleSince ?? at),
    slowSince: speed?.streak === undefined ? undefined : (before.slowSince ?? at),
    replayed: pairs.length === 0 ? undefined : pairs,
  });
}

function updateSaved(
  { observation }: RunState,
  before: Course,
  { at, log }: Poll,
  now: string,
): Pick<Course, 'saved' | 'savingSince'> {
  const savingSince = log.isSaving ? (before.savingSince ?? now) : undefined;
  if (log.checkpointStep === null || log.checkpointStep === observation?.checkpointStep)
    return omitUndefined({ saved: before.saved, savingSince });
  const last = fromRfc3339(before.saved?.at ?? '');
  const gap = last === null ? null : at - last;
  const longest = Math.max(before.saved?.longestGapMs ?? 0, gap ?? 0);
  // Use the previous observation's time, the earliest possible completion, so that a late checkpoint is reported in time.
  const newest = { at: observation?.at ?? now, longestGapMs: longest === 0 ? null : longest };
  return omitUndefined({ saved: newest, savingSince });
}

/** Evaluations, by the observations that saw one. */
function evaluated({ evaluated: last }: Course, { at, log }: Poll, now: string): Pick<Course, 'evaluated'> {
  if (!log.isEvaluated) return omitUndefined({ evaluated: last });
  const gap = last === undefined ? 0 : at - (fromRfc3339(last.at) ?? at);
  const longestGapMs = Math.max(last?.longestGapMs ?? 0, gap);
  return { evaluated: { at: now, longestGapMs, observations: (last?.observations ?? 0) + 1 } };
}

/** Accelerator use at this observation in per cent, from the job's lines, otherwise from the engine; null if neither has it. */
function currentUse({ log, job }: Poll): number | null {
  const said = job.kind === 'found' ? job.use?.accelerators : undefined;
  // rule VA-17
  return median(log.training.latest.use) ?? said ?? null;
}

/** The speed and the machine use at this observation; undefined if there is neither. */
export function measurePace(state: RunState, poll: Poll): Pace | undefined {
  const pace = medianPace(poll.log.training);
  const use = poll.job.kind === 'found' ? poll.job.use : undefined;
  const busy = currentUse(poll);
  const usePercent = busy === null ? null : String(Math.round(busy));
  const memory = pace?.memory ?? memoryFromTracker(state, poll) ?? formatRam(use?.ram);
  if (pace === undefined && usePercent === null && memory === null) return undefined;
  const measured = omitUndefined({ usePercent: usePercent ?? undefined, memory: memory ?? undefined });
  return { secondsPerStep: null, tokensPerSecond: null, remainingSeconds: null, ...pace, ...measured };
}

/** Only from this attempt: until it reports, a resumed tracker run shows the previous attempt's memory. */
function memoryFromTracker(state: RunState, { tracker }: Poll): string | null {
  if (tracker == null || tracker.answer.kind !== 'found') return null;
  const { run } = tracker.answer;
  return run.memoryPercent === undefined || !isOfAttempt(state, run) ? null : percentToShare(run.memoryPercent);
}

function formatRam(percent: number | undefined): string | null {
  const share = percent === undefined ? null : percentToShare(percent);
  return share === null ? null : `ram:${share}`;
}

/** Restores the log facts of the newest observation. Reading continues at its offset, so no byte is judged twice. */
export function restoreLogFacts(state: RunState): { readonly facts: LogFacts; readonly offset: number } {
  const last = state.observation;
  const past = isReduced(state) ? undefined : state.attempts.at(-1);
  const { series, lastSteps = [] } = past?.observation?.course ?? {};
  const own = last?.course?.lastSteps;
  const replay =
    own === undefined
      ? startReplay([...(past?.trace ?? []), ...lastSteps], series?.['loss'])
      : { ...startReplay(own, undefined), isOwnPast: true };
  if (last === null) return { facts: { ...NO_LOG_FACTS, training: { ...NO_TRAINING, replay } }, offset: 0 };
  const open = last.openLog;
  const facts: LogFacts = {
    ...NO_LOG_FACTS,
    step: last.step === null ? null : { value: last.step, exact: last.stepIsExact },
    exactTotal: last.totalSteps,
    // rule ML-07
    loss: last.loss,
    training: {
      ...NO_TRAINING,
      series: readAllSeries(last.course),
      replay: { ...replay, pairs: last.course?.replayed ?? [] },
    },
    isSaving: last.course?.savingSince !== undefined,
    firstStepCompleted: last.firstStepCompleted,
    evals: last.evals,
    trackers: last.trackers,
    checkpointStep: last.checkpointStep,
    resumedFrom: last.resumedFrom ?? null,
    evalRunning: open?.isEvalRunning ?? false,
    skipping: open?.isLineSkipped ?? false,
    // Line numbers restart at 0 here, so earlier lines have negative numbers.
    origin:
      open?.task === undefined || open.task === null
        ? null
        : { worker: open.task.worker, lineNumber: -open.task.linesAgo },
    failures: last.signatures.map((id) => ({ id, line: '', lastLineNumber: 0, workers: [] })),
  };
  return { facts, offset: last.logOffset };
}

/** All facts of this observation that detectors may use. */
export function buildEvidence(state: RunState, poll: Poll): Evidence {
  const { job, log, witnesses = NO_WITNESSES } = poll;
  const course = updateCourse(state, poll);
  const { latest: now, series } = log.training;
  const percent = currentUse(poll);
  const speed = currentSpeed(state, poll);
  const manifest = state.order?.manifest ?? null;
  const every = manifest?.retention.temporaryEveryMinutes ?? null;
  const at = (time: string | undefined): Instant | null => fromRfc3339(time ?? '');
  const moved = at(course.moved?.at);
  const evaluatedAt = at(course.evaluated?.at);
  const stored = toStoredEvidence(buildStoreSeen(state, poll), at(course.steppingSince));
  const isLogRead = poll.logUnread === null && job.kind === 'found';
  return {
    at: poll.at,
    status: job.kind === 'found' ? job.status : 'UNKNOWN',
    isLogRead,
    pendingSince: at(course.pendingSince),
    runningSince: at(course.runningSince),
    step: log.step,
    hasTrained: log.step !== null || log.loss !== null || log.firstStepCompleted,
    moved:
      moved === null || course.moved === undefined
        ? null
        : { at: moved, longestGapMs: course.moved.longestGapMs, observations: course.moved.observations },
    secondsPerStep: median(now.secondsPerStep) ?? latestSecondsPerStep(state),
    isBusy: log.evalRunning || log.isSaving,
    series,
    isLossMissing: log.failures.some(({ id }) => id === LOSS_NOT_FINITE),
    speed: readSeries(course.speed),
    speedNow: isLogRead ? (speed?.value ?? null) : null,
    speedFloor: speedLaw(course, speed?.values ?? []).factor,
    speedBefore: previousSpeed(state, course.speedUnit),
    slowSince: at(course.slowSince),
    use: percent === null ? null : { percent, idleObservations: course.idle ?? 0, idleSince: at(course.idleSince) },
    replayed: course.replayed === undefined ? null : compareReplayed(course.replayed),
    ...savedEvidence(poll, course, stored),
    evaluated: course.evaluated === undefined || evaluatedAt === null ? null : { ...course.evaluated, at: evaluatedAt },
    logGrewAt: at(course.logGrewAt),
    isStoreRead: stored.isStoreRead,
    unstored: stored.unstored,
    saveEveryMs: every === null ? null : every * 60_000,
    steppingSince: at(course.steppingSince),
    engine: job.kind === 'found' ? job.details : {},
    tracker: trackerEvidence(manifest?.tracker.runId ?? '', poll),
    config: [...witnesses.config, ...totalsEvidence(state, poll)],
    past: state.attempts.map(toPastEnd),
    lane: witnesses.lane,
    objective: objectiveEvidence(state, poll),
    disk: witnesses.disk,
    artefacts: { ...leftByRun(manifest, poll), work: hasWorked(poll) },
  };
}

/** From the newest observation with a value: later lines, however many, may have none. */
function latestSecondsPerStep({ paces }: RunState): number | null {
  return parseNumberOrNull(paces.findLast(({ secondsPerStep }) => secondsPerStep !== null)?.secondsPerStep);
}

/** Prefer the stores if they were readable. The log only claims that a checkpoint is saved, or omits it. */
function savedEvidence(
  { log }: Poll,
  course: Course,
  stored: ReturnType<typeof toStoredEvidence>,
): Pick<Evidence, 'saved' | 'savingSince'> {
  const longestGapMs = course.saved?.longestGapMs ?? null;
  if (stored.isStoreRead === true) {
    const { saved, savingSince } = stored;
    return { saved: saved === null ? null : { ...saved, longestGapMs }, savingSince };
  }
  const at = fromRfc3339(course.saved?.at ?? '');
  return {
    saved: at === null || log.checkpointStep === null ? null : { step: log.checkpointStep, at, longestGapMs },
    savingSince: fromRfc3339(course.savingSince ?? ''),
  };
}

/** A machine that is slow from the start has no faster observation of its own for comparison. */
function previousSpeed(state: RunState, unit: Course['speedUnit']): number | null {
  const trends = listComparableAttempts(state).flatMap(({ observation }) => {
    if (observation?.course?.speedUnit !== unit) return [];
    const { trend, values } = readSeries(observation?.course?.speed);
    return trend === null || values <= SPEED_LAW.warmUpValues ? [] : [trend];
  });
  return trends.length === 0 ? null : Math.max(...trends);
}

function objectiveEvidence(
  { firstEval, observation }: RunState,
  { log, witnesses = NO_WITNESSES }: Poll,
): Evidence['objective'] {
  const { objective } = witnesses;
  if (objective === null) return null;
  const [first = Number.NaN, before = Number.NaN, now = Number.NaN] = [firstEval, observation, log].map((one) =>
    Number(one?.evals[objective.key] ?? Number.NaN),
  );
  return [first, before, now].every(Number.isFinite) ? { ...objective, first, before, now } : null;
}

/** Signs of work beside steps and losses in the log. */
function hasWorked({ log, metrics }: Poll): boolean {
  const isSaved = log.checkpointStep !== null || Object.keys(log.evals).length > 0;
  return isSaved || Number(metrics['global_step'] ?? 0) > 0;
}

/** What the job left as required. Nothing is missing if the lane requires nothing, or if this process cannot read the file. */
function leftByRun(
  manifest: Manifest | null,
  { log, metrics, metricsExpected, witnesses = NO_WITNESSES }: Poll,
): Witnesses['artefacts'] {
  const { permanentEverySteps = null, temporaryEveryMinutes = null } = manifest?.retention ?? {};
  const isSaved = permanentEverySteps === null && temporaryEveryMinutes === null ? null : log.checkpointStep !== null;
  const isMeasured = Object.keys(metrics).length > 0 ? true : metricsExpected === true ? false : null;
  return { checkpoint: witnesses.artefacts.checkpoint ?? isSaved, metrics: witnesses.artefacts.metrics ?? isMeasured };
}

function parseNumberOrNull(said: string | null | undefined): number | null {
  return said == null ? null : Number(said);
}

function trackerEvidence(intended: string, { log, tracker, witnesses = NO_WITNESSES }: Poll): Evidence['tracker'] {
  const meant = witnesses.trackerIntended ?? intended;
  if (meant === '') return null;
  const said = tracker?.answer.kind === 'found' ? tracker.answer.run : null;
  return { intended: meant, logged: log.trackers.map(({ id }) => id), trackedRun: said };
}

/** All attempts of a run have the same total of steps. */
function totalsEvidence({ attempts }: RunState, { log }: Poll): Evidence['config'] {
  const before = attempts.at(-1)?.observation?.totalSteps ?? null;
  if (before === null || log.exactTotal === null) return [];
  return [{ name: 'total steps', launched: String(before), observed: String(log.exactTotal) }];
}

function toPastEnd({ end, observation }: RunState['attempts'][number]): PastEnd {
  return {
    status: end.status,
    lastStep: end.lastStep ?? observation?.step ?? null,
    endedAt: fromRfc3339(end.endedAt ?? end.at),
  };
}

/** Converts a series for the record, with decimals as text. */
function toRecordedSeries({ trend, values, spread, lowest, streak, lastStreak, notFinite }: Series): RecordedSeries {
  return omitUndefined({
    trend: trend === null ? null : formatDecimal(trend),
    values,
    spread: spread === null ? undefined : formatDecimal(spread),
    lowest: lowest === null ? undefined : formatDecimal(lowest),
    streak: streak === null ? undefined : { ...streak, peak: formatDecimal(streak.peak) },
    lastStreak:
      lastStreak === null
        ? undefined
        : { ...lastStreak, peak: formatDecimal(lastStreak.peak), trend: formatDecimal(lastStreak.trend) },
    notFinite: notFinite === 0 ? undefined : notFinite,
  });
}

/** The recorded series, to be continued. */
function readAllSeries(course: Course | undefined): Training['series'] {
  return Object.fromEntries(
    FOLLOWED_MEASURES.flatMap((name) => {
      const one = course?.series?.[name];
      return one === undefined ? [] : [[name, readSeries(one)] as const];
    }),
  );
}

/** Whether the running attempt uses a smaller config than the one before, so its losses are not comparable. */
function isReduced(state: RunState): boolean {
  const before = { ...state, attempts: state.attempts.slice(0, -1) };
  return listReductionsTaken(state).length > listReductionsTaken(before).length;
}
