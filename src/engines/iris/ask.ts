/** One question to the controller (Connect, unary, JSON over POST) and its whole answer, or why there is none. */

import { z } from 'zod';
import { limits } from '../../domain/limits.ts';
import { cutText, jsonIn } from '../../domain/values.ts';
import { redact } from '../../host/redactor.ts';
import { askWhole, type Http } from '../shared/http.ts';
import type { IrisCluster } from './definition.ts';

export const irisLimits = {
  /** One answer: ten thousand lines of a log of a few hundred characters each. */
  answerBytesMax: 32 * 1024 * 1024,
  /** The command line of Iris takes no larger package (lib/iris, bundle.py); its controller keeps each one. */
  zipBytesMax: 25 * 1024 * 1024,
  /** A launch whose answer was lost is looked for at once and after these pauses, and sent again after each look that found nothing. */
  lookAgainDelaysMs: [0, 1_000, 3_000],
  /** Between two looks at a job that was told to stop; the worker hears of it within a second. */
  stopPollMs: 1_000,
  /** Controllers that began within the same minute, with one pid on one host, pass for one. */
  sessionMinuteMs: 60_000,
  /** Of one controller the beginning that is reckoned from its uptime moves by no more than a slow answer takes. */
  uptimeSlackMs: 10_000,
  /**
   * KILLED is written before the process ends. A worker that hears from its controller ends it within half a minute; one
   * that hears nothing ends all of its tasks after 600 s. A minute more than both, and nothing of it can run any longer.
   */
  killedCertainMs: 690_000,
  /** Jobs of one list; Iris gives no more. */
  jobsPerList: 500,
  /** Jobs of one state that are looked through for those that name a run: four requests. */
  jobsListedMax: 2_000,
  /** Lines of one request for a log; Iris gives 1,000 where nothing is said. */
  linesPerRequest: 10_000,
  /** Requests of one read: five million lines; more is read by the next one. */
  requestsPerRead: 500,
  /** After the end, lines are looked for until two answers this far apart are empty: the state is told before the last lines. */
  lastLinesPauseMs: 1_000,
  /** The last lines of a killed job, among which its own word of the end stands. */
  lastLines: 50,
  /** Logs that one process keeps its place in; the one that was asked least lately gives way and is read anew. */
  readersKept: 64,
} as const;

export type IrisSettings = {
  readonly cluster: IrisCluster;
  /** The controller, with a slash at its end. */
  readonly address: string;
  /** An API key; null where none is sent. */
  readonly token: string | null;
  readonly http: Http;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};

/** Iris's own name of a job: `/<user>/<name>`; names hold no slash (file-records.ts, isSubmissionId). */
export function irisIdOf({ cluster }: IrisSettings, jobId: string): string {
  return `/${cluster.user}/${jobId}`;
}

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

/**
 * All that is ever asked of Iris. Nothing here stops, starts or restarts a cluster, a controller or a worker:
 * `TerminateJob` with the exact id of one job is the only call that ends anything (test/engines/iris-methods.test.ts).
 */
export const METHODS = {
  launch: 'iris.cluster.ControllerService/LaunchJob',
  // rule HR-28
  status: 'iris.cluster.ControllerService/GetJobStatus',
  list: 'iris.cluster.ControllerService/ListJobs',
  tasks: 'iris.cluster.ControllerService/ListTasks',
  terminate: 'iris.cluster.ControllerService/TerminateJob',
  process: 'iris.cluster.ControllerService/GetProcessStatus',
  authentication: 'iris.cluster.ControllerService/GetAuthInfo',
  // rule HR-04
  logs: 'finelog.logging.LogService/FetchLogs',
} as const;

/**
 * `refused`: the controller said a certain no (4xx), or a 500 that repeating never helps. `unknown`: no answer, or one after
 * which nobody can tell what was done; `sent` is false where the request certainly reached nobody.
 */
export type Answer<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

const complaint = z.object({ code: z.string(), message: z.string().default('') });

/** Iris says these with 500, as it says passing faults: nothing was done, and nothing else will be. */
const MALFORMED = /has no field named|must use canonical|Failed to (?:load|parse)/;

/** Asks once. Redirects are not followed: the key would go with them. */
export async function ask<Value>(
  settings: IrisSettings,
  method: keyof typeof METHODS,
  body: object,
  schema: z.ZodType<Value>,
): Promise<Answer<Value>> {
  const answer = await askWhole(
    settings.http,
    {
      method: 'POST',
      url: new URL(METHODS[method], settings.address),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(settings.token === null ? {} : { authorization: `Bearer ${settings.token}` }),
      },
      body: JSON.stringify(body),
      idleTimeoutMs: settings.cluster.requestTimeoutMs,
    },
    irisLimits.answerBytesMax,
  );
  return answer.kind === 'answer'
    ? judge(settings, answer.status, answer.text, schema)
    : unknown(settings, `the controller does not answer: ${answer.message}`);
}

function judge<Value>(
  settings: IrisSettings,
  status: number,
  text: string,
  schema: z.ZodType<Value>,
): Answer<Value> {
  const json = jsonIn(text);
  if (status === 200) {
    const parsed = schema.safeParse(json);
    return parsed.success
      ? { kind: 'said', value: parsed.data }
      : unknown(settings, `this is no answer of Iris that is known here: ${z.prettifyError(parsed.error)}`);
  }
  const said = complaint.safeParse(json).data;
  // Without a code of Connect's it is the word of something in between, or of another program.
  if (said === undefined) return unknown(settings, `something answers ${status}, and it is not Iris`);
  const { code } = said;
  const message = clean(settings, said.message);
  const isFinal = (status >= 400 && status < 500) || (status === 500 && MALFORMED.test(said.message));
  return isFinal
    ? { kind: 'refused', status, code, message }
    : unknown(settings, `${status} ${code}: ${message}`);
}

/** Without our key, and bounded. */
export function clean({ token }: Pick<IrisSettings, 'token'>, text: string): string {
  return cutText(redact(text, token === null ? [] : [token]), limits.messageCharactersMax);
}

function unknown(settings: IrisSettings, message: string): Extract<Answer<never>, { kind: 'unknown' }> {
  return { kind: 'unknown', message: clean(settings, message) };
}
