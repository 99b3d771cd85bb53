/** What a look at a job saw, and how it ended, as read from a line. */

import * as z from 'zod';
import { JOB_STATUSES } from '../domain/engine.ts';
import { CONFIDENCES, FAILURE_CLASSES, FIRST_RESPONSES } from '../domain/failure-class.ts';
import { leaseSchema, texts, trackerSchema } from '../domain/logbook/parts.ts';
import { TRACKER_SILENCES } from '../domain/tracker.ts';

const text = z.string();
const integer = z.int();
const integerOrNull = z.int().nullable();

const openLog = z.looseObject({
  isEvalRunning: z.boolean(),
  isLineSkipped: z.boolean(),
  task: z.looseObject({ worker: text, linesAgo: integer }).nullable(),
});

const unread = z.looseObject({ what: z.enum(['job', 'log']), since: text, why: text });

const standstill = z.looseObject({ since: text, looks: integer });

const pace = z.looseObject({
  secondsPerStep: text.nullable(),
  tokensPerSecond: text.nullable(),
  remainingSeconds: integerOrNull,
  usePercent: text.exactOptional(),
  memory: text.exactOptional(),
});

const streak = z.looseObject({ from: integerOrNull, to: integerOrNull, values: integer, peak: text });

const series = z.looseObject({
  trend: text.nullable(),
  values: integer,
  spread: text.exactOptional(),
  lowest: text.exactOptional(),
  streak: streak.exactOptional(),
  met: z.looseObject({ ...streak.shape, trend: text }).exactOptional(),
  notFinite: integer.exactOptional(),
});

const course = z.looseObject({
  pendingSince: text.exactOptional(),
  runningSince: text.exactOptional(),
  steppingSince: text.exactOptional(),
  moved: z.looseObject({ at: text, longestGapMs: integer, looks: integer }).exactOptional(),
  series: z.record(z.string(), series).exactOptional(),
  speed: series.exactOptional(),
  idle: integer.exactOptional(),
  idleSince: text.exactOptional(),
  slowSince: text.exactOptional(),
  saved: z.looseObject({ at: text, longestGapMs: integerOrNull }).exactOptional(),
  savingSince: text.exactOptional(),
  replayed: z.array(z.looseObject({ step: integer, before: text, after: text })).exactOptional(),
  lastSteps: z.array(z.looseObject({ step: integer, loss: text })).exactOptional(),
  healthy: integer.exactOptional(),
});

const trackerSeen = z.looseObject({
  run: text,
  says: z.enum(['found', ...TRACKER_SILENCES]),
  why: text.exactOptional(),
  last: z
    .looseObject({
      identity: text,
      name: text,
      state: text,
      readAt: text,
      heartbeatAt: text.nullable(),
      rowAt: text.nullable(),
      step: integerOrNull,
      movedAt: text.nullable(),
      loss: text.nullable(),
    })
    .exactOptional(),
});

const storeSeen = z.looseObject({
  askedAt: text,
  unread: text.exactOptional(),
  last: z
    .looseObject({
      readAt: text,
      newest: z.looseObject({ step: integer, writtenAt: text }).nullable(),
      partial: z.looseObject({ step: integer, since: text }).exactOptional(),
      missing: z.looseObject({ step: integer, since: text, answers: integer }).exactOptional(),
    })
    .exactOptional(),
});

/** One look at a job. */
export const observedSchema = z.looseObject({
  attempt: integer,
  status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED', 'UNKNOWN']),
  message: text,
  step: integerOrNull,
  stepIsExact: z.boolean(),
  totalSteps: integerOrNull,
  loss: text.nullable(),
  firstStepCompleted: z.boolean(),
  trackers: z.array(trackerSchema),
  evals: texts,
  checkpointStep: integerOrNull,
  signatures: z.array(text),
  logOffset: integer,
  beside: z
    .array(z.looseObject({ jobId: text, status: z.enum(JOB_STATUSES), since: text.nullable() }))
    .exactOptional(),
  openLog: openLog.exactOptional(),
  unread: unread.exactOptional(),
  standstill: standstill.exactOptional(),
  pace: pace.exactOptional(),
  course: course.exactOptional(),
  resumedFrom: text.exactOptional(),
  alarms: z.array(text).exactOptional(),
  tracker: trackerSeen.exactOptional(),
  store: storeSeen.exactOptional(),
  cadenceMs: integer,
  lease: leaseSchema,
});

const diagnosis = z.looseObject({
  class: z.enum(FAILURE_CLASSES),
  confidence: z.enum(CONFIDENCES),
  response: z.enum(FIRST_RESPONSES),
  place: z.looseObject({ file: text, line: integer }).nullable(),
  error: text.nullable(),
  evidence: z.array(text),
  logEnd: z.array(text).exactOptional(),
});

/** How a job ended. */
export const endedSchema = z.looseObject({
  attempt: integer,
  status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
  message: text,
  errorType: text.nullable(),
  exitCode: integerOrNull,
  engineDetails: texts.exactOptional(),
  startedAt: text.nullable(),
  endedAt: text.nullable(),
  lastStep: integerOrNull,
  totalSteps: integerOrNull,
  metrics: texts,
  trackers: z.array(trackerSchema),
  signatures: z.array(text),
  checkpointStep: integerOrNull,
  diagnosis: diagnosis.exactOptional(),
  fence: integer,
});
