/** How old an approval may be, as the config says it in hours. */

import type { LabConfig } from './schema.ts';

const MS_PER_HOUR = 3_600_000;

/** From its writing, by GitHub's clock, to the order and to the claim. */
export function maxAgeMsOf({ approvals }: Pick<LabConfig, 'approvals'>): number {
  return approvals.maxAgeHours * MS_PER_HOUR;
}
