/** Goes on reading a log where the last recorded observation stopped, also in another process. */

import { trainsSmaller } from '../domain/launch/ladder.ts';
import { limits } from '../domain/limits.ts';
import type { OpenLog } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { seriesOf } from './course.ts';
import { type LogFacts, NO_LOG_FACTS } from './log-facts.ts';
import { replayOf } from './replayed.ts';
import { NO_TRAINING } from './training.ts';

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
