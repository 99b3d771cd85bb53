/** Finds the rule that a ref change breaks, for the API, for GraphQL and for pushes by the git program. */

import type { Caller } from '../identity/state-people.ts';
import type { Repo } from '../world/state.ts';
import type { Rule } from '../world/state-settings.ts';
import type { World } from '../world/world.ts';
import { checkStates, listRequiredChecks, listUnmetChecks } from './check-stands.ts';
import { listRules } from './rulesets.ts';

/** `rule/…`: a rule of a ruleset. */
export type RuleBreach = `rule/${Rule['type']}`;

export type RefChange = {
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Whether the old commit is an ancestor of the new one; true for a created or deleted ref. */
  readonly isForward: boolean;
};

/** The first broken rule, or null. */
export function findBrokenRule(
  world: World,
  repo: Repo,
  caller: Caller,
  change: RefChange,
  at: 'push' | 'merge' = 'push',
): RuleBreach | null {
  const broken = listRules(world, repo, change.ref, caller, at).find((rule) =>
    isRuleBroken(world, repo, rule, change, at),
  );
  return broken === undefined ? null : `rule/${broken.type}`;
}

/** A protected branch cannot be rewritten or deleted. Direct pushes need the required reviews and checks. */
export function breaksProtection(world: World, repo: Repo, change: RefChange, at: 'push' | 'merge'): boolean {
  const one = repo.protections.find(({ branch }) => change.ref === `refs/heads/${branch}`);
  if (one === undefined) return false;
  const rules: Rule[] = [{ type: 'deletion' }, { type: 'non_fast_forward' }];
  if (one.requiredApprovals > 0)
    rules.push({
      type: 'pull_request',
      approvals: one.requiredApprovals,
      dismissStale: false,
      lastPushApproval: false,
      mergeMethods: [],
    });
  if (one.requiredChecks.length > 0) {
    rules.push({ type: 'required_status_checks', strict: false, checks: listRequiredChecks(one) });
  }
  return rules.some((rule) => isRuleBroken(world, repo, rule, change, at));
}

function isRuleBroken(
  world: World,
  repo: Repo,
  rule: Rule,
  { before, after, isForward }: RefChange,
  at: 'push' | 'merge',
): boolean {
  switch (rule.type) {
    case 'creation':
      return before === null;
    case 'deletion':
      return after === null;
    case 'update':
      return before !== null && after !== null;
    case 'non_fast_forward':
      return !isForward;
    // At the merge button, merge-rules.ts checks these two for the pull request. A new branch has none yet.
    case 'pull_request':
      return at === 'push' && before !== null && after !== null;
    case 'required_status_checks': {
      if (at === 'merge' || before === null || after === null) return false;
      return listUnmetChecks(rule.checks, checkStates(world, repo, after)).length > 0;
    }
  }
}

/** GitHub's message for each (docs.github.com/repositories: troubleshooting rules; as `git push` prints them). */
export const breachWords: Readonly<Record<RuleBreach, string>> = {
  'rule/creation': 'Cannot create ref due to creations being restricted.',
  'rule/deletion': 'Cannot delete this protected ref.',
  'rule/update': 'Cannot update this protected ref.',
  'rule/non_fast_forward': 'Cannot force-push to this branch',
  'rule/pull_request': 'Changes must be made through a pull request.',
  'rule/required_status_checks': 'Required status checks are expected.',
};
