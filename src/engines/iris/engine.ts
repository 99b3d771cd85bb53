/** The `iris` engine: runs jobs on an Iris cluster over the RPC of its controller, never through the Iris command line. */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  type Engine,
  type EngineSession,
  findCommit,
  type JobDescription,
  type LiveJob,
  type StopOutcome,
  toJobDescription,
} from '../../domain/engine.ts';
import { known, type Observed, unknown } from '../../domain/values.ts';
import { createKept } from '../../host/memory.ts';
import { redact } from '../../host/redactor.ts';
import type { ComposedEngine, EngineHost } from '../definition.ts';
import { callOverHttp, type Http, type TokenHeaders, tokenHeaders } from '../shared/http.ts';
import {
  cutEntrypoint,
  guardWithCapabilities,
  stopAndConfirm,
  stoppingOutcome,
  toShellLine,
  unknownOutcome,
} from '../shared/kit.ts';
import { listFilesLeftOut } from '../shared/package-files.ts';
import type { IrisCluster } from './definition.ts';
import { createIrisLogReader, type IrisLogReader } from './log-reader.ts';
import { isMissing, observeOnIris, readProcess } from './observe.ts';
import {
  authenticationAnswer,
  buildIrisId,
  call,
  type IrisSettings,
  irisLimits,
  listAnswer,
  statusAnswer,
} from './request.ts';
import { IRIS, submitToIris } from './submit.ts';

const nothing = z.object({});

/** Builds the engine for one cluster of the config. */
export function compose({ environment, now }: EngineHost, cluster: IrisCluster): ComposedEngine {
  const { tokenFrom } = cluster;
  const token = tokenFrom === null ? null : environment[tokenFrom] || null;
  const headers = tokenHeaders(cluster.tokenCommands, { environment, now });
  return { engine: createIrisEngine({ cluster, token, now, headers }), close: async () => undefined };
}

export type IrisEngineOptions = {
  readonly cluster: IrisCluster;
  readonly token: string | null;
  readonly now: () => number;
  readonly headers?: TokenHeaders;
  readonly http?: Http;
  readonly sleep?: (durationMs: number) => Promise<unknown>;
};

/** An engine over one controller. Its only local state is the positions in the logs that it reads. */
export function createIrisEngine(options: IrisEngineOptions): Engine {
  const settings = toSettings(options);
  const readers = createKept<IrisLogReader>(irisLimits.readersKept);
  return guardWithCapabilities({
    name: 'iris',
    // A restarted controller keeps its jobs. A controller restored from an old checkpoint loses jobs, and appears the same.
    forgetsWithSession: true,
    session: () => readIrisSession(settings),
    leftOut: (spec) => listFilesLeftOut(spec, IRIS),
    submit: (spec) => submitToIris(settings, spec),
    observe: (jobId, lastSession) => observeOnIris(settings, jobId, lastSession),
    describe: (jobId) => describeOnIris(settings, jobId),
    live: () => liveOnIris(settings),
    readLog: async (jobId, offset) => {
      const read = await readers.get(jobId, () => createIrisLogReader(settings, jobId))(offset);
      // For an unknown job, Iris returns no lines and no error.
      const isNothing = read.kind === 'chunk' && read.nextOffset === 0;
      if (!isNothing) return read;
      const asked = await call(settings, 'status', { jobId: buildIrisId(settings, jobId) }, statusAnswer);
      if (isMissing(asked)) return { kind: 'absent' };
      return asked.kind === 'said' ? read : { kind: 'unknown', message: asked.message };
    },
    stop: (jobId) => stopOnIris(settings, jobId),
  });
}

/** Asks without a key: if authentication is off, every caller is an administrator and Iris ignores keys. */
export async function requiresKey(cluster: IrisCluster): Promise<Observed<boolean>> {
  const headers = tokenHeaders(cluster.tokenCommands, { environment: process.env, now: Date.now });
  const settings = toSettings({ cluster, token: null, now: Date.now, headers });
  const answer = await call(settings, 'authentication', {}, authenticationAnswer);
  return answer.kind === 'said' ? known(answer.value.provider !== '') : unknown(answer.message);
}

function toSettings(options: IrisEngineOptions): IrisSettings {
  const { controller } = options.cluster;
  return {
    http: callOverHttp,
    sleep: (durationMs) => sleep(durationMs),
    headers: async () => ({ kind: 'headers', headers: {} }),
    ...options,
    address: controller.endsWith('/') ? controller : `${controller}/`,
  };
}

/**
 * Describes a job of the cluster's user; jobs of other users have other names. Iris of May 2026 hides values that resemble
 * keys, and so GIT_COMMIT. The job's id starts with the submitter.
 */
async function describeOnIris(settings: IrisSettings, jobId: string): Promise<JobDescription> {
  const seen = await observeOnIris(settings, jobId, null);
  if (seen.kind !== 'found') return seen;
  const answer = await call(settings, 'status', { jobId: buildIrisId(settings, jobId) }, statusAnswer);
  if (answer.kind !== 'said') return { kind: 'unknown', message: answer.message };
  const { job, request } = answer.value;
  const variables = request?.environment?.envVars ?? {};
  const argv = request?.entrypoint?.runCommand?.argv ?? [];
  const line = argv.length === 0 ? null : toShellLine(argv);
  const { GIT_COMMIT, ...others } = variables;
  return toJobDescription(seen, {
    submitter: /^\/([^/]+)\//.exec(job.jobId)?.[1] ?? null,
    entrypoint: cutEntrypoint(redact(line ?? '', Object.values(others))),
    gitCommit: findCommit(GIT_COMMIT),
  });
}

/** A stop may be requested repeatedly. It also ends the job's own children, but no other jobs. */
function stopOnIris(settings: IrisSettings, jobId: string): Promise<StopOutcome> {
  let isAsked = false;
  return stopAndConfirm({
    observe: async () => {
      const seen = await observeOnIris(settings, jobId, null);
      // A controller restored from an old checkpoint has forgotten a job that may still run.
      return seen.kind === 'absent' && isAsked ? unknownOutcome('Iris no longer names the job') : seen;
    },
    ask: async () => {
      isAsked = true;
      const answer = await call(settings, 'terminate', { jobId: buildIrisId(settings, jobId) }, nothing);
      if (isMissing(answer)) return { kind: 'absent' };
      return answer.kind === 'said' ? '' : `the wish may not have arrived: ${answer.message}`;
    },
    giveUp: (_last, complaint) =>
      stoppingOutcome(complaint, 'Iris says KILLED at once; neither the job nor its worker has said that it ended'),
    sleep: settings.sleep,
    pollMs: irisLimits.stopPollMs,
  });
}

/** Iris filters by one state at a time, and only by its own state names. For other names it lists nothing, without an error. */
const STATES = [
  ['pending', 'PENDING'],
  ['building', 'PENDING'],
  ['running', 'RUNNING'],
] as const;

/**
 * Jobs that people launched; a job launched by a job is part of its parent. A list has no variables, so only the name
 * identifies the owner. An incomplete list is unknown, because it may lack the wanted job.
 */
async function liveOnIris(settings: IrisSettings): Promise<Observed<readonly LiveJob[]>> {
  // By id: a job that changes its state between two answers appears in both.
  const jobs = new Map<string, LiveJob>();
  for (const [stateFilter, status] of STATES) {
    for (let offset = 0, isMore = true; isMore; offset += irisLimits.jobsPerList) {
      if (offset >= irisLimits.jobsListedMax)
        return unknown(`more than ${irisLimits.jobsListedMax} jobs are ${stateFilter}`);
      const query = { stateFilter, limit: irisLimits.jobsPerList, offset };
      const answer = await call(settings, 'list', { query }, listAnswer);
      if (answer.kind !== 'said') return unknown(answer.message);
      for (const { jobId, startedAt } of answer.value.jobs) {
        const [, , ...names] = jobId.split('/');
        const id = jobIdFromIris(settings, jobId);
        if (names.length === 1)
          jobs.set(id, { jobId: id, status, startedAtMs: startedAt ?? null, metadata: null, about: jobId });
      }
      isMore = answer.value.hasMore;
    }
  }
  return known([...jobs.values()]);
}

/** The name as submitted, if the job belongs to the configured user. */
function jobIdFromIris(settings: IrisSettings, jobId: string): string {
  const own = buildIrisId(settings, '');
  return jobId.startsWith(own) ? jobId.slice(own.length) : jobId;
}

/** The controller process as an engine session. Iris reports no version. */
async function readIrisSession(settings: IrisSettings): Promise<EngineSession> {
  const process = await readProcess(settings);
  return process.kind === 'unknown' ? process : { kind: 'session', id: process.id, version: '' };
}
