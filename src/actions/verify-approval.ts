/**
 * What the runner asks again about one approval before it acts on it, for a launch and for any other action: the comment by
 * its id, still there, in its place and as it was written; the person by the permission of this moment; and the brakes.
 */

import { readComment } from '../commands/grammar/read-comment.ts';
import type { ReadCommand } from '../commands/grammar/reading.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import { wasShownBefore } from '../domain/approval-binding.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Hold } from '../domain/launch/hold.ts';
import { citationKey, type OrderApproval } from '../domain/launch/order.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import type { Observed } from '../domain/observed.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { toRfc3339 } from '../domain/time.ts';
import { type Brake, brakeWords } from '../run/open-brakes.ts';

/** Why an approval does not count; `unreadable` is no answer, and may be asked again. */
export type ApprovalFault = { readonly code: RefusalCode; readonly why: string };

/** What the record says of the comment, and what the comment has to say itself. */
export type Citation = {
  readonly surface: CommentFacts['surface'];
  readonly comment: number;
  /** The only threads in which it counts. */
  readonly threads: readonly number[];
  /** Id of the person; null where the record names none. */
  readonly user: number | null;
  readonly bodyDigest: Digest;
};

/**
 * The cited comment, if it is unchanged. The record alone does not prove an approval: one command of the text has to give it
 * (`gives`).
 */
export function citedComment(
  read: Observed<CommentFacts | null> | undefined,
  cited: Citation,
  otherBots: readonly string[],
  gives: (said: ReadCommand) => boolean,
): Result<CommentFacts, ApprovalFault> {
  const where = `${cited.surface} ${cited.comment}`;
  if (read === undefined || read.kind === 'unknown') return unreadable(read?.why ?? `${where} was not read`);
  const comment = read.value;
  if (comment === null || comment.id !== cited.comment || comment.surface !== cited.surface)
    return fail({ code: 'approval-invalid', why: where });
  if (!cited.threads.includes(comment.thread))
    return fail({ code: 'approval-invalid', why: `${where} stands in #${comment.thread}` });
  if (comment.author.id !== cited.user || comment.authorIsBot)
    return fail({ code: 'approval-invalid', why: comment.author.login });
  // rule ML-02
  if (comment.editedAt !== null || comment.bodyDigest !== cited.bodyDigest)
    return fail({ code: 'approval-invalid', why: where });
  if (comment.minimized) return fail({ code: 'approval-invalid', why: where });
  const { commands } = readComment(comment.body, COMMAND_DEFINITIONS, { otherBots });
  return commands.some(gives) ? ok(comment) : fail({ code: 'approval-invalid', why: where });
}

/** The comments that the approvals cite, by `citationKey`, and what their authors may do, by account id. */
export type ApprovalReading = {
  /** Null: GitHub has no comment with that id. */
  readonly cited: ReadonlyMap<string, Observed<CommentFacts | null>>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
};

/** What the approvals of one action must fulfil. */
export type ApprovalTerms = {
  /** The only threads in which an approval counts. */
  readonly threads: readonly number[];
  readonly otherBots: readonly string[];
  /** Whether this command approves the action. */
  readonly gives: (said: ReadCommand) => boolean;
  /** The number of people. */
  readonly quorum: number;
  /** The commit that a review must be written on; left out: any. */
  readonly commit?: string;
  /** Since when each text that people read had shown the action; null: it had not. */
  readonly shownSince: readonly Observed<Instant | null>[];
  readonly shownForMs: number;
  /** By GitHub's time of the comment. */
  readonly isTooOld: (createdAt: Instant) => boolean;
  /** Whether this person may approve the action: it may be their own, and take another person. */
  readonly mayApprove: (person: Actor, held: Permission) => boolean;
};

/** The first thing that is wrong with the approvals of an action, a launch or any other, or null. */
export function approvalsFault(
  approvals: readonly OrderApproval[],
  reading: ApprovalReading,
  terms: ApprovalTerms,
): ApprovalFault | null {
  for (const approval of approvals) {
    const fault = approvalFaultOf(approval, reading, terms);
    if (fault !== null) return fault;
  }
  const people = new Set(approvals.map(({ user }) => user)).size;
  return people < terms.quorum ? { code: 'too-few-approvals', why: `${people} of ${terms.quorum}` } : null;
}

function approvalFaultOf(
  approval: OrderApproval,
  { cited, permissions }: ApprovalReading,
  terms: ApprovalTerms,
): ApprovalFault | null {
  const { threads, otherBots, gives, commit } = terms;
  const found = citedComment(cited.get(citationKey(approval)), { ...approval, threads }, otherBots, gives);
  if (!found.ok) return found.error;
  const { author, createdAt, surface, id, commit: reviewed } = found.value;
  const where = `${surface} ${id}`;
  if (commit !== undefined && surface === 'review' && reviewed !== commit)
    return { code: 'approval-invalid', why: `${where} was written on ${reviewed ?? 'nothing'}` };
  for (const since of terms.shownSince) {
    if (since.kind === 'unknown') return { code: 'unreadable', why: since.why };
    if (since.value === null || !wasShownBefore(since.value, createdAt, terms.shownForMs))
      return { code: 'approval-outdated', why: where };
  }
  if (terms.isTooOld(createdAt))
    return { code: 'approval-outdated', why: `${where} of ${toRfc3339(createdAt)}` };
  const held = permissions.get(approval.user);
  if (held === undefined || held.kind === 'unknown')
    return { code: 'unreadable', why: held?.why ?? 'the permission was not asked for' };
  return terms.mayApprove(author, held.value) ? null : { code: 'approver-not-permitted', why: author.login };
}

/** What people use to keep an action back. */
export type BrakeFacts = {
  /** Who stopped it, where that takes this approval back. */
  readonly stoppedBy: string | null;
  readonly holds: Observed<readonly Hold[]>;
  /** What was commented to hold it back since the newest approval. */
  readonly brakes: Observed<readonly Brake[]>;
};

/** The brake that keeps an action back at this moment, or null. */
export function brakeFault({ stoppedBy, holds, brakes }: BrakeFacts): ApprovalFault | null {
  if (stoppedBy !== null) return { code: 'stop-requested', why: `by ${stoppedBy}` };
  if (holds.kind === 'unknown') return { code: 'unreadable', why: holds.why };
  const [hold] = holds.value;
  if (hold !== undefined) return { code: 'held', why: `${hold.scope}: ${hold.reason}` };
  if (brakes.kind === 'unknown') return { code: 'unreadable', why: brakes.why };
  const [brake] = brakes.value;
  if (brake === undefined) return null;
  return { code: brake.name === 'stop' ? 'stop-requested' : 'held', why: brakeWords(brake) };
}

function unreadable(why: string): { readonly ok: false; readonly error: ApprovalFault } {
  return fail({ code: 'unreadable', why });
}
