/** The event that proposes a change of a cluster: the change, its exact calls, and the evidence, all under one digest. */

import type { ActionEvidence, ActionProposal } from '../domain/actions/action.ts';
import type { DigestOf } from '../domain/ids.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { canonicalDigest } from '../logbook/canonical.ts';

export type ActionDraft = Extract<EventDraft, { type: 'action-proposed' }>;

/** `role`: the process that proposes it. Throws if it has no step. */
export function proposeAction(
  role: 'control' | 'watch',
  what: Omit<ActionProposal, 'v' | 'evidence'>,
  evidence: ActionEvidence,
  digestOf: DigestOf,
): ActionDraft {
  if (what.steps.length === 0) throw new Error('a proposal without a step');
  const proposal: ActionProposal = { v: 1, ...what, evidence: canonicalDigest(evidence, digestOf) };
  const digest = canonicalDigest(proposal, digestOf);
  return { type: 'action-proposed', role, data: { proposal, digest, evidence } };
}
