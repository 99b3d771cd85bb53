/** What the tracker says at a look, beside what it said before. */

import type { Instant } from '../domain/ids.ts';
import { LOSS_NOT_FINITE } from '../domain/launch/spoilt.ts';
import type { Metrics, TrackerSeen } from '../domain/logbook/events/job-events.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';
import { present } from '../domain/present.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import type { TrackedRun } from '../domain/tracker.ts';
import type { LogFacts } from './log-facts.ts';
import { type Look, redactAndTruncate } from './look.ts';
import { withFailure } from './signature-matches.ts';
import { addTrainingLine, numberOf } from './training.ts';

/** Keys under which trainers report what they minimise, the usual one first. */
const LOSSES = ['train/loss', 'loss', 'train_loss', 'train/loss_step', 'training/loss'];

/** As it is recorded; undefined where nobody asked. */
export function trackerSeenOf(state: RunState, look: Look): TrackerSeen | undefined {
  const { tracker } = look;
  if (tracker === null || tracker === undefined) return undefined;
  const clean = (said: string): string => redactAndTruncate(look, said);
  const { asked, answer } = tracker;
  const before = state.observation?.tracker?.last;
  if (answer.kind !== 'found')
    return present({ run: clean(asked), says: answer.kind, why: clean(answer.message), last: before });
  const { run } = answer;
  const isNew = isOfAttempt(state, run);
  const hasMoved = isNew && run.step !== null && run.step > 0 && run.step !== before?.step;
  return {
    run: clean(asked),
    says: 'found',
    last: {
      identity: clean(run.identity),
      name: clean(run.name),
      state: clean(run.state),
      readAt: toRfc3339(look.at),
      heartbeatAt: textOf(run.heartbeatAt),
      rowAt: textOf(run.rowAt),
      step: run.step,
      movedAt: hasMoved ? toRfc3339(look.at) : (before?.movedAt ?? null),
      loss: lossOf(run),
    },
  };
}

/** A run that goes on under its id has the rows of the attempt before, until this one makes any. */
export function isOfAttempt({ submission }: RunState, { rowAt }: TrackedRun): boolean {
  const submittedAt = fromRfc3339(submission?.at ?? '');
  return rowAt !== null && submittedAt !== null && rowAt >= submittedAt;
}

function lossOf({ metrics }: TrackedRun): string | null {
  const key = LOSSES.find((name) => metrics[name] !== undefined);
  return key === undefined ? null : (metrics[key] ?? null);
}

/** The newest row of this attempt; null where the tracker has none of it, or did not answer. */
function trackedRow(state: RunState, { tracker }: Pick<Look, 'tracker'>): TrackedRow | null {
  if (tracker == null || tracker.answer.kind !== 'found') return null;
  const { run } = tracker.answer;
  return isOfAttempt(state, run) ? { step: run.step, loss: lossOf(run) } : null;
}

type TrackedRow = { readonly step: number | null; readonly loss: string | null };

/** What it has of this attempt; what begins with an underscore is the tracker's own. */
export function trackedMetrics(state: RunState, look: Pick<Look, 'tracker'>): Metrics {
  if (look.tracker?.answer.kind !== 'found' || trackedRow(state, look) === null) return {};
  const { step, metrics } = look.tracker.answer.run;
  const own = Object.entries(metrics).filter(([key]) => !key.startsWith('_'));
  return { ...(step === null ? {} : { global_step: String(step) }), ...Object.fromEntries(own) };
}

function textOf(at: Instant | null): string | null {
  return at === null ? null : toRfc3339(at);
}

/**
 * The look with what the newest row of the tracker adds to the log. A loss there that is no number any more, or
 * an infinite one, is the alarm itself. Where the log
 * tells no steps, the row stands in the place of a line, with all the digits that it has; where it does tell of them it
 * alone is followed, so that no step counts twice.
 */
export function withTrackedRow(state: RunState, look: Look): Look {
  const row = trackedRow(state, look);
  if (row === null) return look;
  const { loss, step } = row;
  const log =
    loss !== null && Number.isNaN(numberOf(loss))
      ? withFailure(
          look.log,
          LOSS_NOT_FINITE,
          `the tracker has the loss ${loss} at step ${step ?? 'unknown'}`,
        )
      : look.log;
  return { ...look, log: withLine(state.observation, log, row) };
}

function withLine(before: Observation | null, log: LogFacts, { step, loss }: TrackedRow): LogFacts {
  const hadNone = before === null || before.step === null || before.step === before.tracker?.last?.step;
  if (step === null || log.training.look.lines > 0 || !hadNone || step === before?.step) return log;
  const line = {
    work: 'training' as const,
    total: null,
    step: { value: step, exact: true },
    measures: loss === null ? {} : { loss },
    secondsPerStep: null,
    tokensPerSecond: null,
    elapsedSeconds: null,
    remainingSeconds: null,
    memory: null,
  };
  return {
    ...log,
    step: line.step,
    loss: loss ?? log.loss,
    training: addTrainingLine(log.training, line, log.lines),
  };
}
