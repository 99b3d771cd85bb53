/** Waits for a person's or the system's request to end a start. */

import { rehearsal } from '../packages/playground/limits/limits.ts';

/**
 * Resolves when a person (Ctrl-C) or the system requests the end. npm forwards a signal that the terminal has already
 * sent to all processes, so only a second signal after some time means an immediate end.
 */
export async function waitForInterrupt(): Promise<null> {
  let firstMs: number | null = null;
  return new Promise((resolve) => {
    const onRequest = (): void => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > rehearsal.secondSignalMs) process.exit(130);
      resolve(null);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onRequest);
    if (process.env['FERRYBOT_STOP_WITH_STDIN'] !== '1') return;
    // If the parent that started us over a pipe is gone, it can no longer stop us. The pipe does not keep the process
    // alive.
    process.stdin.once('end', onRequest).resume();
    process.stdin.unref();
  });
}
