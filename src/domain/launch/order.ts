/** An order: the one permission to submit one attempt of one run, issued by control and used once by the runner. */

import type { StorePath } from '../checkpoint/stored.ts';
import type { Digest, RunId, Sha } from '../ids.ts';

/** The approving comment that the runner reads again before it submits. */
export type OrderApproval = {
  readonly comment: number;
  readonly surface: 'comment' | 'review';
  readonly user: number;
  readonly bodyDigest: Digest;
};

/** Names an approval: GitHub numbers comments and reviews separately. */
export function citationKey(approval: Pick<OrderApproval, 'surface' | 'comment'>): string {
  return `${approval.surface}:${approval.comment}`;
}

/**
 * The attempt that another one goes on from. With the manifest of its order, which names the checkpoint to start from, that
 * is all an attempt knows of where it comes from.
 */
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
  /**
   * The manifest that the approvals name, where its envelope has approved this fix of its attempt beforehand; left out where
   * they name the manifest that is ordered.
   */
  readonly preApprovedBy?: Digest;
  /** Left out where nothing ran before it, and in orders from before it was recorded. */
  readonly parent?: ParentAttempt;
  /** What it goes on from; left out where it begins from nothing, or only the job's own machine can look. */
  readonly checkpoint?: { readonly path: StorePath; readonly step: number };
  readonly submissionId: string;
  /** RFC 3339. */
  readonly issuedAt: string;
  /** RFC 3339; two hours later (architecture, D5). */
  readonly expiresAt: string;
};

/** The manifest that the approvals of an order have to name. */
export function approvedIn({ digest, preApprovedBy }: Pick<Order, 'digest' | 'preApprovedBy'>): Digest {
  return preApprovedBy ?? digest;
}

/**
 * The deterministic submission id of an attempt: the engine refuses a second job under it.
 * Form as in reference `ray_run.py --submission-id ferrybot-<lane>-<run>-a<attempt>`.
 */
export function submissionIdOf(run: RunId, attempt: number): string {
  return `ferrybot-${run}-a${attempt}`;
}

/** The run that such an id says; null where it is none. Anybody may give a job any name. */
export function runInSubmissionId(id: string): string | null {
  const [prefix, at] = ['ferrybot-', id.lastIndexOf('-a')];
  if (!id.startsWith(prefix) || at <= prefix.length || !/^\d{1,9}$/.test(id.slice(at + 2))) return null;
  return id.slice(prefix.length, at);
}
