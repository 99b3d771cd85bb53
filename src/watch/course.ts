/** The course of a run over its looks: what the next one is compared with, recorded with each. */

import { LOW_USE_LIMITS } from '../detectors/machine.ts';
import { SPEED_LAW } from '../detectors/progress.ts';
import { addValue, FOLLOWED, medianOf, NO_SERIES, type Series } from '../detectors/series.ts';
import { shareOf } from '../diagnosis/trainers.ts';
import { isTerminal } from '../domain/engine.ts';
import { trainsSmaller } from '../domain/launch/ladder.ts';
import { limits } from '../domain/limits.ts';
import type { Course, OpenLog, Pace, RecordedSeries } from '../domain/logbook/events/job-events.ts';
import { type RunState, TRACE_POINTS_MAX } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, present, toRfc3339 } from '../domain/values.ts';
import { type LogFacts, NO_LOG_FACTS } from './log-facts.ts';
import type { Look } from './look.ts';
import { isOfAttempt } from './tracker-and-stores.ts';
import { decimal, evenly, NO_TRAINING, ownPast, paceOf, replayOf, type Training } from './training.ts';

/** The course with this look. */
export function courseOf(state: RunState, look: Look): Course {
  const before = state.observation?.course ?? {};
  if (look.job.kind !== 'found') return before;
  const { status } = look.job;
  const now = toRfc3339(look.at);
  const runningSince = status === 'PENDING' ? undefined : (before.runningSince ?? now);
  const pendingSince =
    status === 'PENDING' ? (before.pendingSince ?? toRfc3339(submittedAt(state, look))) : undefined;
  const known = present({ runningSince, pendingSince });
  if (look.logUnread !== null) return { ...before, ...known };
  return {
    ...known,
    ...movement(before, look, now),
    ...measured(state, before, look),
    ...saved(state, before, look, now),
    ...lastSteps(look),
  };
}

/** One step of each look says nothing of a resume that goes back by less than a look; all of them need not stand in the record. */
function lastSteps({ job, log }: Look): Pick<Course, 'lastSteps'> {
  const isCutShort = job.kind === 'found' && isTerminal(job.status) && job.status !== 'SUCCEEDED';
  const { replay } = log.training;
  const points = isCutShort ? replay.recent : ownPast(replay);
  return points.length > 0 ? { lastSteps: evenly(points, TRACE_POINTS_MAX) } : {};
}

function submittedAt({ submission }: RunState, look: Look): Instant {
  return fromRfc3339(submission?.at ?? '') ?? look.at;
}

function movement(before: Course, { at, log }: Look, now: string): Pick<Course, 'moved' | 'steppingSince'> {
  const { moves, lines } = log.training.look;
  const stepping = before.steppingSince ?? (lines > 0 && log.loss !== null ? now : undefined);
  if (moves === 0) return present({ moved: before.moved, steppingSince: stepping });
  const last = fromRfc3339(before.moved?.at ?? '');
  const gap = last === null ? 0 : at - last;
  const longestGapMs = Math.max(before.moved?.longestGapMs ?? 0, gap);
  const moved = { at: now, longestGapMs, looks: (before.moved?.looks ?? 0) + 1 };
  return present({ moved, steppingSince: stepping });
}

function measured(
  state: RunState,
  before: Course,
  look: Look,
): Pick<Course, 'series' | 'speed' | 'idle' | 'idleSince' | 'slowSince' | 'replayed'> {
  const { training } = look.log;
  const series = FOLLOWED.flatMap((name) => {
    const one = training.series[name];
    return one === undefined ? [] : [[name, recorded(one)] as const];
  });
  const value = speedOf(state, look);
  const speed =
    value === null ? before.speed : recorded(addValue(readSeries(before.speed), SPEED_LAW, value, null));
  const use = useAt(look);
  const idle = use === null ? before.idle : use < LOW_USE_LIMITS.percent ? (before.idle ?? 0) + 1 : 0;
  const { pairs } = training.replay;
  const now = toRfc3339(look.at);
  return present({
    series: series.length === 0 ? undefined : Object.fromEntries(series),
    speed,
    idle,
    idleSince: idle === undefined || idle === 0 ? undefined : (before.idleSince ?? now),
    slowSince: speed?.streak === undefined ? undefined : (before.slowSince ?? now),
    replayed: pairs.length === 0 ? undefined : pairs,
  });
}

/** Tokens or steps a second, as the log prints them; where it does not, by the exact steps between two looks. */
export function speedOf({ observation }: RunState, { at, log }: Look): number | null {
  const { look } = log.training;
  const tokens = medianOf(look.tokensPerSecond);
  if (tokens !== null) return tokens;
  const seconds = medianOf(look.secondsPerStep);
  if (seconds !== null) return 1 / seconds;
  const since = fromRfc3339(observation?.at ?? '');
  if (observation === null || since === null || observation.step === null || log.step === null) return null;
  const isExact = observation.stepIsExact && log.step.exact && observation.unread === undefined;
  const steps = log.step.value - observation.step;
  return isExact && steps > 0 && at > since ? (steps * 1_000) / (at - since) : null;
}

function saved(
  { observation }: RunState,
  before: Course,
  { at, log }: Look,
  now: string,
): Pick<Course, 'saved' | 'savingSince'> {
  const savingSince = log.isSaving ? (before.savingSince ?? now) : undefined;
  if (log.checkpointStep === null || log.checkpointStep === observation?.checkpointStep)
    return present({ saved: before.saved, savingSince });
  const last = fromRfc3339(before.saved?.at ?? '');
  const gap = last === null ? null : at - last;
  const longest = Math.max(before.saved?.longestGapMs ?? 0, gap ?? 0);
  // It was completed after the look before: what is late is told of in time.
  const newest = { at: observation?.at ?? now, longestGapMs: longest === 0 ? null : longest };
  return present({ saved: newest, savingSince });
}

/** A series as it is recorded: decimals are text there. */
export function recorded({ trend, values, spread, lowest, streak, met, notFinite }: Series): RecordedSeries {
  return present({
    trend: trend === null ? null : decimal(trend),
    values,
    spread: spread === null ? undefined : decimal(spread),
    lowest: lowest === null ? undefined : decimal(lowest),
    streak: streak === null ? undefined : { ...streak, peak: decimal(streak.peak) },
    met: met === null ? undefined : { ...met, peak: decimal(met.peak), trend: decimal(met.trend) },
    notFinite: notFinite === 0 ? undefined : notFinite,
  });
}

/** A recorded series; none where nothing was recorded. */
export function readSeries(from: RecordedSeries | undefined): Series {
  if (from === undefined) return NO_SERIES;
  const { trend, values, spread, lowest, streak, met, notFinite } = from;
  return {
    trend: trend === null ? null : Number(trend),
    values,
    spread: spread === undefined ? null : Number(spread),
    lowest: lowest === undefined ? null : Number(lowest),
    streak: streak === undefined ? null : { ...streak, peak: Number(streak.peak) },
    met: met === undefined ? null : { ...met, peak: Number(met.peak), trend: Number(met.trend) },
    notFinite: notFinite ?? 0,
  };
}

/** The series of a course, to be read on with. */
function seriesOf(course: Course | undefined): Training['series'] {
  return Object.fromEntries(
    FOLLOWED.flatMap((name) => {
      const one = course?.series?.[name];
      return one === undefined ? [] : [[name, readSeries(one)] as const];
    }),
  );
}

/** How busy the accelerators were at this look, in per cent: by the job's own lines, else by the engine; null: nobody measured. */
export function useAt({ log, job }: Look): number | null {
  const said = job.kind === 'found' ? job.use?.accelerators : undefined;
  // rule VA-17
  return medianOf(log.training.look.use) ?? said ?? null;
}

/** The pace of this look with the use of the machines; nothing where nobody says anything of either. */
export function paceAt(state: RunState, look: Look): Pace | undefined {
  const pace = paceOf(look.log.training);
  const use = look.job.kind === 'found' ? look.job.use : undefined;
  const busy = useAt(look);
  const usePercent = busy === null ? null : String(Math.round(busy));
  const memory = pace?.memory ?? trackedMemory(state, look) ?? ramOf(use?.ram);
  if (pace === undefined && usePercent === null && memory === null) return undefined;
  const measured = present({ usePercent: usePercent ?? undefined, memory: memory ?? undefined });
  return { secondsPerStep: null, tokensPerSecond: null, remainingSeconds: null, ...pace, ...measured };
}

/** Of this attempt: a run that goes on under its id has what the attempt before it used, until this one is heard of. */
function trackedMemory(state: RunState, { tracker }: Look): string | null {
  if (tracker == null || tracker.answer.kind !== 'found') return null;
  const { run } = tracker.answer;
  return run.memoryPercent === undefined || !isOfAttempt(state, run) ? null : shareOf(run.memoryPercent);
}

function ramOf(percent: number | undefined): string | null {
  const share = percent === undefined ? null : shareOf(percent);
  return share === null ? null : `ram:${share}`;
}

/** The log facts that the newest observation recorded; reading goes on at its offset, so that no byte is judged twice. */
export function logFactsFrom(state: RunState): { readonly facts: LogFacts; readonly offset: number } {
  const last = state.observation;
  const past = trainsSmaller(state) ? undefined : state.attempts.at(-1);
  const { series, lastSteps = [] } = past?.observation?.course ?? {};
  const own = last?.course?.lastSteps;
  const replay =
    own === undefined
      ? replayOf([...(past?.trace ?? []), ...lastSteps], series?.['loss'])
      : { ...replayOf(own, undefined), isOwnPast: true };
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
      series: seriesOf(last.course),
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
    // Lines are counted from here on: what stood above has a number below zero.
    origin:
      open?.task === undefined || open.task === null
        ? null
        : { worker: open.task.worker, lineNumber: -open.task.linesAgo },
    failures: last.signatures.map((id) => ({ id, line: '', lastLineNumber: 0, workers: [] })),
  };
  return { facts, offset: last.logOffset };
}

/** What the next look has to know beside what was recorded of this one; nothing where nothing is open. */
export function openLogOf({ evalRunning, skipping, origin, lines }: LogFacts): OpenLog | undefined {
  const linesAgo = origin === null ? 0 : lines - origin.lineNumber;
  const task =
    origin === null || linesAgo > limits.tracebackLinesMax ? null : { worker: origin.worker, linesAgo };
  if (task === null && !evalRunning && !skipping) return undefined;
  return { isEvalRunning: evalRunning, isLineSkipped: skipping, task };
}
