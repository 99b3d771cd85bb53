/**
 * `/approve-launch DIGEST`: a person takes responsibility for exactly the manifest that the card showed (architecture, D4). The
 * digest is optional in the grammar, so that the answer to a command without one can show the line to copy.
 */

import { isBeforeLaunch, repeatedFailure, replacementFor } from '../domain/launch/next-attempt.ts';
import { bindingHex, namingOf, wasShownBefore } from '../domain/launch/order.ts';
import { mayBeRelaunched, wantsRelaunch } from '../domain/launch/response.ts';
import { preApproval } from '../domain/launch/small-fix.ts';
import { allPass, openVerdicts } from '../domain/launch/verdict.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { type RunState, shownAtOf, standingApprovals } from '../domain/logbook/run-state.ts';
import { need } from '../domain/reconcile-request.ts';
import type { Digest, Sha } from '../domain/values.ts';
import { approvedDraft, approverNeeds, isOwnWork, secondCardRefusal, unlessApprover } from './approving.ts';
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
  who: approverNeeds,
  summary:
    'Approves the launch of exactly the manifest on the card: copy its line. It needs at least 32 digits of the digest.',
  example: '/approve-launch 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  confusedWith: ['launch'],
  decide: decideLaunch,
  decideWithoutRun: meantAction,
} as const satisfies CommandDefinition;

function decideLaunch(context: CommandContext): CommandDecision {
  const action = meantAction(context);
  if (action !== null) return action;
  const { state } = context;
  const refused = unlessApprover(context);
  if (refused !== null) return refused;
  // No order may follow a stop (`orderedRule`), so an approval would promise an impossible launch.
  if (!isBeforeLaunch(state) || state.stop !== null || isLive(state)) return tooLateOrNoFix(state);
  if (context.unread.length > 0) return need(...context.unread);
  if (isOwnWork(context)) return answer('approval-by-author');
  const { gates } = context;
  if (gates === null || gates.digest === null || !allPass(gates.verdicts)) {
    const open = openVerdicts(gates?.verdicts ?? []);
    return answer('approval-gates-blocked', {
      count: open.length,
      first: open[0]?.gate ?? '',
      code: open[0]?.code ?? '',
    });
  }
  const { digest, commit } = gates;
  return bindingRefusal(context, { digest, commit }) ?? recordApproval(context, digest);
}

/** The answer with the `/approve` line if the digest names an action instead of a launch; null otherwise. */
function meantAction({ args, actions }: PlaceContext): AnswerDecision | null {
  if (actions.kind === 'unknown') return null;
  const meant = actions.value.find(({ digest }) => namingOf(args['digest'], digest) === 'named');
  return meant === undefined
    ? null
    : answer('approval-line-needed', { why: 'other-kind', lines: `approve ${bindingHex(meant.digest)}` });
}

/** The run is launched or stopped, so nothing can be approved. After a failure: it occurred twice, or no fix was pushed. */
function tooLateOrNoFix(state: RunState): CommandDecision {
  const { submission, end, stop } = state;
  if (submission === null || end?.status !== 'FAILED' || stop !== null)
    return answer('too-late', { jobId: submission?.jobId ?? '' });
  const { attempt } = submission;
  const repeated = repeatedFailure(state);
  if (repeated !== null) return answer('approval-same-failure', repeated);
  if (!mayBeRelaunched(state)) return answer('no-fix', { attempt });
  const isAgain = wantsRelaunch(state) || preApproval(state) !== null;
  const isForNode = !isAgain || replacementFor(state) !== null;
  return answer('no-fix', { attempt, relaunch: isForNode ? 1 : 2 });
}

/** Refuses a comment with the wrong digest, time, surface or commit for the manifest on the card; null if it matches. */
function bindingRefusal(
  context: CommandContext,
  { digest, commit }: { readonly digest: Digest; readonly commit: Sha | null },
): CommandDecision | null {
  const { comment, policy, now } = context;
  const given = context.args['digest'];
  const lines = `approve-launch ${bindingHex(digest)}`;
  const unbound = (why: UnboundReason, about = ''): CommandDecision =>
    answer('approval-line-needed', { why, about, lines });
  const naming = namingOf(given, digest);
  if (naming === 'other') return unbound('other-digest', given);
  if (naming !== 'named') return unbound('no-digest');
  const second = secondCardRefusal(context, digest);
  if (second !== null) return second;
  if (context.isCardUnread) return need('cardHistory');
  const shownAt = shownAtOf(context.state, digest);
  if (shownAt === null) return answer('approval-not-shown', { digest: bindingHex(digest) });
  // GitHub's times are whole seconds: within one second of an edit, the author may have read either text.
  const shownForMs = Math.max(policy.approvals.shownForMs, context.state.cardEdit === null ? 0 : MS_PER_SECOND);
  if (!wasShownBefore(shownAt, comment.createdAt, shownForMs)) return unbound('before-shown');
  if (comment.surface === 'review' && (commit === null || comment.commit !== commit))
    return unbound('other-commit', comment.commit ?? '');
  return now >= comment.createdAt + policy.approvalMaxAgeMs
    ? unbound('too-old', String(policy.approvalMaxAgeMs / HOUR_MS))
    : null;
}

const MS_PER_SECOND = 1_000;
const HOUR_MS = 3_600_000;

function recordApproval(context: CommandContext, digest: Digest): CommandDecision {
  const { state, actor, comment, policy, gates } = context;
  const standing = standingApprovals(state);
  if (standing.some((a) => a.actor.id === actor.id)) return answer('already-approved', { digest: digest.slice(7, 19) });
  if (gates === null || comment.surface === 'review-comment') return NOT_ON_A_LINE;
  const count = standing.length + 1;
  const detail = { digest: digest.slice(7, 19), count, quorum: policy.quorum };
  return answer(count >= policy.quorum ? 'approved' : 'approved-waiting-for-more', detail, [
    approvedDraft(context, digest, gates.body),
  ]);
}
