/** A clock that moves only when a test moves it, and waits for running work before it does. */

import type { Clock } from '../../packages/playground/clock.ts';

export type VirtualClock = Clock & {
  /** Advances in order through every moment that is waited for, and lets each waiter finish its work. */
  readonly advance: (durationMs: number) => Promise<void>;
  /** Hours without processing: waits that end within them trigger late, at their end. */
  readonly skip: (durationMs: number) => Promise<void>;
  /** Lets everything finish that needs no time. */
  readonly settle: () => Promise<void>;
};

/** Turns of the event loop without activity before a moment counts as settled: promises chain over a few. */
const QUIET_TURNS = 30;

/**
 * `activity` counts signs of running work (requests, git transports); it is compared between turns. `idle`
 * resolves when no work is running that takes real time (real requests, processes).
 */
export function createVirtualClock(
  startMs: number,
  activity: () => number,
  idle: () => Promise<void> = async () => undefined,
): VirtualClock {
  let now = startMs;
  let changes = 0;
  const sleepers = new Set<{ readonly atMs: number; readonly trigger: () => void }>();
  const settle = async (): Promise<void> => {
    let before = -1;
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await idle();
      await new Promise((resolve) => setImmediate(resolve));
      const seen = activity() + changes;
      if (seen !== before || isDiskRead()) quiet = 0;
      before = seen;
    }
  };
  const wakeAll = async (end: number): Promise<void> => {
    for (;;) {
      const [next] = [...sleepers].filter(({ atMs }) => atMs <= end).toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) return;
      now = Math.max(now, next.atMs);
      sleepers.delete(next);
      next.trigger();
      await settle();
    }
  };
  return {
    now: () => now,
    settle,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const callOff = (): void => {
          sleepers.delete(sleeper);
          reject(new Error('the wait was called off'));
        };
        // A long-lived signal must not keep a listener for each of thousands of waits.
        const trigger = (): void => {
          signal?.removeEventListener('abort', callOff);
          resolve();
        };
        const sleeper = { atMs: now + Math.max(0, durationMs), trigger };
        changes += 1;
        sleepers.add(sleeper);
        signal?.addEventListener('abort', callOff, { once: true });
      }),
    advance: async (durationMs) => {
      const end = now + durationMs;
      await settle();
      await wakeAll(end);
      now = end;
      await settle();
    },
    skip: async (durationMs) => {
      await settle();
      now += durationMs;
      await wakeAll(now);
      await settle();
    },
  };
}

/** A read of a real folder is running: it takes more turns of the event loop on a busy machine. */
function isDiskRead(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}
