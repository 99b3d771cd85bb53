/** Who may approve which action: one rule for the control process and the runner. */

import type { ListedPeople } from '../config/approvals-schema.ts';
import { canApprove } from '../config/approvals-schema.ts';
import { traitsFor } from '../config/lane-of-file.ts';
import type { LabConfig } from '../config/schema.ts';
import type { ActionEvidence, ActionProposal, ActionRecord } from '../domain/actions/action.ts';
import { type Actor, type Permission, permits } from '../domain/actor.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { type Digest, type DigestOf, fromRfc3339, type Instant } from '../domain/values.ts';
import { canonicalDigest } from '../logbook/chain.ts';

export type ActionApprovers = {
  /** The lowest permission that may approve a change of a cluster. */
  readonly care: Permission;
  /** Who may approve a launch, and with it the deletion of checkpoints. */
  readonly permission: Permission;
  readonly users: readonly ListedPeople[];
  readonly onePersonIsEnough: boolean;
};

/** `not-permitted`: the permission is too low; `own`: this person asked for the list. Null if the person may approve. */
export function findApproverFault(
  { proposal: { change } }: Pick<ActionRecord, 'proposal'>,
  { id }: Pick<Actor, 'id'>,
  held: Permission,
  approvers: ActionApprovers,
): 'not-permitted' | 'own' | null {
  if (change.kind !== 'delete-checkpoint') return permits(held, approvers.care) ? null : 'not-permitted';
  if (!canApprove(held, id, approvers)) return 'not-permitted';
  return change.requestedBy.id === id && !approvers.onePersonIsEnough ? 'own' : null;
}

/** The period in which the config's own approvals are counted. */
const PRE_APPROVAL_PERIOD_MS = 24 * 60 * 60 * 1_000;

/** The config's pre-approval for this proposal; null if the config can never approve such a change. */
export function configuredPreApproval(
  config: LabConfig,
  { cluster, change }: ActionProposal,
): { readonly isInForce: boolean; readonly max: number } | null {
  const machines = traitsFor(config, cluster)?.machines ?? null;
  if (change.kind !== 'delete-tpu-vm' || machines === null) return null;
  const { approval, deletesPerDayMax } = machines.badNodes;
  return { isInForce: approval === 'pre-approved', max: deletesPerDayMax };
}

/** How many other proposals for the cluster the config approved in the period before `now`, used or not. */
export function countPreApprovalsUsed(
  actions: readonly ActionRecord[],
  { cluster, digest }: { readonly cluster: string; readonly digest: Digest },
  now: Instant,
): number {
  const since = now - PRE_APPROVAL_PERIOD_MS;
  return actions.filter(
    (one) =>
      one.digest !== digest &&
      one.proposal.cluster === cluster &&
      one.approvals.some(({ source, at }) => source.kind === 'config' && (fromRfc3339(at) ?? now) >= since),
  ).length;
}

export type ActionDraft = Extract<EventDraft, { type: 'action-proposed' }>;

/** `role`: the process that proposes the action. Throws if it has no step. */
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
