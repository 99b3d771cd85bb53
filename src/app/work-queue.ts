/** One repository's triggers: gathered while work is under way, handled together, one batch at a time. */

import type { ReconcileRequest } from '../domain/reconcile-request.ts';
import type { Worker } from './control/worker.ts';
import type { Log } from './lab.ts';

/** ReconcileRequests of one repository that wait; beyond it they fold into a sweep. */
const TRIGGERS_WAITING_MAX = 200;

export type WorkQueue = {
  readonly push: (trigger: ReconcileRequest) => void;
  /** Resolves when nothing waits and nothing runs. */
  readonly idle: () => Promise<void>;
};

/** A queue before a worker. Beyond the limit triggers fold into one sweep: nothing is lost, since a sweep finds everything. */
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
        // Nothing is lost: what is owed is derivable, and the next trigger or sweep looks again.
        log(`a trigger failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
    }
    running = null;
    clearTimeout(nextLook);
    const pauseMs = worker.lookAgainMs();
    if (pauseMs !== null) nextLook = setTimeout(() => push({ kind: 'workflow-ended' }), pauseMs).unref();
  };

  const push = (trigger: ReconcileRequest): void => {
    // 👀 goes out beside the work under way: a receipt that waits for others is none.
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
