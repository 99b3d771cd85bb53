/** Commands that count as an approval of a launch, and who may use them. */

import { canApprove } from '../config/approvals-schema.ts';
import type { Permission } from '../domain/actor.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { commentId } from '../domain/marker.ts';
import type { Digest } from '../domain/values.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandPolicy,
} from './decision.ts';

export const APPROVING: readonly string[] = ['approve-launch', 'relaunch'];

/** The minimum permission of an approver. Listed people need only `write`. */
export function approverNeeds({ approvals }: CommandPolicy): Permission {
  return approvals.users.length > 0 ? 'write' : approvals.permission;
}

/** The refusal of a person who may not approve launches; null for an approver. */
export function checkApprover({
  permission,
  policy: { approvals },
  actor,
}: Pick<CommandContext, 'permission' | 'policy' | 'actor'>): AnswerDecision | null {
  return canApprove(permission, actor.id, approvals) ? null : answer('not-permitted', { needs: approvals.permission });
}

/** The event for an approval. `digest`: the manifest; `body`: fingerprint of the proposal's text. */
export function approvedDraft(
  { actor, comment }: Pick<CommandContext, 'actor' | 'comment'>,
  digest: Digest,
  body: Digest,
): EventDraft {
  const { id, bodyDigest } = comment;
  const surface = comment.surface === 'review' ? 'review' : 'comment';
  const data = { digest, comment: id, surface, bodyDigest, body } as const;
  return { type: 'approved', role: 'control', actor, data };
}

/** Whether the person would approve their own change. */
export function isOwnWork({ policy, authors, actor }: Pick<CommandContext, 'policy' | 'authors' | 'actor'>): boolean {
  return !policy.approvals.onePersonIsEnough && authors.some(({ id }) => id === actor.id);
}

/** Refuses an approval if a second card may have misled its author; null otherwise. */
export function refuseSecondCard(
  { secondCard }: Pick<CommandContext, 'secondCard'>,
  digest: Digest,
): CommandDecision | null {
  const second = secondCard(digest);
  if (second.kind === 'need') return second;
  if (second.kind === 'unknown') return answer('permission-unknown', { why: second.why });
  if (second.value === null) return null;
  const { thread, author } = second.value;
  return answer('second-card', { name: commentId(second.value), thread, by: author.login });
}
