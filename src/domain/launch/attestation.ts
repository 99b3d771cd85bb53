/** What a seal attests. */

import type { EventDataByType } from '../logbook/event.ts';
import type { Attestation } from '../logbook/events/closure-events.ts';
import type { RunState } from '../logbook/run-state.ts';
import { asLaunched } from './next-attempt.ts';
import { citationKey } from './order.ts';

/** What a seal attests about the newest attempt; null if the record is incomplete. */
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

type Sealed = EventDataByType['sealed'];

/**
 * Why a seal contradicts the record, or null. Later runs are compared with sealed metrics, so a stolen control key must not be able to seal
 * metrics that no job reported.
 */
export function sealRule(state: RunState, { commit, metrics, attests }: Sealed): string | null {
  if (commit !== state.submission?.commit) return 'seals another commit than was launched';
  if (!isSame(metrics, state.end?.metrics ?? {})) return 'seals other metrics than the job ended with';
  return attests === undefined ? null : attestationRule(state, attests);
}

function isSame(one: Sealed['metrics'], other: Sealed['metrics']): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function attestationRule(state: RunState, said: Attestation): string | null {
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
