/** A cancellable wait on the executor's clock. */

import type { Executor } from './runner-types.ts';

/** Calls `onTime` after the wait, unless the returned function was called before. */
export function startTimer(executor: Executor, durationMs: number, onTime: () => void): () => void {
  const off = new AbortController();
  const wait = async (): Promise<void> => {
    try {
      await executor.sleep(durationMs, off.signal);
    } catch (error) {
      // A clock may reject a cancelled wait. Any other rejection is a bug and must be visible.
      if (off.signal.aborted) return;
      throw error;
    }
    if (!off.signal.aborted) onTime();
  };
  void wait();
  return () => off.abort();
}
