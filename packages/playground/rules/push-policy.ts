/**
 * The rules for a caller's pushes by the git program, read by git's hook
 * (packages/playground/git/smart-http/update-hook.ts).
 */

import type { Barrier } from '../git/smart-http/push-policy.ts';
import { canChangeWorkflows, findRefusingProtection } from '../identity/permissions.ts';
import type { Caller, User } from '../identity/state-people.ts';
import type { BranchProtection, Repo } from '../world/state.ts';
import type { RequiredCheck, Rule, Ruleset } from '../world/state-settings.ts';
import type { World } from '../world/world.ts';
import { checkStates, listRequiredChecks, listUnmetChecks } from './check-stands.ts';
import { fnmatch } from './fnmatch.ts';
import { breachWords } from './push-rules.ts';
import { findBypass, listRulesets } from './rulesets.ts';

/** Empty: the push is allowed. */
export function pushPolicy(world: World, repo: Repo, caller: Caller, actor: User): readonly Barrier[] {
  const active = listRulesets(world, repo).filter(
    (one) => one.enforcement === 'active' && findBypass(world, repo, one, caller) !== 'always',
  );
  return [
    ...(canChangeWorkflows(caller) ? [] : [workflowBarrier]),
    ...repo.protections.flatMap((rule) => protectionBarriers(world, repo, rule, actor)),
    ...active.flatMap((one) => one.rules.map((rule) => rulesetBarrier(world, repo, one, rule))),
  ];
}

const workflowBarrier: Barrier = {
  include: ['^refs/'],
  exclude: [],
  forbids: 'workflows',
  unless: [],
  words: 'refusing to allow a GitHub App to create or update workflow files without `workflows` permission',
};

function protectionBarriers(world: World, repo: Repo, rule: BranchProtection, actor: User): readonly Barrier[] {
  const words = 'GH006: Protected branch update failed';
  const common = { include: [patternSource(`refs/heads/${rule.branch}`)], exclude: [], unless: [], words };
  const closed =
    rule.requiredApprovals > 0 || findRefusingProtection(repo, rule.branch, actor.id) !== null
      ? [{ ...common, forbids: 'update' as const }]
      : [];
  const checks = listRequiredChecks(rule);
  const unless = listGreenCommits(world, repo, checks);
  const checked = checks.length > 0 ? [{ ...common, forbids: 'update' as const, unless }] : [];
  return [{ ...common, forbids: 'deletion' }, { ...common, forbids: 'rewrite' }, ...closed, ...checked];
}

function rulesetBarrier(world: World, repo: Repo, ruleset: Ruleset, rule: Rule): Barrier {
  const folder = ruleset.target === 'branch' ? 'refs/heads/' : 'refs/tags/';
  const patterns = (list: readonly string[]): string[] =>
    list.map((one) => {
      if (one === '~ALL') return `^${folder}`;
      return patternSource(one === '~DEFAULT_BRANCH' ? `refs/heads/${repo.defaultBranch}` : one);
    });
  const common = {
    include: patterns(ruleset.include),
    exclude: patterns(ruleset.exclude),
    unless: rule.type === 'required_status_checks' ? listGreenCommits(world, repo, rule.checks) : [],
    words: `GH013: Repository rule violations found: ${breachWords[`rule/${rule.type}`]} Refused`,
  };
  switch (rule.type) {
    case 'creation':
    case 'deletion':
      return { ...common, forbids: rule.type };
    case 'non_fast_forward':
      return { ...common, forbids: 'rewrite' };
    case 'update':
    case 'pull_request':
    case 'required_status_checks':
      return { ...common, forbids: 'update' };
  }
}

/** Commits whose required checks are all green: these may be pushed directly. */
function listGreenCommits(world: World, repo: Repo, checks: readonly RequiredCheck[]): string[] {
  const seen = new Set([
    ...Object.values(world.state.checkRuns).map(({ headSha }) => headSha),
    ...Object.values(world.state.statuses).map(({ sha }) => sha),
  ]);
  return [...seen].filter((sha) => listUnmetChecks(checks, checkStates(world, repo, sha)).length === 0);
}

function patternSource(pattern: string): string {
  return fnmatch(pattern).source;
}
