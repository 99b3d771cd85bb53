/** What a look and the record say of a run, put before the detectors. */

import type { Evidence, PastEnd } from '../detectors/detector.ts';
import { SPEED_LAW } from '../detectors/progress.ts';
import { medianOf } from '../detectors/series.ts';
import { trainedAlike } from '../domain/launch/ladder.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { LOSS_NOT_FINITE } from '../domain/launch/response.ts';
import type { Course } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant } from '../domain/values.ts';
import { courseOf, readSeries, speedOf, useAt } from './course.ts';
import { type Look, NO_WITNESSES } from './look.ts';
import { storedEvidence, storeSeenOf } from './tracker-and-stores.ts';
import { comparedOf } from './training.ts';

/** Everything that the detectors may know of this look. */
export function evidenceOf(state: RunState, look: Look): Evidence {
  const { job, log, witnesses = NO_WITNESSES } = look;
  const course = courseOf(state, look);
  const { look: now, series } = log.training;
  const percent = useAt(look);
  const manifest = state.order?.manifest ?? null;
  const every = manifest?.retention.temporaryEveryMinutes ?? null;
  const at = (time: string | undefined): Instant | null => fromRfc3339(time ?? '');
  const moved = at(course.moved?.at);
  const stored = storedEvidence(storeSeenOf(state, look), at(course.steppingSince));
  const isLogRead = look.logUnread === null && job.kind === 'found';
  return {
    at: look.at,
    status: job.kind === 'found' ? job.status : 'UNKNOWN',
    isLogRead,
    pendingSince: at(course.pendingSince),
    runningSince: at(course.runningSince),
    step: log.step,
    hasTrained: log.step !== null || log.loss !== null || log.firstStepCompleted,
    moved:
      moved === null || course.moved === undefined
        ? null
        : { at: moved, longestGapMs: course.moved.longestGapMs, looks: course.moved.looks },
    secondsPerStep: medianOf(now.secondsPerStep) ?? lastSecondsPerStep(state),
    isBusy: log.evalRunning || log.isSaving,
    series,
    isLossLost: log.failures.some(({ id }) => id === LOSS_NOT_FINITE),
    speed: readSeries(course.speed),
    speedNow: isLogRead ? speedOf(state, look) : null,
    speedBefore: speedBefore(state),
    slowSince: at(course.slowSince),
    use: percent === null ? null : { percent, lowLooks: course.idle ?? 0, lowSince: at(course.idleSince) },
    replayed: course.replayed === undefined ? null : comparedOf(course.replayed),
    ...savedOf(look, course, stored),
    isStoreRead: stored.isStoreRead,
    unstored: stored.unstored,
    saveEveryMs: every === null ? null : every * 60_000,
    steppingSince: at(course.steppingSince),
    engine: job.kind === 'found' ? job.details : {},
    tracker: trackerOf(manifest?.tracker.runId ?? '', look),
    config: [...witnesses.config, ...totals(state, look)],
    past: state.attempts.map(pastOf),
    lane: witnesses.lane,
    objective: objectiveOf(state, look),
    disk: witnesses.disk,
    left: leftBy(manifest, look),
  };
}

/** At the newest look that told one: those after the last line tell none, however many they are. */
function lastSecondsPerStep({ paces }: RunState): number | null {
  return numberOrNull(paces.findLast(({ secondsPerStep }) => secondsPerStep !== null)?.secondsPerStep);
}

/** By the store where it could be read: what the log calls saved, or never calls saved, is its word alone. */
function savedOf(
  { log }: Look,
  course: Course,
  stored: ReturnType<typeof storedEvidence>,
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

/** A machine that is slow from the start has no better look of its own to be held against. */
function speedBefore(state: RunState): number | null {
  const trends = trainedAlike(state).flatMap(({ observation }) => {
    const { trend, values } = readSeries(observation?.course?.speed);
    return trend === null || values <= SPEED_LAW.warmUpValues ? [] : [trend];
  });
  return trends.length === 0 ? null : Math.max(...trends);
}

function objectiveOf(
  { firstEval, observation }: RunState,
  { log, witnesses = NO_WITNESSES }: Look,
): Evidence['objective'] {
  const { objective } = witnesses;
  if (objective === null) return null;
  const [first = Number.NaN, before = Number.NaN, now = Number.NaN] = [firstEval, observation, log].map(
    (one) => Number(one?.evals[objective.key] ?? Number.NaN),
  );
  return [first, before, now].every(Number.isFinite) ? { ...objective, first, before, now } : null;
}

/** What a job left that was to: of what the lane does not say, and of a file that nobody here can read, nothing is missed. */
function leftBy(
  manifest: Manifest | null,
  { log, metrics, metricsExpected, witnesses = NO_WITNESSES }: Look,
): Evidence['left'] {
  const { permanentEverySteps = null, temporaryEveryMinutes = null } = manifest?.retention ?? {};
  const isSaved =
    permanentEverySteps === null && temporaryEveryMinutes === null ? null : log.checkpointStep !== null;
  const isMeasured = Object.keys(metrics).length > 0 ? true : metricsExpected === true ? false : null;
  return {
    checkpoint: witnesses.left.checkpoint ?? isSaved,
    metrics: witnesses.left.metrics ?? isMeasured,
  };
}

function numberOrNull(said: string | null | undefined): number | null {
  return said == null ? null : Number(said);
}

function trackerOf(intended: string, { log, tracker, witnesses = NO_WITNESSES }: Look): Evidence['tracker'] {
  const meant = witnesses.trackerIntended ?? intended;
  if (meant === '') return null;
  const said = tracker?.answer.kind === 'found' ? tracker.answer.run : null;
  return { intended: meant, logged: log.trackers.map(({ id }) => id), said };
}

/** Attempts of one run count to the same last step. */
function totals({ attempts }: RunState, { log }: Look): Evidence['config'] {
  const before = attempts.at(-1)?.observation?.totalSteps ?? null;
  if (before === null || log.exactTotal === null) return [];
  return [{ name: 'total steps', launched: String(before), observed: String(log.exactTotal) }];
}

function pastOf({ end, observation }: RunState['attempts'][number]): PastEnd {
  return {
    status: end.status,
    lastStep: end.lastStep ?? observation?.step ?? null,
    endedAt: fromRfc3339(end.endedAt ?? end.at),
  };
}
