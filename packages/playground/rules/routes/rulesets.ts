/**
 * Routes of rulesets (docs.github.com/rest/repos/rules): list, get, create, update, delete, and the rules of a branch.
 */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { isAllowed } from '../../identity/permissions.ts';
import { installationFor } from '../../world/lookup.ts';
import type { Rule, Ruleset } from '../../world/state-settings.ts';
import { nextId } from '../../world/world.ts';
import { filterRulesets, listRulesets } from '../rulesets.ts';
import { shapeRuleInForce, shapeRuleset, shapeRulesetRow } from '../shape-ruleset.ts';

const read = repoAccess('metadata:read', 'public');
const write = repoAccess('administration:write', 'admin');

const off = z.literal(false).default(false);
const rule = z.discriminatedUnion('type', [
  z.object({ type: z.literal('creation') }),
  z.object({ type: z.literal('deletion') }),
  z.object({ type: z.literal('non_fast_forward') }),
  z.object({ type: z.literal('update'), parameters: z.object({ update_allows_fetch_and_merge: off }).optional() }),
  z.object({
    type: z.literal('pull_request'),
    parameters: z.object({
      required_approving_review_count: z.int().min(0).max(10),
      dismiss_stale_reviews_on_push: z.boolean(),
      // Reject settings that are not enforced here. Otherwise a lab would believe that it is protected.
      require_code_owner_review: off,
      require_last_push_approval: z.boolean().default(false),
      required_review_thread_resolution: off,
      allowed_merge_methods: z
        .array(z.enum(['merge', 'squash', 'rebase']))
        .min(1)
        .default(['merge', 'squash', 'rebase']),
    }),
  }),
  z.object({
    type: z.literal('required_status_checks'),
    parameters: z.object({
      strict_required_status_checks_policy: z.boolean(),
      do_not_enforce_on_create: z.boolean().default(false),
      required_status_checks: z
        .array(z.object({ context: z.string().min(1), integration_id: z.int().optional() }))
        .min(1),
    }),
  }),
]);
const bypass = z.object({
  actor_id: z.int().nullish(),
  actor_type: z.enum(['Integration', 'OrganizationAdmin', 'RepositoryRole', 'User']),
  bypass_mode: z.enum(['always', 'pull_request']).default('always'),
});
const wish = z.object({
  name: z.string().min(1),
  target: z.enum(['branch', 'tag']).default('branch'),
  enforcement: z.enum(['active', 'disabled']),
  bypass_actors: z.array(bypass).default([]),
  conditions: z
    .object({ ref_name: z.object({ include: z.array(z.string()), exclude: z.array(z.string()) }) })
    .default({ ref_name: { include: [], exclude: [] } }),
  rules: z.array(rule).default([]),
});
type Wish = z.infer<typeof wish>;

export const rulesetRoutes: readonly Route[] = [
  readRoute('/rulesets', read, (call) =>
    answerPage(call, listRulesets(call.world, call.repo), (row) => shapeRulesetRow(call.world, call.repo, row)),
  ),
  readRoute('/rulesets/:ruleset', read, (call) => {
    const row = findRuleset(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeForCaller(call, row));
  }),
  readRoute('/rules/branches/:branch*', read, (call) => {
    const rows = filterRulesets(call.world, call.repo, `refs/heads/${call.params['branch'] ?? ''}`);
    const inForce = rows.flatMap((row) => row.rules.map((one) => shapeRuleInForce(call.repo, row, one)));
    return answerPage(call, inForce, (one) => one);
  }),
  writeRoute('POST', '/rulesets', write, wish, (call, body) => storeRuleset(call, body, null)),
  writeRoute('PUT', '/rulesets/:ruleset', write, wish, (call, body) => {
    const row = findRuleset(call);
    return row === null ? notFoundAnswer() : storeRuleset(call, body, row);
  }),
  actRoute('DELETE', '/rulesets/:ruleset', write, (call) => {
    const row = findRuleset(call);
    if (row === null) return notFoundAnswer();
    delete call.world.state.rulesets[row.id];
    return noContentAnswer();
  }),
];

function storeRuleset(call: ActorCall, body: Wish, before: Ruleset | null): Answer {
  const stranger = body.bypass_actors.find((one) => !isValidBypass(call, one));
  if (stranger !== undefined) {
    const slug = call.world.state.apps[stranger.actor_id ?? 0]?.name ?? `${stranger.actor_id}`;
    const message = `Actor ${slug} integration must be part of the ruleset source or owner organization`;
    return invalidAnswer([{ resource: 'Ruleset', field: 'bypass_actors', code: 'custom', message }]);
  }
  const twin = listRulesets(call.world, call.repo).some((one) => one.name === body.name && one.id !== before?.id);
  if (twin) return failedAnswer(422, 'Name must be unique');
  const now = call.world.clock.now();
  const row: Ruleset = {
    id: before?.id ?? nextId(call.world, 'rulesets'),
    repoId: call.repo.id,
    name: body.name,
    target: body.target,
    enforcement: body.enforcement,
    include: body.conditions.ref_name.include,
    exclude: body.conditions.ref_name.exclude,
    bypass: body.bypass_actors.map((one) => ({
      actorId: one.actor_id ?? null,
      actorType: one.actor_type,
      mode: one.bypass_mode,
    })),
    rules: body.rules.map(toRule),
    createdAtMs: before?.createdAtMs ?? now,
    updatedAtMs: now,
  };
  call.world.state.rulesets[row.id] = row;
  return before === null ? createdAnswer(shapeForCaller(call, row)) : okAnswer(shapeForCaller(call, row));
}

/** An App must be installed here; GitHub's own Actions App never is. */
function isValidBypass(call: ActorCall, { actor_type, actor_id }: Wish['bypass_actors'][number]): boolean {
  if (actor_type !== 'Integration') return true;
  return actor_id !== null && actor_id !== undefined && installationFor(call.world, actor_id, call.repo) !== null;
}

function toRule(given: Wish['rules'][number]): Rule {
  switch (given.type) {
    case 'pull_request': {
      const { parameters } = given;
      return {
        type: given.type,
        approvals: parameters.required_approving_review_count,
        dismissStale: parameters.dismiss_stale_reviews_on_push,
        lastPushApproval: parameters.require_last_push_approval,
        mergeMethods: parameters.allowed_merge_methods,
      };
    }
    case 'required_status_checks': {
      const { parameters } = given;
      return {
        type: given.type,
        strict: parameters.strict_required_status_checks_policy,
        checks: parameters.required_status_checks.map((one) => ({
          context: one.context,
          appId: one.integration_id ?? null,
        })),
      };
    }
    case 'creation':
    case 'update':
    case 'deletion':
    case 'non_fast_forward':
      return { type: given.type };
  }
}

function shapeForCaller(call: RepoCall, row: Ruleset): ReturnType<typeof shapeRuleset> {
  const mayChange = isAllowed(call.world, call.caller, call.repo, 'administration:write', 'admin');
  return shapeRuleset(call.world, call.repo, row, call.caller, mayChange);
}

function findRuleset(call: RepoCall): Ruleset | null {
  const row = call.world.state.rulesets[call.params['ruleset'] ?? ''];
  return row?.repoId === call.repo.id ? row : null;
}
