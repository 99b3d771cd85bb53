/** Facts from the tracker and the checkpoint stores at an observation, compared with the previous ones. */

import { type Evidence, FOLLOWED_MEASURES } from '../detectors/detector.ts';
import { BARE_TRAINING_LINE, type TrainingLine } from '../diagnosis/training-line.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import type { Metrics, StoreSeen, TrackerSeen } from '../domain/logbook/events/job-events.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';
import type { TrackedRun } from '../domain/tracker.ts';
import { fromRfc3339, type Instant, omitUndefined, toRfc3339 } from '../domain/values.ts';
import { addFailure, type LogFacts } from './log-facts.ts';
import { type Poll, redactAndTruncate, type TrackedKeys, type TrackerReading } from './poll.ts';
import { addMeasures, addTrainingLine, parseNumber, type Training } from './training.ts';

/** Keys of Levanter, Hugging Face's Trainer, Lightning and Megatron-LM per measure, the most common first. */
export const TRACKED_KEYS: TrackedKeys = {
  loss: [
    ...['train/loss', 'loss', 'train_loss', 'train/cross_entropy_loss', 'train/loss_step', 'training/loss'],
    'lm loss',
  ],
  'grad-norm': ['grad/norm/total', 'train/grad_norm', 'grad_norm', 'grad-norm'],
  'z-loss': ['train/router/router_z_loss', 'train/z_loss', 'z_loss'],
  'balance-loss': [
    ...['train/router/load_balancing_loss', 'train/load_balancing_loss', 'load_balancing_loss'],
    ...['seq_load_balancing_loss', 'train/aux_loss', 'aux_loss'],
  ],
  'router-entropy': ['train/router/routing_entropy', 'train/router_entropy', 'router_entropy'],
  'expert-load': ['train/router/load_imbalance', 'train/load_imbalance', 'load_imbalance'],
};

/** The tracker's answer for the record; undefined if it was not asked. */
export function buildTrackerSeen(state: RunState, poll: Poll): TrackerSeen | undefined {
  const { tracker } = poll;
  if (tracker === null || tracker === undefined) return undefined;
  const clean = (said: string): string => redactAndTruncate(poll, said);
  const { runRequested, answer, keys } = tracker;
  const before = state.observation?.tracker?.last;
  if (answer.kind !== 'found')
    return omitUndefined({ run: clean(runRequested), result: answer.kind, why: clean(answer.message), last: before });
  const { run } = answer;
  const isNew = isOfAttempt(state, run);
  const hasMoved = isNew && run.step !== null && run.step > 0 && run.step !== before?.step;
  return {
    run: clean(runRequested),
    result: 'found',
    last: {
      identity: clean(run.identity),
      name: clean(run.name),
      state: clean(run.state),
      readAt: toRfc3339(poll.at),
      heartbeatAt: formatInstant(run.heartbeatAt),
      rowAt: formatInstant(run.rowAt),
      step: run.step,
      movedAt: hasMoved ? toRfc3339(poll.at) : (before?.movedAt ?? null),
      loss: measuresOf(run, keys).loss ?? null,
    },
  };
}

/** A resumed tracker run has the previous attempt's rows until this attempt writes one. */
export function isOfAttempt({ submission }: RunState, { rowAt }: TrackedRun): boolean {
  const submittedAt = fromRfc3339(submission?.at ?? '');
  return rowAt !== null && submittedAt !== null && rowAt >= submittedAt;
}

/** The measures of the newest row. A lane's own keys replace the usual ones of that measure. */
function measuresOf({ metrics }: TrackedRun, keys: TrackerReading['keys'] = {}): TrackedRow['measures'] {
  const found = FOLLOWED_MEASURES.flatMap((name) => {
    const key = (keys[name] ?? TRACKED_KEYS[name]).find((one) => metrics[one] !== undefined);
    return key === undefined ? [] : [[name, metrics[key] ?? ''] as const];
  });
  return Object.fromEntries(found);
}

/** The newest row of this attempt; null if the tracker has none or did not answer. */
function readTrackedRow(state: RunState, { tracker }: Pick<Poll, 'tracker'>): TrackedRow | null {
  if (tracker == null || tracker.answer.kind !== 'found') return null;
  const { run } = tracker.answer;
  return isOfAttempt(state, run) ? { step: run.step, measures: measuresOf(run, tracker.keys) } : null;
}

type TrackedRow = Pick<TrainingLine, 'measures'> & { readonly step: number | null };

/** Metrics of this attempt. Keys with a leading underscore belong to the tracker. */
export function filterTrackedMetrics(state: RunState, look: Pick<Poll, 'tracker'>): Metrics {
  if (look.tracker?.answer.kind !== 'found' || readTrackedRow(state, look) === null) return {};
  const { step, metrics } = look.tracker.answer.run;
  const own = Object.entries(metrics).filter(([key]) => !key.startsWith('_'));
  return { ...(step === null ? {} : { global_step: String(step) }), ...Object.fromEntries(own) };
}

function formatInstant(at: Instant | null): string | null {
  return at === null ? null : toRfc3339(at);
}

/**
 * Adds the newest tracker row to the log facts. A NaN or infinite loss in the row raises the alarm by itself. If the log has no steps, the
 * row replaces a training line, with its full precision. If the log has steps, only measures that its lines lack come from a new row, so
 * that nothing counts twice.
 */
export function addTrackedRow(state: RunState, poll: Poll): Poll {
  const row = readTrackedRow(state, poll);
  if (row === null) return poll;
  const { step } = row;
  const { loss } = row.measures;
  const log =
    loss !== undefined && Number.isNaN(parseNumber(loss))
      ? addFailure(poll.log, LOSS_NOT_FINITE, `the tracker has the loss ${loss} at step ${step ?? 'unknown'}`)
      : poll.log;
  return { ...poll, log: withRow(state.observation, log, row) };
}

function withRow(before: Observation | null, log: LogFacts, { step, measures }: TrackedRow): LogFacts {
  const last = before?.tracker?.last?.step ?? null;
  const hadNone = before === null || before.step === null || before.step === last;
  if (step === null || step === last) return log;
  const exact = { value: step, exact: true };
  const line = { ...BARE_TRAINING_LINE, step: exact, measures };
  if (log.training.latest.lines > 0 || !hadNone || step === before?.step)
    return { ...log, training: withLacking(before, log.training, line) };
  return {
    ...log,
    step: exact,
    loss: measures.loss ?? log.loss,
    training: addTrainingLine(log.training, line, log.lines),
  };
}

/** Adds the row's measures that no line of this observation had. The loss always comes from one source. */
function withLacking(before: Observation | null, training: Training, line: TrainingLine): Training {
  const known = before?.course?.series ?? {};
  const lacking = FOLLOWED_MEASURES.filter(
    (name) => name !== 'loss' && training.series[name]?.values === known[name]?.values,
  );
  const measures = Object.fromEntries(
    lacking.flatMap((name) => (line.measures[name] === undefined ? [] : [[name, line.measures[name]] as const])),
  );
  return { ...training, series: addMeasures(training.series, { ...line, measures }) };
}

type LastStoreRead = NonNullable<StoreSeen['last']>;

/** Time between two listings: the usual poll interval, and no shorter during frequent polls. */
const STORE_READ_PERIOD_MS = 9 * 60_000;

/** Whether the stores are due for a listing. */
export function isStoreReadDue({ observation }: Pick<RunState, 'observation'>, now: Instant): boolean {
  const askedAt = fromRfc3339(observation?.store?.requestedAt ?? '');
  return askedAt === null || now - askedAt >= STORE_READ_PERIOD_MS;
}

/** The stores' answer for the record; undefined before their first listing. */
export function buildStoreSeen(state: RunState, poll: Poll): StoreSeen | undefined {
  const { stored } = poll;
  const before = state.observation?.store;
  if (stored === undefined) return before;
  const askedAt = toRfc3339(poll.at);
  if (stored.kind === 'unknown')
    return omitUndefined({ requestedAt: askedAt, unread: redactAndTruncate(poll, stored.why), last: before?.last });
  const { newest, partial } = stored.value;
  const last = omitUndefined({
    readAt: askedAt,
    newest: newest === null ? null : { step: newest.step, writtenAt: toRfc3339(newest.writtenAt) },
    partial: partial === null ? undefined : { step: partial, since: missingSince(before, partial, askedAt) },
    missing: findMissing(state, newest?.step ?? null, askedAt),
  });
  return { requestedAt: askedAt, last };
}

function missingSince(before: StoreSeen | undefined, step: number, now: string): string {
  const known = before?.last?.partial;
  return known?.step === step ? known.since : now;
}

/** A listing of the same moment may be older than the log line, so compare it with the step that the previous observation knew. */
function findMissing({ observation }: RunState, newest: number | null, now: string): LastStoreRead['missing'] {
  const claimed = observation?.checkpointStep ?? null;
  if (claimed === null || (newest !== null && newest >= claimed)) return undefined;
  const before = observation?.store?.last?.missing;
  return { step: claimed, since: before?.since ?? now, answers: (before?.answers ?? 0) + 1 };
}

/** Facts for the detectors. A checkpoint left by an earlier attempt counts from this attempt's first step. */
export function toStoredEvidence(
  seen: StoreSeen | undefined,
  steppingSince: Instant | null,
): Pick<Evidence, 'isStoreRead' | 'unstored'> & {
  readonly saved: Pick<NonNullable<Evidence['saved']>, 'step' | 'at'> | null;
  readonly savingSince: Instant | null;
} {
  const last = seen?.last;
  const isStoreRead = seen === undefined ? null : seen.unread === undefined && last !== undefined;
  if (last === undefined || isStoreRead !== true)
    return { isStoreRead, unstored: null, saved: null, savingSince: null };
  const { newest, partial, missing } = last;
  const writtenAt = fromRfc3339(newest?.writtenAt ?? '');
  const since = fromRfc3339(missing?.since ?? '');
  return {
    isStoreRead,
    saved:
      newest === null || writtenAt === null ? null : { step: newest.step, at: laterInstant(writtenAt, steppingSince) },
    savingSince: partial === undefined ? null : fromRfc3339(partial.since),
    unstored:
      missing === undefined || since === null
        ? null
        : { step: missing.step, newest: newest?.step ?? null, since, answers: missing.answers },
  };
}

function laterInstant(one: Instant, other: Instant | null): Instant {
  return other !== null && other > one ? other : one;
}
