/** Queues the triggers of every repository. A bounded pool of workers handles them, one batch of a repository at a time. */

import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { Worker } from '../control/worker.ts';
import type { Log } from '../lab.ts';
import { type Discovery, type InstalledRepository, installedOf, repositorySchema } from './discovery.ts';

/** Maximum number of waiting triggers; further triggers are replaced by a sweep. */
const TRIGGERS_WAITING_MAX = 200;

/** A sweep of 1,000 repositories takes minutes, and a command must not wait for it. */
const PRIORITY = { sweep: 0, other: 1 } as const;

/** `unconfigured`: the repository has no config, so nothing was done. `failed`: the next trigger or sweep repeats the work. */
export type Handled = 'handled' | 'unconfigured' | 'failed';

export type Queues = {
  /** Queues the trigger of a webhook. Payloads without trigger, repository or installation need no work. */
  readonly trigger: (payload: unknown, trigger: ReconcileRequest | null) => Promise<Handled>;
  /** Sweeps every repository. `isOwed`: lists the installations again; no repository may skip the sweep. */
  readonly sweep: (isOwed: boolean) => Promise<void>;
  /** Starts no further batch, and waits for the running ones. Resolves to the number of batches that are still running then. */
  readonly stop: (patienceMs: number) => Promise<number>;
  readonly state: () => {
    /** Repositories with triggers that wait for a worker. */
    readonly waiting: number;
    readonly busy: number;
    readonly opened: number;
    readonly liveRuns: number;
    /** When the last successful sweep ended. */
    readonly sweptAtMs: number | null;
  };
};

export type QueuesPorts = {
  /** How many batches run at the same time. */
  readonly workers: number;
  readonly installed: Discovery;
  /** Null if the repository has no config. `wake` queues a trigger that the worker causes. */
  readonly open: (where: InstalledRepository, wake: (trigger: ReconcileRequest) => void) => Promise<Worker | null>;
  readonly onBatch: (result: Handled, durationMs: number) => void;
  readonly now: () => number;
  readonly log: Log;
};

type RepositoryQueue = {
  /** As the latest trigger describes the repository. */
  repository: InstalledRepository;
  waiting: ReconcileRequest[];
  /** Of the waiting triggers. */
  batch: PromiseWithResolvers<Handled>;
  progress: 'idle' | 'queued' | 'running';
  opening: Promise<Worker | null> | null;
  worker: Worker | null;
  recheckTimer: NodeJS.Timeout | undefined;
};

const payloadSchema = z.object({ repository: repositorySchema, installation: z.object({ id: z.number().int() }) });

/** The queues of a server, without any work. */
export function createQueues(ports: QueuesPorts): Queues {
  const pool = new PQueue({ concurrency: ports.workers });
  // By installation too: after a reinstallation, the old tokens are invalid, so the repository needs a new worker.
  const queues = new Map<string, RepositoryQueue>();
  let sweptAtMs: number | null = null;
  const push = (where: InstalledRepository, trigger: ReconcileRequest): Promise<Handled> => {
    const key = `${where.installation} ${where.repository}`;
    const queue = queues.get(key) ?? emptyQueue(where);
    queues.set(key, queue);
    queue.repository = where;
    return pushTo(queue, trigger);
  };
  const pushTo = createPush(ports, pool);
  const workers = (): readonly Worker[] => [...queues.values()].flatMap(({ worker }) => worker ?? []);
  return {
    trigger: async (payload, trigger) => {
      const parsed = payloadSchema.safeParse(payload);
      if (trigger === null || !parsed.success) return 'handled';
      return push(installedOf(parsed.data.repository, parsed.data.installation.id), trigger);
    },
    sweep: async (isOwed) => {
      const installed = await ports.installed(isOwed);
      const trigger: ReconcileRequest = isOwed ? { kind: 'sweep', isOwed } : { kind: 'sweep' };
      const results = await Promise.all(installed.map((where) => push(where, trigger)));
      // A broken repository must not hide that the others are swept; without GitHub every one fails.
      const isDone = results.includes('handled') || !results.includes('failed');
      if (results.length > 0 && isDone) sweptAtMs = ports.now();
    },
    stop: async (patienceMs) => {
      pool.pause();
      pool.clear();
      await Promise.race([pool.onPendingZero(), sleep(patienceMs, undefined, { ref: false })]);
      return pool.pending;
    },
    state: () => ({
      waiting: pool.size,
      busy: pool.pending,
      opened: workers().length,
      liveRuns: workers().reduce((sum, worker) => sum + worker.liveRuns(), 0),
      sweptAtMs,
    }),
  };
}

function emptyQueue(where: InstalledRepository): RepositoryQueue {
  const batch = Promise.withResolvers<Handled>();
  return {
    repository: where,
    waiting: [],
    batch,
    progress: 'idle',
    opening: null,
    worker: null,
    recheckTimer: undefined,
  };
}

type Push = (queue: RepositoryQueue, trigger: ReconcileRequest) => Promise<Handled>;

function createPush({ open, onBatch, now, log }: QueuesPorts, pool: PQueue): Push {
  const workerOf = async (queue: RepositoryQueue): Promise<Worker | null> => {
    if (queue.worker !== null) return queue.worker;
    queue.opening ??= open(queue.repository, (trigger) => void push(queue, trigger));
    try {
      queue.worker = await queue.opening;
      return queue.worker;
    } finally {
      queue.opening = null;
    }
  };
  const run = async (queue: RepositoryQueue): Promise<void> => {
    const { waiting, batch } = queue;
    queue.waiting = [];
    queue.batch = Promise.withResolvers();
    queue.progress = 'running';
    const startedAtMs = now();
    let result: Handled = 'failed';
    try {
      const worker = await workerOf(queue);
      await worker?.handle(waiting);
      result = worker === null ? 'unconfigured' : 'handled';
    } catch (error) {
      // Do not retry now: the next trigger or sweep does. A failing repository must not affect the others.
      log(`${queue.repository.repository}: a trigger failed: ${traceOf(error)}`);
    }
    onBatch(result, now() - startedAtMs);
    batch.resolve(result);
    queue.progress = 'idle';
    if (queue.waiting.length > 0) enqueue(queue);
    else lookAgain(queue);
  };
  const enqueue = (queue: RepositoryQueue): void => {
    const priority = queue.waiting.every(({ kind }) => kind === 'sweep') ? PRIORITY.sweep : PRIORITY.other;
    const id = `${queue.repository.installation} ${queue.repository.repository}`;
    const isQueued = queue.progress === 'queued';
    queue.progress = 'queued';
    if (isQueued) pool.setPriority(id, priority);
    else void pool.add(() => run(queue), { id, priority });
  };
  const lookAgain = (queue: RepositoryQueue): void => {
    clearTimeout(queue.recheckTimer);
    const pauseMs = queue.worker?.recheckMs() ?? null;
    if (pauseMs === null) return;
    queue.recheckTimer = setTimeout(() => void push(queue, { kind: 'workflow-ended' }), pauseMs).unref();
  };
  const push: Push = (queue, trigger) => {
    // A stopping server does not start work; the next server sweeps.
    if (pool.isPaused) return Promise.resolve('failed');
    // React immediately, even while a batch is running.
    if (trigger.kind === 'comment')
      workerOf(queue)
        .then((worker) => worker?.acknowledge(trigger))
        .catch((error: unknown) => log(`${queue.repository.repository}: a receipt failed: ${traceOf(error)}`));
    queue.waiting =
      queue.waiting.length >= TRIGGERS_WAITING_MAX
        ? [
            { kind: 'sweep', isOwed: true },
            ...queue.waiting.filter((w) => w.kind === 'comment').slice(-TRIGGERS_WAITING_MAX / 2),
            trigger,
          ]
        : [...queue.waiting, trigger];
    // A free worker starts the batch, and with it the next one, before `enqueue` returns.
    const { promise } = queue.batch;
    if (queue.progress !== 'running') enqueue(queue);
    return promise;
  };
  return push;
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
