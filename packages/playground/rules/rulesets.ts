/**
 * Which rules apply to a ref, and which callers bypass them (docs.github.com/repositories: about rulesets; patterns are
 * fnmatch with `*` stopping at a slash).
 */

import { userRole } from '../identity/permissions.ts';
import type { Caller } from '../identity/state-people.ts';
import type { Repo } from '../world/state.ts';
import type { BypassActor, Rule, Ruleset } from '../world/state-settings.ts';
import type { World } from '../world/world.ts';
import { fnmatch } from './fnmatch.ts';

/** The API's ids for roles in a bypass list. */
const roleIds = { 2: 'maintain', 4: 'write', 5: 'admin' } as const;

export function listRulesets(world: World, repo: Repo): readonly Ruleset[] {
  return Object.values(world.state.rulesets).filter((one) => one.repoId === repo.id);
}

/** Active rulesets that match the ref (`refs/heads/main`). */
export function filterRulesets(world: World, repo: Repo, ref: string): readonly Ruleset[] {
  const target = ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : null;
  return listRulesets(world, repo).filter(
    (one) =>
      one.target === target &&
      one.enforcement === 'active' &&
      one.include.some((pattern) => matchesRef(repo, pattern, ref)) &&
      !one.exclude.some((pattern) => matchesRef(repo, pattern, ref)),
  );
}

/** The rules for this caller on the ref; `at`: whether the change is a push or a merge. */
export function listRules(
  world: World,
  repo: Repo,
  ref: string,
  caller: Caller,
  at: 'push' | 'merge',
): readonly Rule[] {
  return filterRulesets(world, repo, ref)
    .filter((one) => {
      const mode = findBypass(world, repo, one, caller);
      return mode === null || (mode === 'pull_request' && at === 'push');
    })
    .flatMap(({ rules }) => rules);
}

/** How the caller bypasses the ruleset; null = it does not. */
export function findBypass(world: World, repo: Repo, ruleset: Ruleset, caller: Caller): BypassActor['mode'] | null {
  const modes = ruleset.bypass.filter((one) => isActor(world, repo, one, caller)).map(({ mode }) => mode);
  return modes.includes('always') ? 'always' : (modes[0] ?? null);
}

function isActor(world: World, repo: Repo, actor: BypassActor, caller: Caller): boolean {
  switch (actor.actorType) {
    case 'Integration':
      // A workflow acts as GitHub's own App, which no list can name.
      return caller.kind === 'installation' && caller.appId === actor.actorId;
    case 'User':
      return caller.kind === 'user' && caller.userId === actor.actorId;
    case 'OrganizationAdmin':
      return caller.kind === 'user' && ownsAccount(world, repo.ownerId, caller.userId);
    case 'RepositoryRole': {
      const wanted = Object.entries(roleIds).find(([id]) => Number(id) === actor.actorId)?.[1];
      return caller.kind === 'user' && wanted !== undefined && userRole(repo, caller.userId) === wanted;
    }
  }
}

/** Whether an account owns another: it is the same account, or an organization that it administers. */
export function ownsAccount(world: World, accountId: number, userId: number): boolean {
  return accountId === userId || (world.state.owners[accountId]?.includes(userId) ?? false);
}

function matchesRef(repo: Repo, pattern: string, ref: string): boolean {
  if (pattern === '~ALL') return true;
  if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${repo.defaultBranch}`;
  return fnmatch(pattern).test(ref);
}
