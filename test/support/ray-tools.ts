/** The Ray that `npm run setup:ray` made: where it is, and suites that cannot run without it. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/** The environment's programs: `ray`, `python`, `uv`. */
export const RAY_BIN = fileURLToPath(new URL('../../.tools/ray/bin', import.meta.url));

/** Whether `npm run setup:ray` came to its end here. */
export function isRayThere(): boolean {
  return existsSync(new URL('../../.tools/ray/ferrybot-setup.json', import.meta.url));
}

/** A suite on a real Ray head: left out, with the reason printed at the end, where there is none; in CI that fails the run. */
export function describeWithRay(name: string, suite: () => void): void {
  const skipReason = 'there is no .tools/ray: npm run setup:ray makes it';
  describe.skipIf(!isRayThere())(name, { meta: { skipReason } }, suite);
}
