/** Whether an order is what it says it is, and the manifest in the record the one that it names. */

import type { DigestOf } from '../domain/ids.ts';
import { submissionIdOf } from '../domain/launch/order.ts';
import type { IssuedOrder, RunState } from '../domain/logbook/run-state.ts';
import { manifestDigest, orderDigest } from '../run/manifest-digest.ts';

/**
 * The fold has compared most of these as well; a runner that submits under an id compares them itself. What the record says of
 * the manifest decides later how often the job is started again and when its machine goes: it has to be what was approved.
 */
export function orderDefect(
  state: RunState,
  { order, digest, manifest }: IssuedOrder,
  digestOf: DigestOf,
): string | null {
  if (orderDigest(order, digestOf) !== digest) return 'its digest is that of another order';
  if (manifest !== null && manifestDigest(manifest, digestOf) !== order.digest)
    return 'the record has another manifest than the one that it names';
  if (order.run !== state.run) return `it is for the run ${order.run}`;
  return order.submissionId === submissionIdOf(state.run, order.attempt)
    ? null
    : `its submission id is ${order.submissionId}`;
}
