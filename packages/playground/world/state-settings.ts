/** State rows that administrators set: rulesets, runners and their groups, Actions settings. */

import type { Json } from './json.ts';

/** An actor that bypasses a ruleset (docs.github.com/rest/repos/rules: `bypass_actors`). */
export type BypassActor = {
  readonly actorId: number | null;
  readonly actorType: 'Integration' | 'OrganizationAdmin' | 'RepositoryRole' | 'User';
  /** `pull_request`: bypasses the rules only at the merge button. */
  readonly mode: 'always' | 'pull_request';
};

export type RequiredCheck = {
  readonly context: string;
  /** The App that the check must come from; null = any. */
  readonly appId: number | null;
};

/** The rules that the playground enforces. */
export type Rule =
  | { readonly type: 'creation' | 'update' | 'deletion' | 'non_fast_forward' }
  | {
      readonly type: 'pull_request';
      readonly approvals: number;
      readonly dismissStale: boolean;
      /** A person other than the last pusher must have approved the last push. */
      readonly lastPushApproval: boolean;
      readonly mergeMethods: readonly ('merge' | 'squash' | 'rebase')[];
    }
  | { readonly type: 'required_status_checks'; readonly strict: boolean; readonly checks: readonly RequiredCheck[] };

export type Ruleset = {
  readonly id: number;
  readonly repoId: number;
  readonly name: string;
  readonly target: 'branch' | 'tag';
  readonly enforcement: 'active' | 'disabled';
  /** Patterns of full ref names, `~ALL` or `~DEFAULT_BRANCH`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly bypass: readonly BypassActor[];
  readonly rules: readonly Rule[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** A self-hosted runner that is registered for a repository. */
export type Runner = {
  readonly id: number;
  readonly repoId: number;
  readonly name: string;
  readonly os: string;
  readonly labels: readonly string[];
};

/** Runners of an organization, available to all repositories, optionally only for some workflows. */
export type RunnerGroup = {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  /** `owner/name/.github/workflows/FILE@REF`; null = any workflow. */
  readonly workflows: readonly string[] | null;
};

/** A team of an organization. */
export type Team = { readonly ownerId: number; readonly slug: string; readonly memberIds: readonly number[] };

/** Settings of a repository that have an effect here; absent ones have the default of a new repository. */
export type RepoOptions = {
  readonly mergeCommit?: boolean;
  readonly squashMerge?: boolean;
  readonly rebaseMerge?: boolean;
  readonly deleteBranchOnMerge?: boolean;
  readonly homepage?: string | null;
};

/** A repository's Actions settings. */
export type ActionsSettings = {
  /** Default permissions of a workflow's token. */
  readonly tokenDefault: 'read' | 'write';
  readonly forkApproval:
    | 'first_time_contributors_new_to_github'
    | 'first_time_contributors'
    | 'all_external_contributors';
};

/** The settings of a new repository on github.com. */
export const newActionsSettings: ActionsSettings = { tokenDefault: 'read', forkApproval: 'first_time_contributors' };

/** The parameters of a rule as the API writes them; undefined if it has none. */
export function ruleParameters(rule: Rule): Json | undefined {
  switch (rule.type) {
    case 'update':
      return { update_allows_fetch_and_merge: false };
    case 'pull_request':
      return {
        required_approving_review_count: rule.approvals,
        dismiss_stale_reviews_on_push: rule.dismissStale,
        require_code_owner_review: false,
        require_last_push_approval: rule.lastPushApproval,
        required_review_thread_resolution: false,
        allowed_merge_methods: [...rule.mergeMethods],
      };
    case 'required_status_checks':
      return {
        strict_required_status_checks_policy: rule.strict,
        do_not_enforce_on_create: false,
        required_status_checks: rule.checks.map(({ context, appId }) =>
          appId === null ? { context } : { context, integration_id: appId },
        ),
      };
    case 'creation':
    case 'deletion':
    case 'non_fast_forward':
      return undefined;
  }
}
