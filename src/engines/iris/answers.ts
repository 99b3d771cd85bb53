/** The answers of Iris, as far as they are read: camelCase, 64-bit numbers as texts, and what is nothing left out. */

import { z } from 'zod';

const int64 = z.union([z.string().regex(/^\d{1,15}$/), z.int().min(0)]).transform(Number);
const moment = z.object({ epochMs: int64 }).transform(({ epochMs }) => epochMs);
const count = z.int().min(0).default(0);
const text = z.string().default('');

/** Empty: nobody is asked who they are. */
export const authenticationAnswer = z.object({ provider: text });

export const launchAnswer = z.object({ jobId: z.string().min(1) });

export const statusAnswer = z.object({
  job: z.object({
    jobId: z.string().min(1),
    state: z.string().min(1),
    error: text,
    submittedAt: moment.optional(),
    startedAt: moment.optional(),
    finishedAt: moment.optional(),
    failureCount: count,
    preemptionCount: count,
    pendingReason: text,
  }),
  request: z
    .object({
      environment: z.object({ envVars: z.record(z.string(), z.string()).default({}) }).optional(),
      bundleId: text,
      entrypoint: z
        .object({ runCommand: z.object({ argv: z.array(z.string()).default([]) }).optional() })
        .optional(),
    })
    .optional(),
});

export const listAnswer = z.object({
  jobs: z.array(z.object({ jobId: z.string().min(1), startedAt: moment.optional() })).default([]),
  hasMore: z.boolean().default(false),
});

const attempt = z.object({
  attemptId: z.int().default(0),
  state: z.string().default(''),
  error: text,
  startedAt: moment.optional(),
});

export const tasksAnswer = z.object({
  tasks: z
    .array(
      z.object({
        taskId: z.string().min(1),
        state: z.string().min(1),
        workerId: text,
        exitCode: z.int().default(0),
        error: text,
        startedAt: moment.optional(),
        finishedAt: moment.optional(),
        currentAttemptId: z.int().default(0),
        attempts: z.array(attempt).default([]),
        pendingReason: text,
      }),
    )
    .default([]),
});

export const processAnswer = z.object({
  processInfo: z.object({ hostname: text, pid: z.int(), uptimeMs: int64 }),
});

export const logsAnswer = z.object({
  entries: z
    .array(
      z.object({
        timestamp: moment.optional(),
        data: text,
        key: text,
      }),
    )
    .default([]),
  cursor: int64.default(0),
});

export const nothing = z.object({});

export type IrisJob = z.infer<typeof statusAnswer>;
export type IrisTask = z.infer<typeof tasksAnswer>['tasks'][number];
export type LogEntry = z.infer<typeof logsAnswer>['entries'][number];
