/** Lets go of a program's outputs when it has ended and somebody else still holds them: their end would never come. */

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** What a program wrote is read within this after its end, also on a loaded machine: a pipe holds 64 KiB. */
const PROGRAM_OUTPUT_QUIET_MS = 2_000;
/** Whoever still writes into the outputs of a program that has ended is not the program. */
const PROGRAM_OUTPUT_HELD_MS = 10_000;

/**
 * To be called once, right after the start. A child that left the program's group (`ssh -f`, the master of a shared ssh
 * connection) keeps the pipes open for as long as it lives, and whoever waits for their end waits with it. What the
 * program itself wrote stands in the pipe when it ends, so that after `PROGRAM_OUTPUT_QUIET_MS` without a byte all
 * of it has been read; one that goes on talking is heard for `PROGRAM_OUTPUT_HELD_MS`.
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
  // Pipes of a child are sockets, which count.
  return outputs.reduce((sum, output) => sum + Number('bytesRead' in output ? output.bytesRead : 0), 0);
}
