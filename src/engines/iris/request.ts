/** Sends one request to the controller (Connect, unary, JSON over POST). Returns the whole answer, or why there is none. */

import { z } from 'zod';
import { limits } from '../../domain/limits.ts';
import { cutText, parseJson } from '../../domain/values.ts';
import { redact } from '../../host/redactor.ts';
import { type Http, requestWhole, type TokenHeaders } from '../shared/http.ts';
import type { IrisCluster } from './definition.ts';

export const irisLimits = {
  /** One answer: ten thousand log lines of a few hundred characters each. */
  answerBytesMax: 32 * 1024 * 1024,
  /** The Iris command line accepts no larger package (lib/iris, bundle.py). The controller keeps every package. */
  zipBytesMax: 25 * 1024 * 1024,
  /** Pauses before each check for a job whose launch answer was lost. The launch is not sent again. */
  lookAgainDelaysMs: [0, 1_000, 3_000],
  /** Pause between two checks of a job that should stop. The worker receives the stop within a second. */
  stopPollMs: 1_000,
  /** Controllers that started in the same minute, with the same pid and host, count as one. */
  sessionMinuteMs: 60_000,
  /** Tolerance for one controller's start time. It is computed from the uptime and shifts by the duration of a slow answer. */
  uptimeSlackMs: 10_000,
  /**
   * Iris writes KILLED before the process ends. A worker in contact with its controller ends the process within 30 s; one without contact
   * ends all its tasks after 600 s. This limit is the sum plus a minute: no process of the job can run any longer.
   */
  killedCertainMs: 690_000,
  /** Jobs per list; Iris returns no more. */
  jobsPerList: 500,
  /** Most jobs of one state that are searched for jobs that name a run: four requests. */
  jobsListedMax: 2_000,
  /** Newest jobs that a job started. Iris lists the newest first. */
  childrenPerList: 50,
  /** Log lines per request; the Iris default is 1,000. */
  linesPerRequest: 10_000,
  /** Requests per read, for five million lines. The next read continues. */
  requestsPerRead: 500,
  /** After the end, read until two answers this far apart are empty: Iris reports the state before the last lines. */
  lastLinesPauseMs: 1_000,
  /** The last lines of a killed job, which include the end line of its wrapper. */
  lastLines: 50,
  /** Log positions that one process keeps. The least recently used one is dropped, and its log is read again from the start. */
  readersKept: 64,
} as const;

export type IrisSettings = {
  readonly cluster: IrisCluster;
  /** Controller URL with a trailing slash. */
  readonly address: string;
  /** An API key; null: none is sent. */
  readonly token: string | null;
  /** Headers with the tokens that their commands print. */
  readonly headers: TokenHeaders;
  readonly http: Http;
  readonly now: () => number;
  readonly sleep: (durationMs: number) => Promise<unknown>;
};

/** The job's name in Iris, `/<user>/<name>`. Names contain no slash (shared/kit.ts, isSubmissionId). */
export function buildIrisId({ cluster }: IrisSettings, jobId: string): string {
  return `/${cluster.user}/${jobId}`;
}

const int64 = z.union([z.string().regex(/^\d{1,15}$/), z.int().min(0)]).transform(Number);
const moment = z.object({ epochMs: int64 }).transform(({ epochMs }) => epochMs);
const count = z.int().min(0).default(0);
const text = z.string().default('');

/** An empty provider means no authentication. */
export const authenticationAnswer = z.object({ provider: text });

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
    hasChildren: z.boolean().default(false),
  }),
  request: z
    .object({
      environment: z.object({ envVars: z.record(z.string(), z.string()).default({}) }).optional(),
      bundleId: text,
      entrypoint: z.object({ runCommand: z.object({ argv: z.array(z.string()).default([]) }).optional() }).optional(),
    })
    .optional(),
});

export const listAnswer = z.object({
  jobs: z
    .array(
      z.object({
        jobId: z.string().min(1),
        state: text,
        submittedAt: moment.optional(),
        startedAt: moment.optional(),
        pendingReason: text,
        taskCount: count,
        taskStateCounts: z.record(z.string(), count).default({}),
        resources: z
          .object({
            device: z
              .object({
                tpu: z.object({ variant: text }).optional(),
                gpu: z.object({ variant: text, count }).optional(),
              })
              .optional(),
          })
          .optional(),
      }),
    )
    .default([]),
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

export const processAnswer = z.object({ processInfo: z.object({ hostname: text, pid: z.int(), uptimeMs: int64 }) });

export const logsAnswer = z.object({
  entries: z.array(z.object({ timestamp: moment.optional(), data: text, key: text })).default([]),
  cursor: int64.default(0),
});

export type IrisJob = z.infer<typeof statusAnswer>;
export type IrisTask = z.infer<typeof tasksAnswer>['tasks'][number];

/**
 * Every method that ferrybot calls on Iris. None of them stops, starts or restarts a cluster, a controller or a worker.
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
 * `refused`: the controller certainly refused, with 4xx or with a 500 that a retry never fixes. `unknown`: no answer, or an
 * answer that leaves open what was done.
 */
export type IrisAnswer<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

const complaint = z.object({ code: z.string(), message: z.string().default('') });

/** Iris reports these errors with 500, like passing faults. They are final: nothing was done, and a retry does not help. */
const MALFORMED = /has no field named|must use canonical|Failed to (?:load|parse)/;

/** Asks once. Does not follow redirects, because their target would receive the key. */
export async function call<Value>(
  settings: IrisSettings,
  method: keyof typeof METHODS,
  body: object,
  schema: z.ZodType<Value>,
): Promise<IrisAnswer<Value>> {
  const more = await settings.headers();
  if (more.kind === 'unknown') return unknown(settings, more.message);
  const answer = await requestWhole(
    settings.http,
    {
      method: 'POST',
      url: new URL(METHODS[method], settings.address),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(settings.token === null ? {} : { authorization: `Bearer ${settings.token}` }),
        ...more.headers,
      },
      body: JSON.stringify(body),
      idleTimeoutMs: settings.cluster.requestTimeoutMs,
    },
    irisLimits.answerBytesMax,
  );
  return answer.kind === 'answer'
    ? judgeIrisAnswer(settings, answer.status, answer.text, schema)
    : unknown(settings, `the controller does not answer: ${answer.message}`);
}

function judgeIrisAnswer<Value>(
  settings: IrisSettings,
  status: number,
  text: string,
  schema: z.ZodType<Value>,
): IrisAnswer<Value> {
  const json = parseJson(text);
  if (status === 200) {
    const parsed = schema.safeParse(json);
    return parsed.success
      ? { kind: 'said', value: parsed.data }
      : unknown(settings, `this is no answer of Iris that is known here: ${z.prettifyError(parsed.error)}`);
  }
  const said = complaint.safeParse(json).data;
  // Without a Connect code, the answer comes from a proxy or from another program.
  if (said === undefined) return unknown(settings, `something answers ${status}, and it is not Iris`);
  const { code } = said;
  const message = maskToken(settings, said.message);
  const isFinal = (status >= 400 && status < 500) || (status === 500 && MALFORMED.test(said.message));
  return isFinal ? { kind: 'refused', status, code, message } : unknown(settings, `${status} ${code}: ${message}`);
}

/** Removes the key and shortens the text. */
export function maskToken({ token }: Pick<IrisSettings, 'token'>, text: string): string {
  return cutText(redact(text, token === null ? [] : [token]), limits.messageCharactersMax);
}

function unknown(settings: IrisSettings, message: string): Extract<IrisAnswer<never>, { kind: 'unknown' }> {
  return { kind: 'unknown', message: maskToken(settings, message) };
}
