/** An engine on virtual time: jobs follow a script, so a five-hour ferry takes no real time. */

import { spendCapability } from '../../src/domain/actions/capability.ts';
import {
  type Engine,
  type FoundJob,
  findCommit,
  isSameJob,
  type Job,
  type JobObservation,
  type JobOrigin,
  type JobSpec,
  type JobStatus,
  type LogRead,
  type StopOutcome,
  type SubmitOutcome,
  stopStep,
  submitStep,
  toJobDescription,
} from '../../src/domain/engine.ts';
import { limits } from '../../src/domain/limits.ts';
import { known } from '../../src/domain/values.ts';
import { completeUtf8Length } from '../../src/host/files.ts';
import type { JobScript } from './ferry-script.ts';

export type SimulatedEngineOptions = {
  /** Virtual time in Unix ms. */
  readonly now: () => number;
  readonly script: (spec: JobSpec) => JobScript;
  /** The engine name that it uses; default `simulated`. */
  readonly name?: string;
};

/** The engine, and controls for tests. */
export type SimulatedEngine = Engine & {
  /** The next call of this method takes effect, but its response is lost: `unknown`. */
  readonly loseNextAnswer: (method: 'submit' | 'describe' | 'observe' | 'readLog' | 'stop') => void;
  /** The next call of this method never returns, like a hanging process. */
  readonly hangNext: (method: 'submit' | 'observe' | 'readLog' | 'stop') => void;
  /** The engine restarts and forgets every job, like a Ray head without external storage. */
  readonly forgetEverything: () => void;
  /** Ends a job as if its machine had failed. */
  readonly failNow: (jobId: string, exitCode: number) => void;
  /** Stops a job outside ferrybot; `by`: the user that the engine reports for it. */
  readonly stopNow: (jobId: string, by?: string) => void;
  /** tracker_metrics.jsonl of a job at this moment, null before the first eval. */
  readonly metricsOf: (jobId: string) => string | null;
  /**
   * Launches a job outside ferrybot; `says`: its log lines, `exitCode`: how it ends after a minute, null = it
   * keeps running.
   */
  readonly launchByHand: (job: ByHand) => void;
  /** How many jobs were really started; for at-most-once, never more than the attempts. */
  readonly startCount: () => number;
};

export type ByHand = {
  readonly jobId: string;
  readonly origin: JobOrigin;
  readonly says: readonly string[];
  readonly exitCode: number | null;
  readonly endAtMs?: number;
};

type SimulatedJob = {
  readonly spec: JobSpec;
  readonly origin?: JobOrigin;
  readonly script: JobScript;
  readonly submittedAtMs: number;
  readonly log: Buffer;
  /** For each line of the script, its end in `log`. */
  readonly lineEnds: readonly number[];
  end: {
    readonly atMs: number;
    readonly status: JobStatus;
    readonly exitCode: number | null;
    readonly by?: string;
  } | null;
};

export function createSimulatedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  const name = options.name ?? 'simulated';
  const jobs = new Map<string, SimulatedJob>();
  const lost = new Set<string>();
  const hanging = new Set<string>();
  let starts = 0;
  let session = 1;
  const sessionId = (): string => `session_${session}`;
  const answer = <Value extends { readonly kind: string }>(
    method: string,
    value: Value,
  ): Value | Promise<Value> | { readonly kind: 'unknown'; readonly message: string } => {
    if (hanging.delete(method)) return new Promise<Value>(() => undefined);
    return lost.delete(method) ? { kind: 'unknown', message: 'the answer was lost' } : value;
  };

  return {
    name,
    forgetsWithSession: true,
    session: async () => ({ kind: 'session', id: sessionId(), version: 'simulated' }),
    submit: async (spec, permit) => {
      spendCapability(permit, submitStep(spec));
      const outcome = submit(jobs, spec, options, name, sessionId());
      if (outcome.kind === 'submitted') starts += 1;
      return answer('submit', outcome);
    },
    observe: async (jobId, lastSession) =>
      answer('observe', observe(jobs.get(jobId), sessionId(), lastSession, options.now())),
    describe: async (jobId) => {
      const job = jobs.get(jobId);
      const seen = observe(job, sessionId(), null, options.now());
      const { command = [], env = {} } = job?.spec ?? {};
      return answer(
        'describe',
        toJobDescription(
          seen,
          job?.origin ?? {
            submitter: 'runner',
            entrypoint: command.join(' '),
            gitCommit: findCommit(env['GIT_COMMIT']),
          },
        ),
      );
    },
    live: async () =>
      known(
        [...jobs].flatMap(([jobId, job]) => {
          const seen = observe(job, sessionId(), null, options.now());
          if (seen.kind !== 'found') return [];
          const { status, startedAtMs, metadata } = seen;
          const about = job.origin?.entrypoint ?? job.spec.command.join(' ');
          return [{ jobId, status, startedAtMs, about, metadata: job.origin === undefined ? metadata : null }];
        }),
      ),
    readLog: async (jobId, offset) => answer('readLog', readLog(jobs.get(jobId), offset, options.now())),
    stop: async (jobId, permit) => {
      spendCapability(permit, stopStep(jobId));
      return answer('stop', stop(jobs.get(jobId), options.now()));
    },
    loseNextAnswer: (method) => lost.add(method),
    hangNext: (method) => hanging.add(method),
    forgetEverything: () => {
      jobs.clear();
      session += 1;
    },
    failNow: (jobId, exitCode) => {
      const job = jobs.get(jobId);
      if (job !== undefined) job.end ??= { atMs: options.now(), status: 'FAILED', exitCode };
    },
    stopNow: (jobId, by) => {
      const job = jobs.get(jobId);
      if (job === undefined) return;
      job.end ??= { atMs: options.now(), status: 'STOPPED', exitCode: null, ...(by === undefined ? {} : { by }) };
    },
    metricsOf: (jobId) => {
      const job = jobs.get(jobId);
      const atMs = job === undefined ? -1 : runTime(job, options.now());
      return job?.script.metrics.findLast((snapshot) => snapshot.atMs <= atMs)?.text ?? null;
    },
    launchByHand: ({ jobId, origin, says, exitCode, endAtMs = 60_000 }) => {
      const metadata = { run: 'nobodys', attempt: 0, manifest: '' };
      const spec = { submissionId: jobId, command: ['by-hand'], env: {}, workingDirectory: '/', metadata };
      const lines = says.map((text, index) => ({ atMs: index * 1_000, text }));
      const isEndless = exitCode === null;
      const script = { pendingMs: 0, lines, endAtMs: isEndless ? 1e12 : endAtMs, exitCode: exitCode ?? 0, metrics: [] };
      submit(jobs, spec, { ...options, script: () => script }, name, sessionId());
      const job = jobs.get(jobId);
      if (job !== undefined) jobs.set(jobId, { ...job, origin });
    },
    startCount: () => starts,
  };
}

function submit(
  jobs: Map<string, SimulatedJob>,
  spec: JobSpec,
  options: SimulatedEngineOptions,
  name: string,
  session: string,
): SubmitOutcome {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(spec.submissionId))
    return { kind: 'rejected', code: 'bad-submission-id', message: 'not an id' };
  if ((spec.command[0] ?? '') === '') return { kind: 'rejected', code: 'empty-command', message: 'no program' };
  const there = jobs.get(spec.submissionId);
  if (there !== undefined) {
    const found = there.spec.metadata;
    return isSameJob(found, spec.metadata)
      ? { kind: 'adopted', job: jobOf(spec, name, session) }
      : { kind: 'conflict', found };
  }
  if (spec.adoptOnly === true) return { kind: 'absent' };
  const script = options.script(spec);
  const texts = script.lines.map((line) => Buffer.from(`${line.text}\n`));
  let end = 0;
  const lineEnds = texts.map((text) => (end += text.length));
  const submittedAtMs = options.now();
  jobs.set(spec.submissionId, { spec, script, submittedAtMs, log: Buffer.concat(texts), lineEnds, end: null });
  return { kind: 'submitted', job: jobOf(spec, name, session) };
}

function jobOf(spec: JobSpec, engine: string, session: string): Job {
  const { submissionId: jobId, metadata } = spec;
  const locator = {
    kind: 'process',
    pid: 4242,
    processStart: '1',
    exitRecord: `/state/jobs/${jobId}/exit.json`,
    log: `/state/jobs/${jobId}/log`,
    workingDirectory: spec.workingDirectory,
  } as const;
  return { engine, jobId, metadata, session, locator };
}

function observe(
  job: SimulatedJob | undefined,
  session: string,
  lastSession: string | null,
  nowMs: number,
): JobObservation {
  if (job === undefined)
    return lastSession === null || lastSession === session
      ? { kind: 'absent', session }
      : { kind: 'state-lost', session, message: 'the engine restarted' };
  const startedAtMs = job.submittedAtMs + job.script.pendingMs;
  const end = endOf(job, nowMs);
  const found: FoundJob = {
    kind: 'found',
    status: nowMs < startedAtMs ? 'PENDING' : 'RUNNING',
    message: nowMs < startedAtMs ? 'Job has not started yet.' : 'Job is currently running.',
    errorType: null,
    exitCode: null,
    startedAtMs: nowMs < startedAtMs ? null : startedAtMs,
    endedAtMs: null,
    metadata: job.origin === undefined ? job.spec.metadata : null,
    session,
    details: {},
  };
  if (end === null) return found;
  const failed = end.status === 'FAILED';
  return {
    ...found,
    status: end.status,
    message: failed
      ? `Job entrypoint command failed with exit code ${end.exitCode}.`
      : end.status === 'SUCCEEDED'
        ? 'Job finished successfully.'
        : `Job ${end.status}.`,
    errorType: failed ? 'JOB_ENTRYPOINT_COMMAND_ERROR' : null,
    exitCode: end.exitCode,
    endedAtMs: end.atMs,
    details: end.by === undefined ? {} : { stoppedBy: end.by },
  };
}

function endOf(job: SimulatedJob, nowMs: number): SimulatedJob['end'] {
  const scriptedAtMs = job.submittedAtMs + job.script.pendingMs + job.script.endAtMs;
  if (job.end !== null && job.end.atMs < scriptedAtMs) return job.end;
  if (nowMs < scriptedAtMs) return null;
  const { exitCode } = job.script;
  return { atMs: scriptedAtMs, status: exitCode === 0 ? 'SUCCEEDED' : 'FAILED', exitCode };
}

/** How long the command has run: at most until its end, negative while it is pending. */
function runTime(job: SimulatedJob, nowMs: number): number {
  const untilMs = endOf(job, nowMs)?.atMs ?? nowMs;
  return untilMs - job.submittedAtMs - job.script.pendingMs;
}

function readLog(job: SimulatedJob | undefined, offset: number, nowMs: number): LogRead {
  if (job === undefined) return { kind: 'absent' };
  const ranMs = runTime(job, nowMs);
  const visible = job.lineEnds[job.script.lines.findLastIndex((line) => line.atMs <= ranMs)] ?? 0;
  if (offset > visible) return { kind: 'rewound', sizeBytes: visible };
  const until = Math.min(visible, offset + limits.logChunkBytesMax);
  const piece = job.log.subarray(offset, until);
  const bytes = piece.subarray(0, completeUtf8Length(piece));
  const nextOffset = offset + bytes.length;
  return { kind: 'chunk', bytes, offset, nextOffset, atEnd: until >= visible };
}

function stop(job: SimulatedJob | undefined, nowMs: number): StopOutcome {
  if (job === undefined) return { kind: 'absent' };
  const end = endOf(job, nowMs);
  if (end !== null) return { kind: 'already-ended', status: end.status };
  if (job.script.ignoresStop === true) return { kind: 'stopping' };
  job.end = { atMs: nowMs, status: 'STOPPED', exitCode: null };
  return { kind: 'stopped' };
}
