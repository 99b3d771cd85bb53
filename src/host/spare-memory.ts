/** Gives back memory that this process does not need: V8 lets garbage lie until its heap is several times what is alive. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So much garbage may lie: collecting takes some hundred milliseconds, a look at a job leaves a hundred kilobytes, and V8 holds several times what lies. */
const GARBAGE_BYTES_MAX = 12 * 2 ** 20;

/** Collects where there may be that much garbage since it was last asked to; says whether it did. */
export function createMemorySaver(): () => boolean {
  let aliveBytes = 0;
  return () => {
    const { heapUsed } = process.memoryUsage();
    if (heapUsed < aliveBytes + GARBAGE_BYTES_MAX) return false;
    collect();
    aliveBytes = process.memoryUsage().heapUsed;
    return true;
  };
}

/** Whoever starts the action can give Node no options, and `gc` is there for whoever asks before a context is made. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
