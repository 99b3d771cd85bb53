/** The engine behind each cluster name, as the config of this process's runner says. */

import { isAbsolute, join } from 'node:path';
import { createLocalEngine } from '../clusters/local/engine.ts';
import type { LabConfig } from '../config/schema.ts';
import { assertNever } from '../domain/assert.ts';
import type { Engine } from '../domain/engine.ts';

/** An engine by cluster; null where the config names none. `stateDirectory` outlives the runner's checkout. */
export function engineFor(
  config: LabConfig,
  cluster: string,
  stateDirectory: string,
  now: () => number,
): Engine | null {
  const found = config.clusters[cluster];
  if (found === undefined) return null;
  switch (found.engine) {
    case 'local':
      return createLocalEngine({
        directory: isAbsolute(found.jobs) ? found.jobs : join(stateDirectory, found.jobs),
        now,
      });
    case 'ray':
      return null;
    default:
      return assertNever(found);
  }
}
