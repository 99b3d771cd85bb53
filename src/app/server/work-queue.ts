/** Queues one repository's triggers and handles them in batches, one batch at a time. */

import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { Worker } from '../control/worker.ts';
import type { Log } from '../lab.ts';

/** Maximum number of waiting triggers; further triggers are replaced by a sweep. */
const TRIGGERS_WAITING_MAX = 200;

export type WorkQueue = {
  readonly push: (trigger: ReconcileRequest) => void;
  /** Resolves when the queue is empty and idle. */
  readonly idle: () => Promise<void>;
};

/** Queues triggers for a worker. If the queue is full, one sweep replaces the triggers, because it finds everything. */
export function createWorkQueue(worker: Worker, log: Log): WorkQueue {
  let waiting: ReconcileRequest[] = [];
  let running: Promise<void> | null = null;
  let nextLook: NodeJS.Timeout | undefined;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await worker.handle(batch);
      } catch (error) {
        // Do not retry now: the next trigger or sweep does.
        log(`a trigger failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
    }
    running = null;
    clearTimeout(nextLook);
    const pauseMs = worker.lookAgainMs();
    if (pauseMs !== null) nextLook = setTimeout(() => push({ kind: 'workflow-ended' }), pauseMs).unref();
  };

  const push = (trigger: ReconcileRequest): void => {
    // React immediately, even while a batch is running.
    worker.acknowledge(trigger).catch((error: unknown) => log(`a receipt failed: ${String(error)}`));
    waiting =
      waiting.length >= TRIGGERS_WAITING_MAX
        ? [
            { kind: 'sweep', isOwed: true },
            ...waiting.filter((w) => w.kind === 'comment').slice(-TRIGGERS_WAITING_MAX / 2),
            trigger,
          ]
        : [...waiting, trigger];
    running ??= drain();
  };

  return {
    push,
    idle: async () => {
      while (running !== null) await running;
    },
  };
}
