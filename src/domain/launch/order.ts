/** The permission to submit one attempt of one run, issued by control and used once by the runner. */

import type { StorePath } from '../checkpoint/stored.ts';
import type { Digest, RunId, Sha } from '../ids.ts';

/** The runner reads this comment again before it submits. */
export type OrderApproval = {
  readonly comment: number;
  readonly surface: 'comment' | 'review';
  readonly user: number;
  readonly bodyDigest: Digest;
};

/** GitHub numbers comments and reviews separately. */
export function citationKey(approval: Pick<OrderApproval, 'surface' | 'comment'>): string {
  return `${approval.surface}:${approval.comment}`;
}

/** The attempt that this one continues. The order's manifest names the checkpoint. */
export type ParentAttempt = { readonly run: RunId; readonly attempt: number };

export type Order = {
  readonly v: 1;
  readonly run: RunId;
  readonly repository: string;
  readonly attempt: number;
  readonly digest: Digest;
  readonly commit: Sha;
  readonly pull: number;
  readonly approvals: readonly OrderApproval[];
  /** The approved manifest whose envelope pre-approved this fix; absent if the approvals name the ordered manifest. */
  readonly preApprovedBy?: Digest;
  /** Absent for a first attempt. */
  readonly parent?: ParentAttempt;
  /** The checkpoint to resume from; absent for a start from scratch, or if only the job's machine can read checkpoints. */
  readonly checkpoint?: { readonly path: StorePath; readonly step: number };
  readonly submissionId: string;
  /** RFC 3339. */
  readonly issuedAt: string;
  /** RFC 3339; two hours after `issuedAt` (architecture, D5). */
  readonly expiresAt: string;
};

/** The manifest that the order's approvals must name. */
export function approvedIn({ digest, preApprovedBy }: Pick<Order, 'digest' | 'preApprovedBy'>): Digest {
  return preApprovedBy ?? digest;
}

/** Deterministic, so that the engine rejects a second job of the attempt. Format of `ray_run.py --submission-id`. */
export function submissionIdOf(run: RunId, attempt: number): string {
  return `ferrybot-${run}-a${attempt}`;
}

/** The run in a submission id, or null. Not proof: anyone can choose a job's name. */
export function runInSubmissionId(id: string): string | null {
  const [prefix, at] = ['ferrybot-', id.lastIndexOf('-a')];
  if (!id.startsWith(prefix) || at <= prefix.length || !/^\d{1,9}$/.test(id.slice(at + 2))) return null;
  return id.slice(prefix.length, at);
}
