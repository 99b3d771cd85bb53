/**
 * The recorded head: fixtures/ray/answers.json as a Jobs API that keeps jobs and can fail in every known way.
 */

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { Http, HttpResult } from '../../src/engines/shared/http.ts';
import type { RecordedAnswer } from './record-ray.ts';
import { recordedAnswers } from './recorded-answers.ts';

/** What a job of the recorded head does, by its own clock; see `createRecordedRay`. */
export type JobPlan = {
  readonly pendingMs: number;
  /** Null: runs until it is stopped. */
  readonly endAfterMs: number | null;
  readonly exitCode: number;
  readonly log: string;
  /** Bytes that it writes afterwards, possibly invalid UTF-8: Ray then serves the file but no log. */
  readonly bytes?: Uint8Array;
};

type Job = {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly plan: JobPlan;
  readonly submittedAtMs: number;
  stoppedAtMs: number | null;
};

/** What happens to one request instead of a normal response. */
export type Fault =
  | 'lost-before'
  | 'lost-after'
  | 'doubled'
  | 'restart-before'
  | 'restart-after'
  | 'html'
  | 'bad-gateway'
  | 'already-exists';

export type RecordedRay = {
  readonly http: Http;
  /** The same by method, path and body, for a server. */
  readonly answer: (request: Asked) => RecordedAnswer;
  readonly token: string;
  /** All jobs that it ever started: an independent count. */
  readonly started: () => readonly { readonly id: string; readonly session: string; readonly manifest: string }[];
  readonly session: () => string;
  /** A head without external storage: the new session knows nothing, and its jobs are killed. */
  readonly restart: () => void;
  readonly forget: (jobId: string) => void;
  /** Requests so far. */
  readonly requests: () => number;
};

export type Asked = {
  readonly method: string;
  /** Without a leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array | null;
  readonly query?: URLSearchParams;
};

export type RecordedOptions = {
  readonly now: () => number;
  readonly plan?: (entrypoint: string) => JobPlan;
  /** What happens to a request; null: a normal response. */
  readonly fault?: (request: Asked) => Fault | null;
};

const TOKEN = 'recorded-token';
const QUICK: JobPlan = { pendingMs: 0, endAfterMs: null, exitCode: 0, log: '' };
const answers = recordedAnswers(readFileSync(new URL('../../fixtures/ray/answers.json', import.meta.url), 'utf8'));

type Start = { readonly id: string; readonly session: string; readonly manifest: string };

/** The state of one head. */
type Head = {
  readonly jobs: Map<string, Job>;
  readonly packages: Set<string>;
  readonly started: Start[];
  readonly options: RecordedOptions;
  sessions: number;
  requests: number;
};

/** One head. Jobs are data: nothing runs, but every start is counted. */
export function createRecordedRay(options: RecordedOptions): RecordedRay {
  const head: Head = { jobs: new Map(), packages: new Set(), started: [], options, sessions: 1, requests: 0 };
  return {
    http: async (request) => {
      const { pathname, searchParams: query } = request.url;
      const asked = { ...request, path: pathname.slice(1), query };
      return withFault(head, options.fault?.(asked) ?? null, asked);
    },
    answer: (asked) => answer(head, asked),
    token: TOKEN,
    started: () => head.started,
    session: () => sessionOf(head),
    restart: () => restart(head),
    forget: (jobId) => head.jobs.delete(jobId),
    requests: () => head.requests,
  };
}

function sessionOf(head: Head): string {
  return `session_${head.sessions}`;
}

function restart(head: Head): void {
  head.jobs.clear();
  head.packages.clear();
  head.sessions += 1;
}

function answer(head: Head, asked: Asked): RecordedAnswer {
  head.requests += 1;
  const bearer = asked.headers['authorization'];
  if (bearer === undefined) return answers.text('version-no-token', '');
  if (bearer !== `Bearer ${TOKEN}`) return answers.text('version-wrong-token', '');
  if (asked.headers['sec-fetch-mode'] !== undefined && asked.method !== 'GET')
    return answers.text('submit-as-browser', '');
  if (asked.path === 'api/version') return answers.json('version', { session_name: sessionOf(head) });
  if (asked.path === 'api/jobs/') return asked.method === 'POST' ? submit(head, asked) : list(head);
  const name = /^api\/packages\/gcs\/([\w.]+)$/.exec(asked.path)?.[1];
  if (name !== undefined) return ofPackage(head, asked, name);
  if (asked.path === 'api/v0/logs/file') return logFile(head, asked.query ?? new URLSearchParams());
  const [, id, what = ''] = /^api\/jobs\/([\w.-]+)(\/stop|\/logs|)$/.exec(asked.path) ?? [];
  if (id !== undefined) return ofJob(head, id, what);
  return { status: 404, contentType: 'text/plain; charset=utf-8', body: '404: Not Found' };
}

function submit(head: Head, asked: Asked): RecordedAnswer {
  const body: unknown = JSON.parse(String(asked.body));
  const given = new Map(Object.entries(body ?? {}));
  const entrypoint = given.get('entrypoint');
  const id = String(given.get('submission_id'));
  if (typeof entrypoint !== 'string') return answers.text('submit-without-entrypoint', id);
  if (head.jobs.has(id)) return answers.text('submit-again', id);
  const plan = (head.options.plan ?? (() => QUICK))(entrypoint);
  const submittedAtMs = head.options.now();
  head.jobs.set(id, { id, body: Object.fromEntries(given), plan, submittedAtMs, stoppedAtMs: null });
  head.started.push({ id, session: sessionOf(head), manifest: JSON.stringify(given.get('metadata')) });
  return answers.json('submit', { job_id: id, submission_id: id });
}

function list(head: Head): RecordedAnswer {
  const body = [...head.jobs.values()].map((job) => details(job, head.options.now()).body);
  return { ...answers.json('list', {}), body };
}

function ofJob(head: Head, id: string, what: string): RecordedAnswer {
  const job = head.jobs.get(id);
  if (job === undefined) return answers.text('job-unknown', id);
  const nowMs = head.options.now();
  if (what === '/logs' && !isUtf8(job.plan.bytes ?? Buffer.of())) return answers.text('logs-no-utf8', id);
  if (what === '/logs') return answers.json('logs', { logs: logOf(job, nowMs) });
  if (what === '') return details(job, nowMs);
  if (statusOf(job, nowMs) !== 'RUNNING') return answers.json('stop-ended', {});
  job.stoppedAtMs = nowMs;
  return answers.json('stop-running', {});
}

/** The state API's log file: below one node, by its name. */
function logFile(head: Head, query: URLSearchParams): RecordedAnswer {
  const id = /^job-driver-(.+)\.log$/.exec(query.get('filename') ?? '')?.[1] ?? '';
  const job = head.jobs.get(id);
  const isThere = /^0{56}$/.test(query.get('node_id') ?? '') && query.get('lines') === '-1';
  if (job === undefined || !isThere) return answers.text('log-file-unknown', id);
  const file = [logOf(job, head.options.now()), job.plan.bytes ?? ''].map((part) => Buffer.from(part));
  return { ...answers.text('log-file', id), body: Buffer.concat(file) };
}

function ofPackage(head: Head, asked: Asked, name: string): RecordedAnswer {
  if (asked.method === 'PUT') head.packages.add(name);
  return answers.text(head.packages.has(name) ? 'package-there' : 'package-unknown', '');
}

function statusOf(job: Job, nowMs: number): 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'STOPPED' {
  const ranMs = nowMs - job.submittedAtMs - job.plan.pendingMs;
  if (ranMs < 0) return 'PENDING';
  if (job.stoppedAtMs !== null) return 'STOPPED';
  if (job.plan.endAfterMs === null || ranMs < job.plan.endAfterMs) return 'RUNNING';
  return job.plan.exitCode === 0 ? 'SUCCEEDED' : 'FAILED';
}

const RECORDED_AS = {
  PENDING: 'job-pending',
  RUNNING: 'job-running',
  SUCCEEDED: 'job-succeeded',
  FAILED: 'job-failed',
  STOPPED: 'job-stopped',
} as const;

function details(job: Job, nowMs: number): RecordedAnswer {
  const status = statusOf(job, nowMs);
  const hasEnded = status !== 'PENDING' && status !== 'RUNNING';
  const endedAtMs = job.stoppedAtMs ?? job.submittedAtMs + job.plan.pendingMs + (job.plan.endAfterMs ?? 0);
  const { entrypoint, metadata, runtime_env } = { entrypoint: '', metadata: null, runtime_env: null, ...job.body };
  return answers.json(RECORDED_AS[status], {
    submission_id: job.id,
    entrypoint,
    metadata,
    runtime_env,
    start_time: job.submittedAtMs,
    end_time: hasEnded ? endedAtMs : null,
    ...(status === 'FAILED' ? { driver_exit_code: job.plan.exitCode } : {}),
  });
}

/** Ray's lines before the job's output, and that output. */
function logOf(job: Job, nowMs: number): string {
  if (statusOf(job, nowMs) === 'PENDING') return '';
  const { entrypoint } = { entrypoint: '', ...job.body };
  return `Runtime env is setting up.\nRunning entrypoint for job ${job.id}: ${entrypoint}\n${job.plan.log}`;
}

function withFault(head: Head, fault: Fault | null, asked: Asked): HttpResult {
  const lost = { kind: 'failed', sent: true, message: 'ECONNRESET socket hang up' } as const;
  const isActedOn =
    fault !== 'lost-before' && fault !== 'restart-before' && fault !== 'html' && fault !== 'bad-gateway';
  if (isActedOn && fault !== null) answer(head, asked);
  if (fault === 'restart-before' || fault === 'restart-after') restart(head);
  switch (fault) {
    case 'html':
      return resultOf({ status: 200, contentType: 'text/html', body: '<html>hello</html>' });
    case 'bad-gateway':
      return resultOf({ status: 502, contentType: 'text/html', body: '<html>bad gateway</html>' });
    // Ray's own first submit with an internally lost reply (ray-project/ray issue 53946).
    case 'already-exists':
      return resultOf(answers.text('submit-again', 'x'));
    case 'doubled':
    case null:
      return resultOf(answer(head, asked));
    case 'lost-before':
    case 'restart-before':
    case 'lost-after':
    case 'restart-after':
      return lost;
  }
}

function resultOf({ status, contentType, body }: RecordedAnswer): HttpResult {
  const bytes = bytesOf(body);
  const pieces = [bytes].values();
  const iterator: AsyncIterableIterator<Uint8Array> = {
    next: async () => pieces.next(),
    [Symbol.asyncIterator]: () => iterator,
  };
  return {
    kind: 'answer',
    answer: { status, contentType, body: iterator, hold: () => undefined, close: () => undefined },
  };
}

/** A response body as sent over the network. */
export function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
