/** The machine's clock plus an offset that can be moved forward, so that a test or a visitor can skip a day. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

export type OffsetClock = Clock & {
  readonly offsetMs: () => number;
  /** Moves the clock forward and wakes every sleeper whose time has passed. */
  readonly advance: (durationMs: number) => void;
};

export function createOffsetClock(startOffsetMs = 0): OffsetClock {
  let offsetMs = startOffsetMs;
  let moved = new AbortController();
  const now = (): number => Date.now() + offsetMs;
  const sleep = async (durationMs: number, signal?: AbortSignal): Promise<void> => {
    const until = now() + durationMs;
    for (let leftMs = durationMs; leftMs > 0; leftMs = until - now()) {
      const jump = moved.signal;
      const trigger = signal === undefined ? jump : AbortSignal.any([jump, signal]);
      try {
        await delay(leftMs, undefined, { signal: trigger });
      } catch (error) {
        // A jump of the clock ends the wait early, and the loop checks the time again. Any other error belongs to the
        // caller.
        if (signal?.aborted === true || !jump.aborted) throw error;
      }
    }
  };
  return {
    now,
    sleep,
    offsetMs: () => offsetMs,
    advance: (durationMs) => {
      if (!Number.isFinite(durationMs) || durationMs < 0) throw new RangeError('a clock moves forward only');
      offsetMs += durationMs;
      const before = moved;
      moved = new AbortController();
      before.abort();
    },
  };
}
