/** One repository's wakes: gathered while work is under way, handled together, one batch at a time. */

import { limits } from '../domain/limits.ts';
import type { Wake } from '../domain/wake.ts';
import type { Worker } from './control/worker.ts';
import type { Log } from './lab.ts';

export type WakeQueue = {
  readonly push: (wake: Wake) => void;
  /** Resolves when nothing waits and nothing runs. */
  readonly idle: () => Promise<void>;
};

/** A queue before a worker. Beyond the limit wakes fold into one sweep: nothing is lost, since a sweep finds everything. */
export function createWakeQueue(worker: Worker, log: Log): WakeQueue {
  let waiting: Wake[] = [];
  let running: Promise<void> | null = null;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await worker.handle(batch);
      } catch (error) {
        // Nothing is lost: what is owed is derivable, and the next wake or sweep looks again.
        log(`a wake failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
    }
    running = null;
  };

  return {
    push: (wake) => {
      // 👀 goes out beside the work under way: a receipt that waits for others is none.
      worker.acknowledge(wake).catch((error: unknown) => log(`a receipt failed: ${String(error)}`));
      waiting =
        waiting.length >= limits.wakesWaitingMax
          ? [
              { kind: 'sweep', isOwed: true },
              ...waiting.filter((w) => w.kind === 'comment').slice(-limits.wakesWaitingMax / 2),
              wake,
            ]
          : [...waiting, wake];
      running ??= drain();
    },
    idle: async () => {
      while (running !== null) await running;
    },
  };
}
