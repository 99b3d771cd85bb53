/** The Ray from `npm run setup:ray`: its location, and suites that need it. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/** The environment's programs: `ray`, `python`, `uv`. */
export const RAY_BIN = fileURLToPath(new URL('../../.tools/ray/bin', import.meta.url));

/** Whether `npm run setup:ray` completed here. */
export function isRayThere(): boolean {
  return existsSync(new URL('../../.tools/ray/ferrybot-setup.json', import.meta.url));
}

/** A suite on a real Ray head: skipped with a reason if there is none; in CI a skip fails the run. */
export function describeWithRay(name: string, suite: () => void): void {
  const skipReason = 'there is no .tools/ray: npm run setup:ray makes it';
  describe.skipIf(!isRayThere())(name, { meta: { skipReason } }, suite);
}
