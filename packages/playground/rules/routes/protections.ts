/** Routes of branch protection (docs.github.com/rest/branches/branch-protection): read, set, remove. */

import * as z from 'zod';
import { type Answer, failedAnswer, invalidAnswerWithMessages, noContentAnswer, okAnswer } from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { branchTip } from '../../git/resolve-commit.ts';
import { repoApi } from '../../git/shape-repo.ts';
import { rereadRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import { findUser, installationFor } from '../../world/lookup.ts';
import type { BranchProtection } from '../../world/state.ts';
import { listRequiredChecks } from '../check-stands.ts';

const read = repoAccess('administration:read', 'admin');
const write = repoAccess('administration:write', 'admin');

const off = z.literal(false).nullish();
/** Lists of people and Apps with an exception: must be empty here. */
const emptyList = z.object({}).strict().optional();

/** All four keys must be present, each may be null, as on GitHub. Settings that are not enforced here are rejected. */
const wish = z.object({
  required_status_checks: z
    .object({
      strict: z.boolean(),
      contexts: z.array(z.string()).default([]),
      checks: z.array(z.object({ context: z.string(), app_id: z.int().nullish() })).default([]),
    })
    .nullable(),
  enforce_admins: z.boolean().nullable(),
  required_pull_request_reviews: z
    .object({
      required_approving_review_count: z.int().min(0).max(6).default(1),
      dismiss_stale_reviews: z.boolean().default(false),
      require_code_owner_reviews: off,
      require_last_push_approval: off,
      dismissal_restrictions: emptyList,
      bypass_pull_request_allowances: emptyList,
    })
    .nullable(),
  restrictions: z
    .object({ users: z.array(z.string()), teams: z.array(z.string()).max(0), apps: z.array(z.string()).default([]) })
    .nullable(),
  required_linear_history: off,
  lock_branch: off,
  block_creations: off,
  required_conversation_resolution: off,
  allow_force_pushes: off,
  allow_deletions: off,
});

export const protectionRoutes: readonly Route[] = [
  readRoute('/branches/:branch/protection', read, (call) => {
    const rule = findProtection(call);
    return rule === null ? failedAnswer(404, 'Branch not protected') : okAnswer(shapeProtection(call, rule));
  }),
  writeRoute('PUT', '/branches/:branch/protection', write, wish, protectBranch),
  actRoute('DELETE', '/branches/:branch/protection', write, (call) => {
    const rule = findProtection(call);
    if (rule === null) return failedAnswer(404, 'Branch not protected');
    storeProtection(call, rule.branch, null);
    return noContentAnswer();
  }),
];

async function protectBranch(call: ActorCall, body: z.infer<typeof wish>): Promise<Answer> {
  const branch = call.params['branch'] ?? '';
  if ((await branchTip(call.world.gitOf(call.repo), branch)) === null) return failedAnswer(404, 'Branch not found');
  const { restrictions, required_status_checks: checks, required_pull_request_reviews: reviews } = body;
  const named = checks?.checks ?? [];
  const people = restrictions === null ? null : readPushers(call, restrictions);
  if (people === 'unknown')
    return invalidAnswerWithMessages(['Only users, teams and apps with push access can be added'], 'Validation Failed');
  const rule: BranchProtection = {
    branch,
    pushUserIds: people,
    requiredApprovals: reviews?.required_approving_review_count ?? 0,
    dismissStale: reviews?.dismiss_stale_reviews ?? false,
    requiredChecks: [...new Set([...(checks?.contexts ?? []), ...named.map(({ context }) => context)])],
    checkAppIds: Object.fromEntries(named.flatMap(({ context, app_id: id }) => (isApp(id) ? [[context, id]] : []))),
    strict: checks?.strict ?? false,
  };
  storeProtection(call, branch, rule);
  return okAnswer(shapeProtection(call, rule));
}

/** -1 and null accept a check from any App. */
function isApp(id: number | null | undefined): id is number {
  return typeof id === 'number' && id > 0;
}

/** Accounts by login and by App; an App pushes as its `[bot]` account. */
function readPushers(
  call: ActorCall,
  { users, apps }: { readonly users: readonly string[]; readonly apps: readonly string[] },
): readonly number[] | 'unknown' {
  const people = users.map((login) => findUser(call.world, login)?.id);
  const bots = apps.map((slug) => {
    const app = Object.values(call.world.state.apps).find((one) => one.slug === slug);
    return app === undefined || installationFor(call.world, app.id, call.repo) === null ? undefined : app.botUserId;
  });
  const ids = [...people, ...bots].flatMap((id) => id ?? []);
  return ids.length === users.length + apps.length ? ids : 'unknown';
}

function storeProtection(call: ActorCall, branch: string, rule: BranchProtection | null): void {
  const repo = rereadRepo(call);
  const others = repo.protections.filter((one) => one.branch !== branch);
  const protections = rule === null ? others : [...others, rule];
  call.world.state.repos[repo.id] = { ...repo, protections };
}

function findProtection(call: RepoCall): BranchProtection | null {
  return call.repo.protections.find((one) => one.branch === call.params['branch']) ?? null;
}

function shapeProtection(call: RepoCall, rule: BranchProtection): JsonObject {
  const url = `${repoApi(call.world, call.repo)}/branches/${rule.branch}/protection`;
  const checks = {
    url: `${url}/required_status_checks`,
    strict: rule.strict ?? false,
    contexts: [...rule.requiredChecks],
    contexts_url: `${url}/required_status_checks/contexts`,
    checks: listRequiredChecks(rule).map(({ context, appId }) => ({ context, app_id: appId })),
  };
  const reviews = {
    url: `${url}/required_pull_request_reviews`,
    required_approving_review_count: rule.requiredApprovals,
    dismiss_stale_reviews: rule.dismissStale ?? false,
    require_code_owner_reviews: false,
  };
  return {
    url,
    ...(rule.requiredChecks.length === 0 ? {} : { required_status_checks: checks }),
    ...(rule.requiredApprovals === 0 ? {} : { required_pull_request_reviews: reviews }),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
  };
}
