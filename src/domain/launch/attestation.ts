/** What a seal vouches for, as the record has it. */

import type { Attestation } from '../logbook/events/closure-events.ts';
import type { RunState } from '../logbook/run-state.ts';
import { asLaunched } from './next-attempt.ts';
import { citationKey } from './order.ts';

/** Of the newest attempt, which is the one that is sealed; null where the record has not all of it. */
export function attestationOf(state: RunState): Attestation | null {
  const { order, submission, end, approvals } = asLaunched(state);
  if (order === null || submission === null || end === null) return null;
  const cited = new Set(order.order.approvals.map(citationKey));
  const approval = approvals.find((one) => cited.has(citationKey(one)));
  return approval === undefined
    ? null
    : {
        body: approval.body,
        manifest: order.order.digest,
        order: submission.orderDigest,
        submitted: submission.seq,
        ended: end.seq,
      };
}

/** Why what a seal says of its run is not what the record has of it, or null. */
export function attestationRule(state: RunState, said: Attestation): string | null {
  const held = attestationOf(state);
  if (held === null) return 'vouches for what is not in the record';
  for (const part of ['body', 'manifest', 'order', 'submitted', 'ended'] as const)
    if (said[part] !== held[part]) return `vouches for another ${PARTS[part]} than the record has`;
  return null;
}

const PARTS = {
  body: 'text',
  manifest: 'manifest',
  order: 'order',
  submitted: 'job',
  ended: 'end',
} as const;
