/** Lets go of a program's outputs when it has ended and somebody else still holds them: their end would never come. */

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { limits } from '../domain/limits.ts';

/**
 * To be called once, right after the start. A child that left the program's group (`ssh -f`, the master of a shared ssh
 * connection) keeps the pipes open for as long as it lives, and whoever waits for their end waits with it. What the
 * program itself wrote stands in the pipe when it ends, so that after `limits.programOutputQuietMs` without a byte all
 * of it has been read; one that goes on talking is heard for `limits.programOutputHeldMs`.
 */
export function letGoOfHeldOutputs(child: ChildProcess): void {
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
  child.once('exit', () => {
    let read = bytesOf(outputs);
    let heldMs = 0;
    const timer = setInterval(() => {
      if (outputs.every((output) => output.closed)) return clearInterval(timer);
      const now = bytesOf(outputs);
      heldMs += limits.programOutputQuietMs;
      if (now > read && heldMs < limits.programOutputHeldMs) {
        read = now;
        return;
      }
      clearInterval(timer);
      for (const output of outputs) output.destroy();
    }, limits.programOutputQuietMs);
    child.once('close', () => clearInterval(timer));
  });
}

function bytesOf(outputs: readonly Readable[]): number {
  // Pipes of a child are sockets, which count.
  return outputs.reduce((sum, output) => sum + Number('bytesRead' in output ? output.bytesRead : 0), 0);
}
