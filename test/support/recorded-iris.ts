/**
 * The recorded Iris controller: it answers like the real one (fixtures/iris), errors included. Tested by
 * test/engines/iris-transcripts.test.ts.
 */

import { hash } from 'node:crypto';
import { z } from 'zod';
import { createIrisJobs, type IrisJobs, type JobsOptions } from './recorded-iris-jobs.ts';
import type { Attempt, Job } from './recorded-iris-types.ts';

export type RpcAnswer = { readonly status: number; readonly body: object | string };

export type RecordedIris = {
  /** `method`: service and name, as in the path. */
  readonly answer: (method: string, body: string, authorization?: string) => RpcAnswer;
  readonly world: IrisJobs;
  /** Kills and restarts it with the same disk: jobs remain, the bundled log server starts empty. */
  readonly restart: () => void;
  /** The disk is lost too: launches since the checkpoint are forgotten. */
  readonly restore: () => void;
  /** It is shutting down: health and some requests work, the rest fails. */
  readonly linger: () => void;
};

export type RecordedIrisOptions = Partial<JobsOptions> & {
  readonly now: () => number;
  /** Keys and their users; empty: authentication is off, and any key is ignored. */
  readonly keys?: Readonly<Record<string, string>>;
};

const launchRequest = z.strictObject({
  name: z.string().default(''),
  entrypoint: z.object({
    setupCommands: z.array(z.string()).optional(),
    runCommand: z.object({ argv: z.array(z.string()) }),
  }),
  resources: z
    .object({ cpuMillicores: z.number().default(0) })
    .loose()
    .optional(),
  environment: z
    .object({ envVars: z.record(z.string(), z.string()).default({}), extras: z.array(z.string()).optional() })
    .optional(),
  bundleBlob: z.string().optional(),
  bundleId: z.string().optional(),
  constraints: z.array(z.unknown()).optional(),
  timeout: z.object({ milliseconds: z.string() }).optional(),
  replicas: z.number().optional(),
  clientRevisionDate: z.string().default(''),
  existingJobPolicy: z.string().default('EXISTING_JOB_POLICY_UNSPECIFIED'),
  failIfExists: z.boolean().optional(),
  maxRetriesFailure: z.number().default(0),
  maxRetriesPreemption: z.number().default(0),
  priorityBand: z.string().optional(),
  targetCluster: z.string().optional(),
  taskImage: z.string().optional(),
  ports: z.array(z.string()).optional(),
});
const byJob = z.object({ jobId: z.string() });
const listRequest = z.object({
  query: z
    .object({
      jobIdPrefix: z.string().default(''),
      stateFilter: z.string().default(''),
      limit: z.number().default(100),
      offset: z.number().default(0),
    })
    .prefault({}),
});
const logsRequest = z.object({
  source: z.string(),
  matchScope: z.string().default('MATCH_SCOPE_PREFIX'),
  cursor: z.coerce.number().default(0),
  maxLines: z.number().default(1_000),
  tail: z.boolean().default(false),
});

const FORTNIGHT_MS = 14 * 24 * 3_600_000;

export function createRecordedIris(options: RecordedIrisOptions): RecordedIris {
  const { now, keys = {}, release = '2026-05-11' } = options;
  const isMay = release === '2026-05-11';
  const world = createIrisJobs({
    plan: () => ({ pendingMs: 0, endAfterMs: 1_000, exitCode: 0, lines: [] }),
    runtime: 'container',
    release,
    ...options,
  });
  let process = { pid: 17_595, beganAtMs: now() - 60_000 };
  let isLingering = false;

  const begin = (): void => {
    process = { pid: process.pid + 1, beganAtMs: now() };
    isLingering = false;
    world.loseLines();
  };

  const methods: Readonly<Record<string, (body: unknown, caller: string) => RpcAnswer>> = {
    'iris.cluster.ControllerService/LaunchJob': (body, caller) => launch(body, caller),
    'iris.cluster.ControllerService/GetJobStatus': (body) => {
      const { jobId } = byJob.parse(body);
      const job = world.jobs.get(jobId);
      if (job === undefined) return malformedOr(jobId, notFound(jobId));
      const hasChildren = [...world.jobs.keys()].some((name) => name.startsWith(`${jobId}/`));
      const { job: seen, ...rest } = statusOf(job, isMay);
      return said({ job: { ...seen, hasChildren }, ...rest });
    },
    'iris.cluster.ControllerService/GetJobState': (body) => {
      const { jobIds } = z.object({ jobIds: z.array(z.string()) }).parse(body);
      const known = jobIds.flatMap((id) => {
        const job = world.jobs.get(id);
        return job === undefined ? [] : [[id, job.state] as const];
      });
      return said(known.length === 0 ? {} : { states: Object.fromEntries(known) });
    },
    'iris.cluster.ControllerService/ListJobs': (body) => listOf(world, listRequest.parse(body).query, isMay),
    'iris.cluster.ControllerService/ListTasks': (body) => {
      const job = world.jobs.get(byJob.parse(body).jobId);
      return said(job === undefined ? {} : { tasks: [taskOf(job, isMay)] });
    },
    'iris.cluster.ControllerService/TerminateJob': (body, caller) => {
      const { jobId } = byJob.parse(body);
      if (!world.jobs.has(jobId)) return malformedOr(jobId, notFound(jobId));
      const [, owner = ''] = jobId.split('/');
      if (caller !== '' && caller !== owner)
        return complaint(403, 'permission_denied', `User '${caller}' cannot access resources owned by '${owner}'`);
      world.terminate(jobId);
      return said({});
    },
    'iris.cluster.ControllerService/GetProcessStatus': () =>
      said({
        processInfo: {
          hostname: 'host-1',
          pid: process.pid,
          pythonVersion: '3.12.1',
          uptimeMs: String(now() - process.beganAtMs),
        },
      }),
    'iris.cluster.ControllerService/GetAuthInfo': () =>
      said({ provider: Object.keys(keys).length === 0 ? '' : 'static', gcpProjectId: '' }),
    'finelog.logging.LogService/FetchLogs': (body) => said(logsOf(world, logsRequest.parse(body))),
  };

  const launch = (body: unknown, caller: string): RpcAnswer => {
    const parsed = launchRequest.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
      return complaint(
        500,
        'unknown',
        `Message type "iris.cluster.Controller.LaunchJobRequest" has no field named "${field}" at "LaunchJobRequest".`,
      );
    }
    const request = parsed.data;
    const refusal = refusalOf(request, now());
    if (refusal !== null) return refusal;
    const [, , ...rest] = request.name.split('/');
    const name = caller === '' ? request.name : `/${caller}/${rest.join('/')}`;
    if (rest.length > 1 && !world.jobs.has(name.split('/').slice(0, -1).join('/')))
      return complaint(
        400,
        'failed_precondition',
        `Cannot submit job: parent job ${name.split('/').slice(0, -1).join('/')} is absent from the database`,
      );
    const taken = takenBy(world.jobs.get(name), name, request.existingJobPolicy, isMay);
    if (taken !== null) return taken;
    const { bundleBlob, ...kept } = request;
    world.launch({
      name,
      argv: request.entrypoint.runCommand.argv,
      env: request.environment?.envVars ?? {},
      maxRetriesFailure: request.maxRetriesFailure,
      maxRetriesPreemption: request.maxRetriesPreemption,
      request: {
        ...kept,
        ...(bundleBlob === undefined ? {} : { bundleId: hash('sha256', Buffer.from(bundleBlob, 'base64'), 'hex') }),
      },
    });
    const job = world.jobs.get(name);
    const cpu = request.resources?.cpuMillicores ?? 0;
    if (job !== undefined && cpu > 4_000)
      job.pendingReason = `Scheduler: Insufficient CPU (need ${cpu / 1_000} cores, available 3.5 cores) - 1 worker(s)`;
    return said({ jobId: name });
  };

  return {
    world,
    answer: (method, text, authorization) => {
      world.tick();
      const respond = methods[method];
      if (respond === undefined) return { status: 404, body: '' };
      const caller = callerOf(keys, authorization, method);
      if (typeof caller !== 'string') return caller;
      if (isLingering && !(isMay && method.endsWith('/GetJobState')))
        return complaint(500, 'internal', `RPC ${method.split('/')[1]}: cannot schedule new futures after shutdown`);
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return complaint(500, 'unknown', `Failed to ${isMay ? 'parse' : 'load'} JSON: ${error.message}`);
      }
      return respond(body, caller);
    },
    restart: () => {
      world.tick();
      begin();
    },
    restore: () => {
      world.restore();
      begin();
    },
    linger: () => {
      isLingering = true;
    },
  };
}

/** Off: everyone is an administrator and keeps their name. */
function callerOf(
  keys: Readonly<Record<string, string>>,
  authorization: string | undefined,
  method: string,
): string | RpcAnswer {
  if (Object.keys(keys).length === 0 || method.endsWith('/GetAuthInfo')) return '';
  if (authorization === undefined) return complaint(401, 'unauthenticated', 'Missing authentication');
  return keys[authorization.replace('Bearer ', '')] ?? complaint(401, 'unauthenticated', 'Authentication failed');
}

function refusalOf(request: z.infer<typeof launchRequest>, nowMs: number): RpcAnswer | null {
  const least = new Date(nowMs - FORTNIGHT_MS).toISOString().slice(0, 10);
  if (request.clientRevisionDate < least)
    return complaint(
      400,
      'failed_precondition',
      `marin-iris client is too old (build ${request.clientRevisionDate || '2026-04-22'}; minimum ${least}). Run \`uv sync\` or upgrade marin-iris and retry.`,
    );
  if (request.name === '') return complaint(400, 'invalid_argument', 'Job name is required');
  if (!/^\/[^/]+\/./.test(request.name))
    return complaint(
      500,
      'internal',
      `RPC LaunchJob: Job name must use canonical '/<user>/<job>[...]' format: ${request.name}`,
    );
  return request.priorityBand === 'PRIORITY_BAND_PRODUCTION'
    ? complaint(
        403,
        'permission_denied',
        'User alice cannot submit production jobs (max band: interactive). Ask an administrator.',
      )
    : null;
}

/** Null: the name is free, or the default policy frees it by deleting an ended job. */
function takenBy(old: Job | undefined, name: string, policy: string, isMay: boolean): RpcAnswer | null {
  if (old === undefined) return null;
  if (policy === 'EXISTING_JOB_POLICY_ERROR')
    return complaint(409, 'already_exists', `Job ${name} already exists (state=${old.state})`);
  if (isMay && old.state === 'JOB_STATE_KILLED')
    return complaint(504, 'deadline_exceeded', `Timed out waiting for job ${name} to drain before replacement`);
  if (old.finishedAt !== null) return null;
  return policy === 'EXISTING_JOB_POLICY_KEEP'
    ? said({ jobId: name })
    : complaint(409, 'already_exists', `Job ${name} already exists and is still running`);
}

function statusOf(job: Job, isMay: boolean): { readonly job: object; readonly request: object } {
  const { launched, state, error, pendingReason, failureCount, preemptionCount } = job;
  const isWaiting = job.taskState === 'TASK_STATE_PENDING' && job.attempts.length === 0;
  const env = Object.fromEntries(
    Object.entries(launched.env).map(([name, value]) => [
      name,
      isRedacted(name, isMay ? value : '') ? '[REDACTED]' : value,
    ]),
  );
  return {
    job: {
      ...{ jobId: launched.name, state, exitCode: 0, error, failureCount, preemptionCount, name: launched.name },
      ...{
        submittedAt: at(job.submittedAt),
        ...given('startedAt', job.startedAt),
        ...given('finishedAt', job.finishedAt),
      },
      taskStateCounts: job.tasks ?? { [job.taskState.replace('TASK_STATE_', '').toLowerCase()]: 1 },
      ...(launched.request['resources'] === undefined ? {} : { resources: launched.request['resources'] }),
      ...{
        taskCount: launched.request['replicas'] ?? 1,
        completedCount: state === 'JOB_STATE_SUCCEEDED' ? 1 : 0,
        hasChildren: false,
      },
      pendingReason: isWaiting ? pendingReason : '',
    },
    request: { ...launched.request, environment: { envVars: env } },
  };
}

/** Newest first; an unknown state lists nothing, and an empty filter is no filter. */
function listOf(
  world: IrisJobs,
  { jobIdPrefix, stateFilter, limit, offset }: z.infer<typeof listRequest>['query'],
  isMay: boolean,
): RpcAnswer {
  if (limit <= 0 || limit > 500) return complaint(500, 'internal', `RPC ListJobs: limit ${limit}`);
  if (offset > 5_000) return complaint(400, 'invalid_argument', `offset ${offset}`);
  const isWanted = ({ launched: { name }, state }: Job): boolean =>
    name.toLowerCase().startsWith(jobIdPrefix.toLowerCase()) &&
    (stateFilter === '' || state === `JOB_STATE_${stateFilter.toUpperCase()}`);
  const all = [...world.jobs.values()].filter(isWanted).toSorted((a, b) => b.submittedAt - a.submittedAt);
  const jobs = all.slice(offset, offset + limit).map((job) => statusOf(job, isMay).job);
  return said({
    ...(jobs.length === 0 ? {} : { jobs }),
    ...(all.length === 0 ? {} : { totalCount: all.length }),
    ...(all.length > offset + limit ? { hasMore: true } : {}),
  });
}

/** By the variable's name, with exceptions; in May, by the value's form. As recorded. */
function isRedacted(name: string, value: string): boolean {
  if (/TOKEN|SECRET|PASSWORD|API_KEY|SESSION|AUTH/.test(name)) return true;
  if (/_ID$|_SHA$|^COMMIT$/.test(name)) return false;
  return /^[0-9a-f]{40}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^gs:\/\/.{20}|sk-/.test(value);
}

function taskOf(job: Job, isMay: boolean): object {
  const last = job.attempts.at(-1);
  const { launched, taskState, error } = job;
  // Only the newest attempt; in May a KILLED task had no end time.
  return {
    taskId: `${launched.name}/0`,
    state: taskState,
    workerId: last?.workerId ?? '',
    exitCode: last?.exitCode ?? 0,
    error,
    ...given('startedAt', last?.startedAt ?? null),
    ...given('finishedAt', isMay && taskState === 'TASK_STATE_KILLED' ? null : (last?.finishedAt ?? null)),
    currentAttemptId: last?.attemptId ?? -1,
    ...(last === undefined ? { canBeScheduled: true } : { attempts: [attemptOf(last)] }),
    ...(job.pendingReason === '' ? {} : { pendingReason: job.pendingReason }),
  };
}

function attemptOf({ startedAt, finishedAt, ...attempt }: Attempt): object {
  return { ...attempt, ...given('startedAt', startedAt), ...given('finishedAt', finishedAt) };
}

function logsOf(world: IrisJobs, asked: z.infer<typeof logsRequest>): object {
  const isExact = asked.matchScope === 'MATCH_SCOPE_EXACT';
  const all = world.lines();
  const own = all.filter(({ key }) => (isExact ? key === asked.source : key.startsWith(asked.source)));
  const after = own.filter(({ cursor }) => cursor > asked.cursor);
  const given = asked.tail ? own.slice(-asked.maxLines) : after.slice(0, asked.maxLines);
  const last = given.at(-1)?.cursor ?? (asked.tail ? 0 : asked.cursor);
  const entries = given.map(({ key, data, attemptId, epochMs }) => ({
    ...{ timestamp: at(epochMs), source: 'stdout', data, attemptId, level: 'LOG_LEVEL_UNKNOWN' },
    ...(isExact ? {} : { key }),
  }));
  return { ...(entries.length === 0 ? {} : { entries }), cursor: String(last) };
}

function malformedOr(jobId: string, otherwise: RpcAnswer): RpcAnswer {
  return jobId.startsWith('/')
    ? otherwise
    : complaint(500, 'internal', `RPC: Job name must use canonical '/<user>/<job>[...]' format: ${jobId}`);
}

function notFound(jobId: string): RpcAnswer {
  return complaint(404, 'not_found', `Job ${jobId} not found`);
}

function complaint(status: number, code: string, message: string): RpcAnswer {
  return { status, body: { code, message } };
}

function said(body: object): RpcAnswer {
  return { status: 200, body };
}

function at(epochMs: number): object {
  return { epochMs: String(epochMs) };
}

function given(name: string, epochMs: number | null): object {
  return epochMs === null ? {} : { [name]: at(epochMs) };
}
