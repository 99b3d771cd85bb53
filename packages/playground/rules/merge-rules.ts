/** Why a pull request cannot be merged yet: reviews and checks that the base branch requires, in GitHub's words. */

import type { Caller } from '../identity/state-people.ts';
import type { PullIssue } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import type { RequiredCheck } from '../world/state-settings.ts';
import type { World } from '../world/world.ts';
import { countApprovals, findUnapprovedPusher } from './approvals.ts';
import { type CheckState, checkStates, listRequiredChecks, listUnmetChecks } from './check-stands.ts';
import { listRules } from './rulesets.ts';

/** The message for a head that lacks commits of its base. */
export const behindWords = 'The head branch is not up to date with the base branch.';

/** The messages for merge methods that the repository's settings disable. */
const methodWords: Readonly<Record<string, string>> = {
  merge: 'Merge commits are not allowed on this repository.',
  squash: 'Squash merges are not allowed on this repository.',
  rebase: 'Rebase merges are not allowed on this repository.',
};

type Demands = {
  readonly approvals: number;
  readonly dismissStale: boolean;
  readonly lastPushApproval: boolean;
  readonly checks: readonly RequiredCheck[];
  readonly strict: boolean;
  readonly methods: readonly string[];
  /** Ruleset messages have a format of their own. */
  readonly byRuleset: boolean;
};

/** The caller and the repository. */
type CallerContext = { readonly world: World; readonly repo: Repo; readonly caller: Caller };

/**
 * The message of the 405, or null if the merge is allowed. Branch protection and rulesets must both allow it. `method`
 * null: any allowed method.
 */
export async function mergeRefusal(
  act: CallerContext,
  issue: PullIssue,
  method: string | null,
): Promise<string | null> {
  const { mergeCommit = true, squashMerge = true, rebaseMerge = true } = act.repo.options ?? {};
  const isAllowed: Readonly<Record<string, boolean>> = { merge: mergeCommit, squash: squashMerge, rebase: rebaseMerge };
  if (method !== null && isAllowed[method] === false) return methodWords[method] ?? null;
  for (const demands of listDemands(act, issue)) {
    const sentences = await listUnmetDemands(act, issue, demands, method);
    if (sentences.length === 0) continue;
    return demands.byRuleset
      ? `Repository rule violations found\n\n${sentences.join('\n\n')}\n\n`
      : (sentences[0] ?? null);
  }
  return null;
}

/** The decision that GitHub shows next to the reviewers; null where the base branch requires no review. */
export function reviewDecision(
  act: CallerContext,
  issue: PullIssue,
): 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null {
  const demands = listDemands(act, issue).filter(({ approvals }) => approvals > 0);
  if (demands.length === 0) return null;
  const newest = new Map<number, string>();
  for (const id of issue.pull.reviewIds) {
    const review = act.world.state.reviews[id];
    if (review !== undefined && review.state !== 'COMMENTED') newest.set(review.authorId, review.state);
  }
  if ([...newest.values()].includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  const isEnough = demands.every(
    ({ approvals, dismissStale, lastPushApproval }) =>
      countApprovals(act, issue, dismissStale) >= approvals &&
      (!lastPushApproval || findUnapprovedPusher(act, issue) === null),
  );
  return isEnough ? 'APPROVED' : 'REVIEW_REQUIRED';
}

/** Names of the checks that the base branch requires. */
export function requiredChecks(act: CallerContext, issue: PullIssue): readonly string[] {
  return listDemands(act, issue).flatMap(({ checks }) => checks.map(({ context }) => context));
}

function listDemands(act: CallerContext, issue: PullIssue): readonly Demands[] {
  const protection = act.repo.protections.find((one) => one.branch === issue.pull.baseRef);
  const none = { approvals: 0, dismissStale: false, lastPushApproval: false, checks: [], strict: false, methods: [] };
  const found: Demands[] = [];
  if (protection !== undefined) {
    found.push({
      ...none,
      approvals: protection.requiredApprovals,
      dismissStale: protection.dismissStale ?? false,
      checks: listRequiredChecks(protection),
      strict: protection.strict ?? false,
      byRuleset: false,
    });
  }
  for (const rule of listRules(act.world, act.repo, `refs/heads/${issue.pull.baseRef}`, act.caller, 'merge')) {
    if (rule.type === 'pull_request') {
      const { approvals, dismissStale, lastPushApproval, mergeMethods: methods } = rule;
      found.push({ ...none, approvals, dismissStale, lastPushApproval, methods, byRuleset: true });
    }
    if (rule.type === 'required_status_checks') {
      found.push({ ...none, checks: rule.checks, strict: rule.strict, byRuleset: true });
    }
  }
  return found;
}

async function listUnmetDemands(
  act: CallerContext,
  issue: PullIssue,
  demands: Demands,
  method: string | null,
): Promise<readonly string[]> {
  const sentences: string[] = [];
  if (method !== null && demands.methods.length > 0 && !demands.methods.includes(method))
    sentences.push(`This branch must not be merged by ${method}.`);
  const missing = demands.approvals - countApprovals(act, issue, demands.dismissStale);
  if (missing > 0) {
    const are = missing === 1 ? 'review is' : 'reviews are';
    sentences.push(`At least ${missing} approving ${are} required by reviewers with write access.`);
  }
  const pusher = demands.lastPushApproval ? findUnapprovedPusher(act, issue) : null;
  if (pusher !== null)
    sentences.push(`New changes require approval from someone other than ${pusher} because they were the last pusher.`);
  const checks = describeUnmetChecks(demands.checks, checkStates(act.world, act.repo, issue.pull.headSha));
  if (checks !== null) sentences.push(checks);
  const store = act.world.gitOf(act.repo);
  if (demands.strict && !(await store.isAncestor(issue.pull.baseSha, issue.pull.headSha))) sentences.push(behindWords);
  return sentences;
}

/** The message names a single check; for several, it gives their number and state, as GitHub does. */
function describeUnmetChecks(wanted: readonly RequiredCheck[], states: readonly CheckState[]): string | null {
  const open = listUnmetChecks(wanted, states);
  const first = open[0];
  if (first === undefined) return null;
  if (wanted.length === 1) return `Required status check "${first.context}" is ${first.how}.`;
  const isUniform = open.every(({ how }) => how === first.how);
  if (isUniform && first.how === 'expected')
    return `${open.length} of ${wanted.length} required status checks are expected.`;
  const counts = (['failing', 'pending', 'expected'] as const).flatMap((how) => {
    const count = open.filter((one) => one.how === how).length;
    return count === 0 ? [] : [`${count} ${how}`];
  });
  return `${open.length} of ${wanted.length} required status checks have not succeeded: ${counts.join(', ')}.`;
}
