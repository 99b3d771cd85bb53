/**
 * `/approve-launch DIGEST`: a person takes responsibility for exactly the manifest that the card showed (architecture, D4). The
 * digest is optional in the grammar, so that the answer to a command without one can show the line to copy.
 */

import { approvalMaxAgeMs } from '../config/approvals-schema.ts';
import { findNodeReplacement, findRepeatedFailure, isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { compareDigest, wasPostedBefore } from '../domain/launch/order.ts';
import { canBeRelaunched, wantsRelaunch } from '../domain/launch/response.ts';
import { findPreApproval } from '../domain/launch/small-fix.ts';
import { allPass, listOpenVerdicts } from '../domain/launch/verdict.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { listCurrentApprovals, type RunState } from '../domain/logbook/run-state.ts';
import { request } from '../domain/reconcile-request.ts';
import type { Digest, Sha } from '../domain/values.ts';
import { shortDigestHex } from '../domain/values.ts';
import { approvedDraft, approverNeeds, checkApprover, isOwnWork, refuseSecondCard } from './approving.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  NOT_ON_A_LINE,
  type PlaceContext,
  type UnboundReason,
} from './decision.ts';
import { digestPrefix } from './values.ts';

export const approveLaunch = {
  name: 'approve-launch',
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: {},
  permission: approverNeeds,
  summary:
    'Approves the launch of exactly the manifest on the card: copy its line. It needs at least 32 digits of the digest.',
  example: '/approve-launch 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  confusedWith: ['launch'],
  decide: decideLaunch,
  decideWithoutRun: answerForAction,
} as const satisfies CommandDefinition;

function decideLaunch(context: CommandContext): CommandDecision {
  const action = answerForAction(context);
  if (action !== null) return action;
  const { state } = context;
  const refused = checkApprover(context);
  if (refused !== null) return refused;
  // No order may follow a stop (`checkOrdered`), so an approval would promise an impossible launch.
  if (!isBeforeLaunch(state) || state.stop !== null || isLive(state)) return explainNotApprovable(state);
  if (context.unread.length > 0) return request(...context.unread);
  if (isOwnWork(context)) return answer('approval-by-author');
  const { gates } = context;
  if (gates === null || gates.digest === null || !allPass(gates.verdicts)) {
    const open = listOpenVerdicts(gates?.verdicts ?? []);
    return answer('approval-gates-blocked', {
      count: open.length,
      first: open[0]?.gate ?? '',
      code: open[0]?.code ?? '',
    });
  }
  const { digest, commit } = gates;
  return findBindingRefusal(context, { digest, commit }) ?? recordApproval(context, digest);
}

/** The answer with the `/approve` line if the digest names an action instead of a launch; null otherwise. */
function answerForAction({ args, actions }: PlaceContext): AnswerDecision | null {
  if (actions.kind === 'unknown') return null;
  const meant = actions.value.find(({ digest }) => compareDigest(args['digest'], digest) === 'named');
  return meant === undefined
    ? null
    : answer('approval-line-needed', { why: 'other-kind', lines: `approve ${shortDigestHex(meant.digest)}` });
}

/** The run is launched or stopped, so nothing can be approved. After a failure: it occurred twice, or no fix was pushed. */
function explainNotApprovable(state: RunState): CommandDecision {
  const { submission, end, stop } = state;
  if (submission === null || end?.status !== 'FAILED' || stop !== null)
    return answer('too-late', { jobId: submission?.jobId ?? '' });
  const { attempt } = submission;
  const repeated = findRepeatedFailure(state);
  if (repeated !== null) return answer('approval-same-failure', repeated);
  if (!canBeRelaunched(state)) return answer('no-fix', { attempt });
  const isAgain = wantsRelaunch(state) || findPreApproval(state) !== null;
  const isForNode = !isAgain || findNodeReplacement(state) !== null;
  return answer('no-fix', { attempt, relaunch: isForNode ? 1 : 2 });
}

/** Refuses a comment with the wrong digest, time, surface or commit for the manifest on the card; null if it matches. */
function findBindingRefusal(
  context: CommandContext,
  { digest, commit }: { readonly digest: Digest; readonly commit: Sha | null },
): CommandDecision | null {
  const { comment, policy, now } = context;
  const given = context.args['digest'];
  const lines = `approve-launch ${shortDigestHex(digest)}`;
  const refuseUnbound = (why: UnboundReason, about = ''): CommandDecision =>
    answer('approval-line-needed', { why, about, lines });
  const naming = compareDigest(given, digest);
  if (naming === 'other') return refuseUnbound('other-digest', given);
  if (naming !== 'named') return refuseUnbound('no-digest');
  const second = refuseSecondCard(context, digest);
  if (second !== null) return second;
  const shownAt = context.shownSince(digest);
  if (typeof shownAt === 'object' && shownAt !== null) return shownAt;
  if (shownAt === null) return answer('approval-not-shown', { digest: shortDigestHex(digest) });
  // GitHub's times are whole seconds: within one second of an edit, the author may have read either text.
  const shownForMs = Math.max(policy.approvals.shownForMs, context.state.cardEdit === null ? 0 : MS_PER_SECOND);
  if (!wasPostedBefore(shownAt, comment.createdAt, shownForMs)) return refuseUnbound('before-shown');
  if (comment.surface === 'review' && (commit === null || comment.commit !== commit))
    return refuseUnbound('other-commit', comment.commit ?? '');
  return now >= comment.createdAt + approvalMaxAgeMs(policy)
    ? refuseUnbound('too-old', String(policy.approvals.maxAgeHours))
    : null;
}

const MS_PER_SECOND = 1_000;

function recordApproval(context: CommandContext, digest: Digest): CommandDecision {
  const { state, actor, comment, quorum, gates } = context;
  const standing = listCurrentApprovals(state);
  if (standing.some((a) => a.actor.id === actor.id)) return answer('already-approved', { digest: digest.slice(7, 19) });
  if (gates === null || comment.surface === 'review-comment') return NOT_ON_A_LINE;
  const count = standing.length + 1;
  const detail = { digest: digest.slice(7, 19), count, quorum };
  return answer(count >= quorum ? 'approved' : 'approved-waiting-for-more', detail, [
    approvedDraft(context, digest, gates.body),
  ]);
}
