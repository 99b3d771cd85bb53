/** Outputs that outlive their program. */

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Enough to read what is left in a pipe (64 KiB), even on a busy machine. */
const PROGRAM_OUTPUT_QUIET_MS = 2_000;
/** Output after this time comes from another process. */
const PROGRAM_OUTPUT_HELD_MS = 10_000;

/**
 * Closes the outputs of an ended program that another process holds open (`ssh -f`, a shared ssh connection); otherwise waiting for their
 * end never finishes. Call it once, right after the start. Stops after `PROGRAM_OUTPUT_QUIET_MS` without output, at the latest after
 * `PROGRAM_OUTPUT_HELD_MS`.
 */
export function letGoOfHeldOutputs(child: ChildProcess): void {
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
  child.once('exit', () => {
    let read = bytesOf(outputs);
    let heldMs = 0;
    const timer = setInterval(() => {
      if (outputs.every((output) => output.closed)) return clearInterval(timer);
      const now = bytesOf(outputs);
      heldMs += PROGRAM_OUTPUT_QUIET_MS;
      if (now > read && heldMs < PROGRAM_OUTPUT_HELD_MS) {
        read = now;
        return;
      }
      clearInterval(timer);
      for (const output of outputs) output.destroy();
    }, PROGRAM_OUTPUT_QUIET_MS);
    child.once('close', () => clearInterval(timer));
  });
}

function bytesOf(outputs: readonly Readable[]): number {
  // A child's pipes are sockets, which count bytes.
  return outputs.reduce((sum, output) => sum + Number('bytesRead' in output ? output.bytesRead : 0), 0);
}
