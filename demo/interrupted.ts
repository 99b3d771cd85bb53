/** The end that a person or the system asks a start for. */

import { rehearsal } from '../packages/playground/limits/limits.ts';

/**
 * Resolves when a person (Ctrl-C) or the system asks for the end. npm hands a signal on that the terminal has sent to
 * all already, so only one that comes some time later means: at once.
 */
export async function interrupted(): Promise<null> {
  let firstMs: number | null = null;
  return new Promise((resolve) => {
    const asked = (): void => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > rehearsal.secondSignalMs) process.exit(130);
      resolve(null);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, asked);
    if (process.env['FERRYBOT_STOP_WITH_STDIN'] !== '1') return;
    // Who started us over a pipe and is gone would not stop us any more. The pipe alone keeps nobody waiting.
    process.stdin.once('end', asked).resume();
    process.stdin.unref();
  });
}
