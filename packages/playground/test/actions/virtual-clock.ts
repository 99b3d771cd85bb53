/** A clock that moves only when a test moves it. */

import type { Clock } from '../../clock.ts';

export type VirtualClock = Clock & {
  /** Moves forward and wakes every sleeper on the way, in order. */
  readonly advance: (durationMs: number) => Promise<void>;
};

export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs;
  const sleepers = new Set<{ readonly atMs: number; readonly trigger: () => void }>();
  const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { atMs: now + durationMs, trigger: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(new Error('the wait was called off'));
        });
      }),
    advance: async (durationMs) => {
      const end = now + durationMs;
      for (;;) {
        await breathe();
        const [next] = [...sleepers].filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        now = Math.max(now, next.atMs);
        sleepers.delete(next);
        next.trigger();
      }
      now = end;
      await breathe();
    },
  };
}
