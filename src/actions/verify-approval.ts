/** What the runner verifies about an approval: the comment is there, unedited, in its thread; the permission holds; no brake is set. */

import { APPROVING } from '../commands/approving.ts';
import { readComment } from '../commands/grammar/read-comment.ts';
import type { ReadCommand } from '../commands/grammar/reading.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { approvalMaxAgeMs, canApprove } from '../config/approvals-schema.ts';
import { requiredQuorum } from '../config/lane-of-file.ts';
import type { Actor, Permission } from '../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Hold } from '../domain/launch/hold.ts';
import {
  approvedDigest,
  citationKey,
  compareDigest,
  type Order,
  type OrderApproval,
  wasPostedBefore,
} from '../domain/launch/order.ts';
import { isApprovalTooOld } from '../domain/launch/response.ts';
import { differsOnlyInFiles, preApproves } from '../domain/launch/small-fix.ts';
import type { RefusalCode } from '../domain/launch/verdict.ts';
import { type PastAttempt, type RunState, shownSince } from '../domain/logbook/run-state.ts';
import {
  type Digest,
  type DigestOf,
  fail,
  type Instant,
  known,
  type Observed,
  ok,
  type Result,
  toRfc3339,
} from '../domain/values.ts';
import type { ChangeGateFacts } from '../gates/gate.ts';
import { canonicalDigest } from '../logbook/chain.ts';
import { listInterestedPeople } from '../run/authors.ts';
import type { LaneScopedConfig } from '../run/lane.ts';
import { type Brake, describeBrake } from '../run/open-brakes.ts';

/** Why an approval does not count. After `unreadable`, a retry may succeed. */
export type ApprovalFault = { readonly code: RefusalCode; readonly why: string };

/** The record's data about a comment, and what the comment must match. */
export type Citation = {
  readonly surface: CommentFacts['surface'];
  readonly comment: number;
  /** The only threads in which the comment counts. */
  readonly threads: readonly number[];
  /** Account id of the person; null if the record names none. */
  readonly user: number | null;
  readonly bodyDigest: Digest;
};

/**
 * The cited comment, if it is unchanged. The record is not enough proof of an approval: a command in the comment must satisfy
 * `gives`.
 */
export function citedComment(
  read: Observed<CommentFacts | null> | undefined,
  cited: Citation,
  otherBots: readonly string[],
  isApproval: (said: ReadCommand) => boolean,
): Result<CommentFacts, ApprovalFault> {
  const where = `${cited.surface} ${cited.comment}`;
  if (read === undefined || read.kind === 'unknown') return unreadableFault(read?.why ?? `${where} was not read`);
  const comment = read.value;
  if (comment === null || comment.id !== cited.comment || comment.surface !== cited.surface)
    return fail({ code: 'approval-invalid', why: `${where} is gone` });
  if (!cited.threads.includes(comment.thread))
    return fail({ code: 'approval-invalid', why: `${where} is in #${comment.thread}` });
  if (comment.author.id !== cited.user || comment.authorIsBot)
    return fail({ code: 'approval-invalid', why: `${where} is by ${comment.author.login}` });
  // rule ML-02
  if (comment.editedAt !== null || comment.bodyDigest !== cited.bodyDigest)
    return fail({ code: 'approval-invalid', why: `${where} was edited` });
  if (comment.minimized) return fail({ code: 'approval-invalid', why: `${where} was hidden` });
  const { commands } = readComment(comment.body, COMMAND_DEFINITIONS, { otherBots });
  return commands.some(isApproval)
    ? ok(comment)
    : fail({ code: 'approval-invalid', why: `${where} does not approve this digest` });
}

/** The comments that the approvals cite, by `citationKey`, and the permissions of their authors, by account id. */
export type ApprovalReading = {
  /** Null: GitHub has no comment with that id. */
  readonly cited: ReadonlyMap<string, Observed<CommentFacts | null>>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
};

export type ApprovalTerms = {
  /** The only threads in which an approval counts. */
  readonly threads: readonly number[];
  readonly otherBots: readonly string[];
  readonly isApproval: (said: ReadCommand) => boolean;
  /** How many different people must approve. */
  readonly quorum: number;
  /** The commit that a review must be on; left out: any commit. */
  readonly commit?: string;
  /** Since when each text that people read had shown the action; null if it had not. */
  readonly shownSince: readonly Observed<Instant | null>[];
  readonly shownForMs: number;
  /** Judged by GitHub's creation time of the comment. */
  readonly isTooOld: (createdAt: Instant) => boolean;
  /** Whether this person may approve the action: their own proposal may need another person. */
  readonly mayApprove: (person: Actor, held: Permission) => boolean;
};

/** The first fault in the approvals of a launch or another action, or null. */
export function findFirstApprovalFault(
  approvals: readonly OrderApproval[],
  reading: ApprovalReading,
  terms: ApprovalTerms,
): ApprovalFault | null {
  for (const approval of approvals) {
    const fault = findApprovalFault(approval, reading, terms);
    if (fault !== null) return fault;
  }
  const people = new Set(approvals.map(({ user }) => user)).size;
  return people < terms.quorum ? { code: 'too-few-approvals', why: `${people} of ${terms.quorum}` } : null;
}

function findApprovalFault(
  approval: OrderApproval,
  { cited, permissions }: ApprovalReading,
  terms: ApprovalTerms,
): ApprovalFault | null {
  const { threads, otherBots, isApproval, commit } = terms;
  const found = citedComment(cited.get(citationKey(approval)), { ...approval, threads }, otherBots, isApproval);
  if (!found.ok) return found.error;
  const { author, createdAt, surface, id, commit: reviewed } = found.value;
  const where = `${surface} ${id}`;
  if (commit !== undefined && surface === 'review' && reviewed !== commit)
    return { code: 'approval-invalid', why: `${where} was written on ${reviewed ?? 'nothing'}` };
  for (const since of terms.shownSince) {
    if (since.kind === 'unknown') return { code: 'unreadable', why: since.why };
    if (since.value === null || !wasPostedBefore(since.value, createdAt, terms.shownForMs))
      return { code: 'approval-outdated', why: where };
  }
  if (terms.isTooOld(createdAt)) return { code: 'approval-outdated', why: `${where} of ${toRfc3339(createdAt)}` };
  const held = permissions.get(approval.user);
  if (held === undefined || held.kind === 'unknown')
    return { code: 'unreadable', why: held?.why ?? 'the permission was not asked for' };
  return terms.mayApprove(author, held.value) ? null : { code: 'approver-not-permitted', why: author.login };
}

/** What people use to hold an action back. */
export type BrakeFacts = {
  /** Who stopped the run, if that stop revokes this approval. */
  readonly stoppedBy: string | null;
  readonly holds: Observed<readonly Hold[]>;
  /** Comments since the newest approval that ask to hold the action back. */
  readonly brakes: Observed<readonly Brake[]>;
};

/** The brake that holds the action back now, or null. */
export function findBrakeFault({ stoppedBy, holds, brakes }: BrakeFacts): ApprovalFault | null {
  if (stoppedBy !== null) return { code: 'stop-requested', why: `by ${stoppedBy}` };
  if (holds.kind === 'unknown') return { code: 'unreadable', why: holds.why };
  const [hold] = holds.value;
  if (hold !== undefined) return { code: 'held', why: `${hold.scope}: ${hold.reason}` };
  if (brakes.kind === 'unknown') return { code: 'unreadable', why: brakes.why };
  const [brake] = brakes.value;
  if (brake === undefined) return null;
  return { code: brake.name === 'stop' ? 'stop-requested' : 'held', why: describeBrake(brake) };
}

function unreadableFault(why: string): { readonly ok: false; readonly error: ApprovalFault } {
  return fail({ code: 'unreadable', why });
}

/**
 * What the runner found in the ordered commit. `mended`: the commit that ran before, plus the fix to this file and no other
 * change.
 */
export type FixCheck =
  | { readonly kind: 'mended'; readonly path: string }
  | { readonly kind: 'otherwise'; readonly why: string };

type Fault = { readonly code: RefusalCode; readonly why: string };

/** The newest attempt of the manifest that approved the fix in advance; the fix changes that attempt. Null if there is none. */
export function approvingAttempt({ attempts }: RunState, { preApprovedBy }: Order): PastAttempt | null {
  return attempts.findLast(({ order }) => order.order.digest === preApprovedBy) ?? null;
}

/** The first fault in a fix that was approved in advance, or null. Null for every other order. */
export function preApprovalFault(
  state: RunState,
  order: Order,
  fix: Observed<FixCheck>,
  { gates, digestOf }: { readonly gates: Observed<ChangeGateFacts>; readonly digestOf: DigestOf },
): Fault | null {
  if (order.preApprovedBy === undefined) return null;
  const after = approvingAttempt(state, order);
  const manifest = after?.order.manifest ?? null;
  if (after === null || manifest === null || after.order.order.preApprovedBy !== undefined)
    return outdatedApproval(
      'no attempt of the manifest that is said to allow it was launched on an approval of its own',
    );
  if (canonicalDigest(manifest, digestOf) !== order.preApprovedBy)
    return outdatedApproval('the record has another manifest than the one that was approved');
  const earlier = state.attempts.find(
    ({ order: { order: one } }) => one.preApprovedBy !== undefined && one.digest !== order.digest,
  );
  if (earlier !== undefined) return outdatedApproval(`attempt ${earlier.submission.attempt} was such a fix already`);
  if (fix.kind === 'unknown') return { code: 'unreadable', why: fix.why };
  if (fix.value.kind === 'otherwise') return outdatedApproval(fix.value.why);
  if (!preApproves(manifest, fix.value.path)) return outdatedApproval(`the manifest does not name ${fix.value.path}`);
  if (gates.kind === 'unknown') return { code: 'unreadable', why: gates.why };
  const now = gates.value.manifest;
  if (now.kind === 'unknown') return { code: 'unreadable', why: now.why };
  return differsOnlyInFiles(now.value, manifest) ? null : outdatedApproval('more than files is another');
}

function outdatedApproval(why: string): Fault {
  return { code: 'fix-not-approved', why };
}

export type ApprovalFacts = ApprovalReading & {
  readonly now: Instant;
  readonly config: LaneScopedConfig;
  /** The authors of the proposal, as the runner read them. */
  readonly shown: Pick<RunFacts, 'pull' | 'issue' | 'branchWork'>;
};

/** The first reason why the approvals of an order do not count; null if they do. */
export function approvalFault(state: RunState, order: Order, facts: ApprovalFacts): ApprovalFault | null {
  const { pull, issue } = state.proposal;
  const { config, now } = facts;
  const digest = approvedDigest(order);
  const isBeforehand = digest !== order.digest;
  const commit = isBeforehand ? approvingAttempt(state, order)?.order.order.commit : order.commit;
  const own = listInterestedPeople(state.proposal, facts.shown).map(({ id }) => id);
  return findFirstApprovalFault(order.approvals, facts, {
    threads: [pull, issue],
    otherBots: config.otherBots,
    isApproval: ({ name, args }) => APPROVING.includes(name) && compareDigest(args['digest'], digest) === 'named',
    quorum: requiredQuorum(config),
    commit: commit ?? '',
    // Control's recorded time is enough: a digest that the comment names existed before the comment.
    shownSince: isBeforehand ? [] : [known(shownSince(state, digest))],
    shownForMs: config.approvals.shownForMs,
    isTooOld: (createdAt) => isApprovalTooOld(state, { digest, createdAt }, now, approvalMaxAgeMs(config)),
    mayApprove: ({ id }, held) =>
      canApprove(held, id, config.approvals) && (config.approvals.onePersonIsEnough || !own.includes(id)),
  });
}
