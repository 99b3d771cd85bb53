/** What the status of a rental says of its contract, and where it lies (policy VA, Launch Protocol). */

import type { LaneConfig } from '../../config/lane-schema.ts';
import { valueIn } from '../../contracts/fields.ts';
import type { Contract } from '../../domain/launch/contract.ts';
import type { StatusFile } from '../../run/kind.ts';
import { FIELDS, type FieldName } from './contract/fields.ts';
import { rentalLane } from './settings.ts';

/** In the order of the policy: whose it is and for what, and when it ends. */
const SHOWN: readonly FieldName[] = [
  'mandate',
  'reason',
  'objective',
  'kill',
  'teardown',
  'earlyStop',
  'reductions',
  'repairs',
];

/** Null where the lane has none. */
export function statusFileOf(lane: LaneConfig, contract: Contract): StatusFile | null {
  const { status } = rentalLane(lane);
  if (status === null) return null;
  const says = SHOWN.map((name) => [FIELDS[name].label, valueIn(contract, name) ?? 'not said'] as const);
  return { ...status, says };
}
