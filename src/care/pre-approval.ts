/** Consent by the config: bounded in number and time, and only for what the monitoring policy lets a lab pre-approve. */

import { traitsOf } from '../config/engine-traits.ts';
import type { LabConfig } from '../config/schema.ts';
import type { ActionProposal } from '../domain/actions/action.ts';
import type { ActionRecord } from '../domain/actions/action-state.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** The time over which a config's own consents are counted. */
const PRE_APPROVAL_PERIOD_MS = 24 * 60 * 60 * 1_000;

/** What the config says about this proposal; null = it never consents to such a thing. */
export function preApprovalOf(
  config: LabConfig,
  { cluster, change }: ActionProposal,
): { readonly stands: boolean; readonly max: number } | null {
  const machines = traitsOf(config, cluster)?.machines ?? null;
  if (change.kind !== 'delete-tpu-vm' || machines === null) return null;
  const { approval, deletesPerDayMax } = machines.badNodes;
  return { stands: approval === 'pre-approved', max: deletesPerDayMax };
}

/** How many others of the cluster the config consented to within the period before `now`, used or not. */
export function preApprovalsUsed(
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
