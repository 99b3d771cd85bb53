/** Rulesets as the REST API writes them (docs.github.com/rest/repos/rules). */

import { repoApi, repoPage } from '../git/shape-repo.ts';
import type { Caller } from '../identity/state-people.ts';
import type { JsonObject } from '../world/json.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { type Rule, type Ruleset, ruleParameters } from '../world/state-settings.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { findBypass } from './rulesets.ts';

/** A ruleset in a list, without its rules. */
export function shapeRulesetRow(world: World, repo: Repo, row: Ruleset): JsonObject {
  return {
    id: row.id,
    name: row.name,
    target: row.target,
    source_type: 'Repository',
    source: `${repo.owner}/${repo.name}`,
    enforcement: row.enforcement,
    node_id: nodeId('RRS', row.id),
    _links: {
      self: { href: `${repoApi(world, repo)}/rulesets/${row.id}` },
      html: { href: `${repoPage(world, repo)}/rules/${row.id}` },
    },
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs),
  };
}

/** A complete ruleset. Only callers who may change it see its bypass list. */
export function shapeRuleset(world: World, repo: Repo, row: Ruleset, caller: Caller, mayChange: boolean): JsonObject {
  const mode = findBypass(world, repo, row, caller);
  const bypass = row.bypass.map((one) => ({ actor_id: one.actorId, actor_type: one.actorType, bypass_mode: one.mode }));
  return {
    ...shapeRulesetRow(world, repo, row),
    conditions: { ref_name: { include: [...row.include], exclude: [...row.exclude] } },
    rules: row.rules.map(shapeRule),
    current_user_can_bypass: mode === null ? 'never' : mode === 'always' ? 'always' : 'pull_requests_only',
    ...(mayChange ? { bypass_actors: bypass } : {}),
  };
}

/** A rule that applies to a branch, with its ruleset. */
export function shapeRuleInForce(repo: Repo, row: Ruleset, rule: Rule): JsonObject {
  return {
    ...shapeRule(rule),
    ruleset_source_type: 'Repository',
    ruleset_source: `${repo.owner}/${repo.name}`,
    ruleset_id: row.id,
  };
}

function shapeRule(rule: Rule): JsonObject {
  const parameters = ruleParameters(rule);
  return parameters === undefined ? { type: rule.type } : { type: rule.type, parameters };
}
