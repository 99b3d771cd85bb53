/**
 * The jobs of the recorded Iris: scheduled, started, ended, lost, and reported late or wrongly like the real
 * ones.
 */

import type { Attempt, IrisPlan, Job, Launched, Line, Release, Run } from './recorded-iris-types.ts';

/**
 * As recorded: a worker that knows (task, attempt) returns its old result; a lost worker is noticed late;
 * KILLED jobs run on.
 */
const NOTICED_AFTER_MS = 50_000;
const YOUNG_MS = 30_000;
const KILL_MS = 500;
/** For the newer release, at any age of the job. */
const CONFIRMED_KILL_MS = 2_000;
const HELD_LINES_MS = 30_000;

export type JobsOptions = {
  readonly now: () => number;
  readonly plan: (command: readonly string[]) => IrisPlan;
  /** A container gets SIGTERM first, so that the wrapper can report; a bare process is killed immediately. */
  readonly runtime: 'container' | 'process';
  readonly release: Release;
};

export type IrisJobs = {
  readonly jobs: Map<string, Job>;
  readonly launch: (launched: Launched) => void;
  readonly terminate: (name: string) => void;
  /** Plays every event that is due by now. */
  readonly tick: () => void;
  readonly lines: () => readonly Line[];
  /** Commands that really started, by the job's name: an independent count. */
  readonly starts: () => readonly string[];
  readonly runs: () => readonly Run[];
  /** Restarts the bundled log server. */
  readonly loseLines: () => void;
  readonly loseWorker: () => void;
  /** Restores an earlier state: later launches are forgotten, and their processes are killed. */
  readonly checkpoint: () => void;
  readonly restore: () => void;
};

export function createIrisJobs({ now, plan, runtime, release }: JobsOptions): IrisJobs {
  const isMay = release === '2026-05-11';
  let jobs = new Map<string, Job>();
  let saved = new Map<string, Job>();
  let store: Line[] = [];
  let nextCursor = 2;
  let heldUntilMs = 0;
  let workers = 1;
  let runs: Run[] = [];
  const starts: string[] = [];
  const marks = new Set<string>();
  /** The results that each worker remembers, by `worker name attempt`. */
  const remembered = new Map<string, { readonly state: string; readonly exitCode: number; readonly error: string }>();
  const lost: { readonly workerId: string; readonly atMs: number }[] = [];

  const worker = (): string => `worker-${workers}`;
  const say = (run: Pick<Run, 'name' | 'attemptId'>, text: string, epochMs: number): void => {
    store.push({
      cursor: nextCursor,
      key: `${run.name}/0:${run.attemptId}`,
      data: text,
      attemptId: run.attemptId,
      epochMs,
    });
    nextCursor += 1;
  };

  const begin = (job: Job, attemptId: number, atMs: number): void => {
    const { name, argv } = job.launched;
    const workerId = worker();
    const attempt: Attempt = {
      ...{ attemptId, workerId, state: 'TASK_STATE_RUNNING', exitCode: 0, error: '' },
      ...{ startedAt: atMs, finishedAt: null, isWorkerFailure: false },
    };
    job.attempts.push(attempt);
    // The newer release distinguishes attempts by more than their number.
    const old = isMay ? remembered.get(`${workerId} ${name} ${attemptId}`) : undefined;
    if (old !== undefined) {
      attempt.startedAt = null;
      finish(job, attempt, old.state, old.exitCode, old.error, atMs);
      return;
    }
    const wrapped = wrapperOf(argv, attemptId, marks);
    const planned = plan(wrapped.command);
    job.state = 'JOB_STATE_RUNNING';
    job.startedAt ??= job.submittedAt;
    job.taskState = 'TASK_STATE_RUNNING';
    const base = { name, attemptId, workerId, beganAtMs: atMs, isReported: true };
    if (wrapped.refusal !== null) {
      const error = `Exit code: 97. stderr: ${wrapped.refusal}`;
      runs.push({ ...base, lines: [], endAtMs: atMs, exitCode: 97, error });
      return;
    }
    starts.push(name);
    const { endAfterMs, exitCode, lines } = planned;
    const said = wrapped.jobId === null ? [] : [`ferrybot begin ${wrapped.jobId}:${attemptId}`];
    runs.push({
      ...base,
      lines: [...said, ...lines].map((text, index) => ({ atMs: atMs + index * 10, text })),
      endAtMs: endAfterMs === null ? null : atMs + endAfterMs,
      exitCode,
      error: exitCode === 0 ? '' : `Exit code: ${exitCode}`,
    });
  };

  const finish = (job: Job, attempt: Attempt, state: string, exitCode: number, error: string, atMs: number): void => {
    Object.assign(attempt, { state, exitCode, error, finishedAt: atMs });
    remembered.set(`${attempt.workerId} ${job.launched.name} ${attempt.attemptId}`, { state, exitCode, error });
    job.error = error;
    if (state === 'TASK_STATE_FAILED') {
      job.failureCount += 1;
      if (job.failureCount <= job.launched.maxRetriesFailure) {
        job.taskState = 'TASK_STATE_PENDING';
        return;
      }
    }
    job.taskState = state;
    job.state = state.replace('TASK', 'JOB');
    job.finishedAt = atMs;
  };

  const noticeLostWorker = (workerId: string, atMs: number): void => {
    for (const job of jobs.values()) {
      const attempt = job.attempts.at(-1);
      if (attempt?.workerId !== workerId || attempt.state !== 'TASK_STATE_RUNNING') continue;
      job.preemptionCount += 1;
      Object.assign(attempt, {
        ...{ state: 'TASK_STATE_WORKER_FAILED', isWorkerFailure: true, finishedAt: atMs },
        error: `Worker ${workerId} failed: worker ping threshold exceeded`,
      });
      job.error = attempt.error;
      if (job.preemptionCount <= job.launched.maxRetriesPreemption) {
        job.taskState = 'TASK_STATE_PENDING';
        job.error = `Retrying (attempt ${attempt.attemptId + 1}, last: task_state_worker_failed)`;
        continue;
      }
      Object.assign(job, { state: 'JOB_STATE_WORKER_FAILED', taskState: 'TASK_STATE_WORKER_FAILED', finishedAt: atMs });
    }
  };

  const speak = (nowMs: number): void => {
    // Lines that were held back are delivered first, in their order.
    if (nowMs >= heldUntilMs) for (const { run, line } of held.splice(0)) say(run, line.text, line.atMs);
    for (const run of runs) {
      const until = Math.min(nowMs, run.endAtMs ?? nowMs);
      while ((run.lines[0]?.atMs ?? Number.POSITIVE_INFINITY) <= until) {
        const line = run.lines.shift();
        if (line !== undefined && nowMs >= heldUntilMs) say(run, line.text, line.atMs);
        else if (line !== undefined) held.push({ run, line });
      }
    }
  };
  const held: { readonly run: Run; readonly line: { readonly atMs: number; readonly text: string } }[] = [];

  const tick = (): void => {
    const nowMs = now();
    while ((lost[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const gone = lost.shift();
      if (gone !== undefined) noticeLostWorker(gone.workerId, gone.atMs);
    }
    for (const job of jobs.values()) {
      const isWaiting = job.taskState === 'TASK_STATE_PENDING' && job.finishedAt === null;
      const startMs = job.submittedAt + plan(wrapperOf(job.launched.argv, 0, new Set()).command).pendingMs;
      if (isWaiting && job.pendingReason === '' && startMs <= nowMs)
        begin(job, job.attempts.length, Math.max(startMs, job.attempts.at(-1)?.finishedAt ?? 0));
    }
    speak(nowMs);
    for (const run of runs.filter(({ endAtMs }) => endAtMs !== null && endAtMs <= nowMs)) {
      const job = jobs.get(run.name);
      const attempt = job?.attempts.find(({ attemptId }) => attemptId === run.attemptId);
      const jobId = jobIdOf(job?.launched.argv ?? []);
      const isSigkill = run.exitCode === -9;
      if (jobId !== null && !isSigkill && run.exitCode !== 97)
        run.lines.splice(0, run.lines.length, {
          atMs: run.endAtMs ?? 0,
          text: `ferrybot end ${jobId}:${run.attemptId} ${run.exitCode}`,
        });
      else run.lines.splice(0);
      speak(nowMs);
      if (!isMay && !run.isReported && attempt !== undefined) attempt.finishedAt ??= run.endAtMs;
      if (run.isReported && job !== undefined && attempt !== undefined)
        finish(
          job,
          attempt,
          run.exitCode === 0 ? 'TASK_STATE_SUCCEEDED' : 'TASK_STATE_FAILED',
          run.exitCode,
          run.error,
          run.endAtMs ?? nowMs,
        );
    }
    runs = runs.filter(({ endAtMs }) => endAtMs === null || endAtMs > nowMs);
  };

  return {
    get jobs() {
      return jobs;
    },
    launch: (launched) => {
      jobs.set(launched.name, {
        ...{ launched, submittedAt: now(), state: 'JOB_STATE_PENDING', taskState: 'TASK_STATE_PENDING' },
        ...{ error: '', pendingReason: '', startedAt: null, finishedAt: null },
        ...{ failureCount: 0, preemptionCount: 0, attempts: [] },
      });
      tick();
    },
    terminate: (name) => {
      const job = jobs.get(name);
      if (job === undefined || job.finishedAt !== null) return;
      Object.assign(job, {
        ...{ state: 'JOB_STATE_KILLED', taskState: 'TASK_STATE_KILLED', error: 'Terminated by user' },
        finishedAt: now(),
      });
      for (const attempt of job.attempts.slice(-1))
        Object.assign(attempt, { state: 'TASK_STATE_KILLED', error: 'Terminated by user' });
      for (const run of runs.filter((one) => one.name === name)) {
        run.isReported = false;
        run.exitCode = runtime === 'container' ? 143 : -9;
        run.endAtMs = isMay ? Math.max(now() + KILL_MS, job.submittedAt + YOUNG_MS) : now() + CONFIRMED_KILL_MS;
      }
    },
    tick,
    lines: () => store,
    starts: () => starts,
    runs: () => runs,
    loseLines: () => {
      if (isMay) {
        store = [];
        nextCursor = 2;
      }
      heldUntilMs = now() + HELD_LINES_MS;
    },
    loseWorker: () => {
      tick();
      const workerId = worker();
      runs = runs.filter((run) => run.workerId !== workerId);
      lost.push({ workerId, atMs: now() + NOTICED_AFTER_MS });
      workers += 1;
    },
    checkpoint: () => {
      tick();
      saved = structuredClone(jobs);
    },
    restore: () => {
      tick();
      jobs = structuredClone(saved);
      // The worker kills processes that the controller does not know.
      for (const run of runs.filter(({ name }) => !jobs.has(name)))
        Object.assign(run, { isReported: false, exitCode: -9, endAtMs: now() });
      tick();
    },
  };
}

/**
 * The wrapper's rules, for commands that are not really run; test/engines/iris-wrapper.test.ts runs the
 * script itself.
 */
function wrapperOf(
  argv: readonly string[],
  attempt: number,
  marks: Set<string>,
): { readonly command: readonly string[]; readonly jobId: string | null; readonly refusal: string | null } {
  const jobId = jobIdOf(argv);
  if (jobId === null) return { command: argv, jobId, refusal: null };
  const [restarts = '0', folder = ''] = argv.slice(5);
  const command = argv.slice(argv.indexOf('--', 7) + 1);
  if (folder === '')
    return {
      command,
      jobId,
      refusal: attempt > Number(restarts) ? `ferrybot refused restart: attempt ${attempt} of Iris` : null,
    };
  const own = `${folder}/${jobId}/attempt-${attempt}`;
  if (marks.has(own))
    return { command, jobId, refusal: `ferrybot refused again: attempt ${attempt} was started before` };
  marks.add(own);
  return { command, jobId, refusal: null };
}

function jobIdOf(argv: readonly string[]): string | null {
  return argv[0] === 'bash' && argv[3] === 'ferrybot' ? (argv[4] ?? null) : null;
}
