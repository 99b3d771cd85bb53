/** The permission to submit one attempt of one run, issued by control and used once by the runner. */

import * as z from 'zod';
import { limits } from '../limits.ts';
import { digest, type Parsed, runId, sha, text } from '../logbook/parts.ts';
import type { Digest, Instant, RunId } from '../values.ts';

/** `short`: a correct prefix with too few digits to bind. */
export type DigestNaming = 'named' | 'short' | 'missing' | 'other';

/** Compares a digest prefix from a comment (any case, `sha256:` optional) with the expected digest. */
export function compareDigest(given: string | undefined, digest: string): DigestNaming {
  if (given === undefined) return 'missing';
  const digits = given.toLowerCase().replace(/^sha256:/, '');
  if (!digest.slice('sha256:'.length).startsWith(digits)) return 'other';
  return digits.length >= limits.bindingHexDigits ? 'named' : 'short';
}

/**
 * Whether a text had been visible for `shownForMs` when the comment was written. GitHub truncates `createdAt`
 * to the second, so the same second counts as visible.
 */
export function wasPostedBefore(shownAt: Instant, createdAt: Instant, shownForMs = 0): boolean {
  return createdAt >= Math.floor((shownAt + shownForMs) / SECOND_MS) * SECOND_MS;
}

const SECOND_MS = 1_000;

const approval = z.object({
  comment: z.int(),
  surface: z.enum(['comment', 'review']),
  user: z.int(),
  bodyDigest: digest,
});
/** The runner reads this comment again before it submits. */
export type OrderApproval = Parsed<typeof approval>;

/** GitHub numbers comments and reviews separately. */
export function citationKey({ surface, comment }: Pick<OrderApproval, 'surface' | 'comment'>): string {
  return `${surface}:${comment}`;
}

const parent = z.object({ run: runId, attempt: z.int() });
/** The attempt that the ordered attempt continues. The order's manifest names the checkpoint. */
export type ParentAttempt = Parsed<typeof parent>;

/**
 * `preApprovedBy`: digest of the approved manifest that pre-approved this fix; absent if the approvals name the ordered manifest. `parent`:
 * absent for a first attempt. `checkpoint`: absent for a start from scratch, or if only the job's machine can read checkpoints. Times are
 * RFC 3339; `expiresAt` is two hours after `issuedAt` (architecture, D5).
 */
export const orderSchema = z.object({
  v: z.literal(1),
  run: runId,
  repository: text,
  attempt: z.int(),
  digest,
  commit: sha,
  pull: z.int(),
  approvals: z.array(approval),
  preApprovedBy: digest.exactOptional(),
  parent: parent.exactOptional(),
  checkpoint: z.object({ path: text, step: z.int() }).exactOptional(),
  submissionId: text,
  issuedAt: text,
  expiresAt: text,
});
export type Order = Parsed<typeof orderSchema>;

/** The manifest that the order's approvals must name. */
export function approvedDigest({ digest, preApprovedBy }: Pick<Order, 'digest' | 'preApprovedBy'>): Digest {
  return preApprovedBy ?? digest;
}

/** Deterministic, so that the engine rejects a second job of the attempt. Format of `ray_run.py --submission-id`. */
export function buildSubmissionId(run: RunId, attempt: number): string {
  return `ferrybot-${run}-a${attempt}`;
}

/** The run in a submission id, or null. Not proof: anyone can choose a job's name. */
export function runFromSubmissionId(id: string): string | null {
  const [prefix, at] = ['ferrybot-', id.lastIndexOf('-a')];
  if (!id.startsWith(prefix) || at <= prefix.length || !/^\d{1,9}$/.test(id.slice(at + 2))) return null;
  return id.slice(prefix.length, at);
}
