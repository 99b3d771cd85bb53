/** Judges what GitHub tells about a repository's settings: each is ok, missing, or unknown with what to do. */

import type { Observed } from '../../../domain/observed.ts';
import type {
  BranchRule,
  EnvironmentRefs,
  RepositorySettings,
  TagRuleset,
  WorkflowPermissions,
} from '../../../github/settings.ts';
import {
  CARE_ENVIRONMENT,
  CONTROL_ENVIRONMENT,
  LAUNCH_ENVIRONMENT,
  WATCH_ENVIRONMENT,
} from '../../environments.ts';
import { APP_PERMISSIONS } from '../../server/app-permissions.ts';
import { type DoctorCheck, type Finding, fine, LOOK, missing, unseen, warning } from './finding.ts';
import { judgeSecrets, type SecretFacts } from './judge-secrets.ts';

export const LAUNCH_LABEL = 'ferrybot-launch';

export type SettingsFacts = SecretFacts & {
  readonly defaultBranch: string;
  readonly logbookBranch: string;
  /** `owner/name/.github/workflows/FILE@refs/heads/BRANCH`, as a runner group names it. */
  readonly launchWorkflow: string;
  readonly appPermissions: Observed<Readonly<Record<string, string>> | null>;
  readonly runnerGroups: Observed<
    readonly {
      readonly name: string;
      readonly restricted_to_workflows: boolean;
      readonly selected_workflows: readonly string[];
    }[]
  >;
  readonly repository: Observed<RepositorySettings>;
  readonly workflowPermissions: Observed<WorkflowPermissions>;
  readonly forkApproval: Observed<string>;
  readonly environmentRefs: Observed<EnvironmentRefs>;
  /** The same of the environment of the jobs that decide. */
  readonly controlRefs: SettingsFacts['environmentRefs'];
  /** The same of the environment of the watch and the stop, which see the cluster's token. */
  readonly watchRefs: SettingsFacts['environmentRefs'];
  /** The same of the environment of the machine that may change the cluster; null where no workflow of the lab's does. */
  readonly careRefs: SettingsFacts['environmentRefs'] | null;
  readonly runnerLabels: Observed<readonly (readonly string[])[]>;
  readonly defaultBranchRules: Observed<readonly BranchRule[]>;
  readonly logbookRules: Observed<readonly BranchRule[]>;
  readonly tagRulesets: Observed<readonly TagRuleset[]>;
};

/** One finding for each setting. */
export function judgeSettings(facts: SettingsFacts): readonly Finding[] {
  return [
    appPermissions(facts),
    tokenDefault(facts),
    mayOpenPulls(facts),
    forkApproval(facts),
    environmentBranches('environment-control', CONTROL_ENVIRONMENT, facts.controlRefs, facts),
    environmentBranches('environment-branches', LAUNCH_ENVIRONMENT, facts.environmentRefs, facts),
    environmentBranches('environment-watch', WATCH_ENVIRONMENT, facts.watchRefs, facts),
    facts.careRefs === null
      ? fine('environment-care', 'no workflow of this lab changes a cluster')
      : environmentBranches('environment-care', CARE_ENVIRONMENT, facts.careRefs, facts),
    ...judgeSecrets(facts),
    runnerLabel(facts),
    runnerGroup(facts),
    branchRules('ruleset-default-branch', facts.defaultBranch, facts.defaultBranchRules, [
      'pull_request',
      'a review',
      'approval of the last push by somebody else',
      'non_fast_forward',
      'deletion',
    ]),
    branchRules('ruleset-logbook', facts.logbookBranch, facts.logbookRules, ['non_fast_forward', 'deletion']),
    tagRules(facts),
  ];
}

/** A known fact is judged; an unknown one is unknown, with the same thing to do. */
function given<Value>(
  check: DoctorCheck,
  observed: Observed<Value>,
  todo: string,
  judge: (value: Value) => Finding,
): Finding {
  return observed.kind === 'known' ? judge(observed.value) : unseen(check, observed.why, `${LOOK} ${todo}`);
}

function tokenDefault({ workflowPermissions }: SettingsFacts): Finding {
  const todo = 'Settings, Actions, General: let workflows have read permission by default.';
  return given('default-workflow-permissions', workflowPermissions, todo, (value) =>
    value.default_workflow_permissions === 'read'
      ? fine('default-workflow-permissions', 'read')
      : missing('default-workflow-permissions', value.default_workflow_permissions, todo),
  );
}

/** The daily workflow's own token opens the proposal, and the closure at the end. */
function mayOpenPulls({ workflowPermissions }: SettingsFacts): Finding {
  const check = 'actions-open-pulls';
  const todo = 'Settings, Actions, General: allow GitHub Actions to create and approve pull requests.';
  return given(check, workflowPermissions, todo, (value) =>
    value.can_approve_pull_request_reviews
      ? fine(check, 'workflows may create pull requests')
      : missing(check, 'workflows may not create pull requests', todo),
  );
}

function forkApproval({ repository, forkApproval: policy }: SettingsFacts): Finding {
  const todo = 'Settings, Actions, General: require approval for all external contributors.';
  if (repository.kind === 'known' && repository.value.private)
    return fine('fork-approval', 'a private repository: strangers cannot fork it');
  return given('fork-approval', policy, todo, (value) =>
    value === 'all_external_contributors'
      ? fine('fork-approval', value)
      : missing('fork-approval', value, todo),
  );
}

function environmentBranches(
  check: DoctorCheck,
  environment: string,
  environmentRefs: SettingsFacts['environmentRefs'],
  { defaultBranch }: SettingsFacts,
): Finding {
  const todo = `Settings, Environments, ${environment}: allow the branch ${defaultBranch} and nothing else.`;
  return given(check, environmentRefs, todo, (refs) => {
    if (refs === 'absent') return missing(check, 'there is no such environment', todo);
    if (refs === null) return missing(check, 'more than one named branch may use it', todo);
    const found = refs.map((ref) => `${ref.type ?? 'branch'} ${ref.name}`);
    return found.join() === `branch ${defaultBranch}`
      ? fine(check, found.join(', '))
      : missing(check, found.join(', ') || 'no branch may use it', todo);
  });
}

function runnerLabel({ runnerLabels }: SettingsFacts): Finding {
  const todo = `Register the launching runner with the label ${LAUNCH_LABEL}, and give the label to no other.`;
  return given('runner-label', runnerLabels, todo, (runners) => {
    const count = runners.filter((labels) => labels.includes(LAUNCH_LABEL)).length;
    // A runner of the organisation is not in this list: none here says nothing.
    return count > 0
      ? fine('runner-label', `${count} with ${LAUNCH_LABEL}`)
      : unseen(
          'runner-label',
          'the repository itself has none; an organisation’s runner is not listed here',
          todo,
        );
  });
}

/** A label is asked for by any workflow of any branch; only a group that is pinned to a workflow says no. */
function runnerGroup({ runnerGroups, launchWorkflow }: SettingsFacts): Finding {
  const check = 'runner-group';
  const todo = `Organisation settings, Runner groups: pin the launching runner's group to ${launchWorkflow}.`;
  return given(check, runnerGroups, todo, (groups) => {
    const pinned = groups.filter(
      (group) => group.restricted_to_workflows && group.selected_workflows.join() === launchWorkflow,
    );
    return pinned.length > 0
      ? fine(check, pinned.map((group) => group.name).join(', '))
      : missing(check, 'no group is pinned to the launch workflow alone', todo);
  });
}

const WITHOUT_APP =
  'no App is installed: ferrybot posts as github-actions[bot], and any workflow with write permission can post under that name';
const INSTALL_APP =
  'Register an App from app.yml, install it on the repository and put its slug into `appSlug`: approvers then recognize the card by its author. Without an App, keep the default permission of workflows at read, and compare the card with the diff of the pull request before you approve.';

function appPermissions({ appPermissions: granted }: SettingsFacts): Finding {
  const check = 'app-permissions';
  const todo = 'Grant the App what app.yml asks for and nothing else.';
  return given(check, granted, todo, (permissions) => {
    if (permissions === null) return warning(check, WITHOUT_APP, INSTALL_APP);
    const wanted: Readonly<Record<string, { readonly level: string }>> = APP_PERMISSIONS;
    const lacking = Object.entries(wanted).filter(
      ([name, { level }]) => permissions[name] !== level && permissions[name] !== 'write',
    );
    const beyond = Object.entries(permissions).filter(
      ([name, level]) => level !== 'read' && wanted[name]?.level !== level,
    );
    const faults = [
      ...lacking.map(([name, { level }]) => `lacks ${name}: ${level}`),
      ...beyond.map(([name, level]) => `has ${name}: ${level}`),
    ];
    return faults.length === 0 ? fine(check, 'as app.yml') : missing(check, faults.join(', '), todo);
  });
}

function branchRules(
  check: DoctorCheck,
  branch: string,
  rules: Observed<readonly BranchRule[]>,
  wanted: readonly string[],
): Finding {
  const todo = `A ruleset for ${branch} with ${wanted.join(', ')}.`;
  return given(check, rules, todo, (inForce) => {
    const names = [...new Set(inForce.flatMap(namesOf))];
    const absent = wanted.filter((name) => !names.includes(name));
    return absent.length === 0
      ? fine(check, names.join(', '))
      : missing(check, `${branch} lacks ${absent.join(', ')}`, todo);
  });
}

/**
 * A rule, and what of it counts beside. ferrybot opens pull requests from branches that everybody with write access may push
 * to: GitHub keeps the author from approving, and with `require_last_push_approval` alone whoever pushed into it as well.
 */
function namesOf({ type, parameters }: BranchRule): readonly string[] {
  return [
    type,
    ...((parameters?.required_approving_review_count ?? 0) > 0 ? ['a review'] : []),
    ...(parameters?.require_last_push_approval === true
      ? ['approval of the last push by somebody else']
      : []),
  ];
}

/** A seal is `ferry/daily/DATE/RUN`: of GitHub's patterns (fnmatch with FNM_PATHNAME) `ferry/**` stops at the first slash. */
const ALL_SEALS = ['~ALL', 'refs/tags/ferry/**/*', 'refs/tags/**/*'];

function tagRules({ tagRulesets }: SettingsFacts): Finding {
  const check = 'ruleset-seal-tags';
  const todo = 'A ruleset for the tags ferry/**/* with update and deletion: a seal is never moved.';
  return given(check, tagRulesets, todo, (rulesets) => {
    const covers = rulesets.some(
      (one) =>
        one.enforcement === 'active' &&
        one.conditions?.ref_name.include.some((pattern) => ALL_SEALS.includes(pattern)) === true &&
        one.conditions.ref_name.exclude.length === 0 &&
        ['update', 'deletion'].every((type) => one.rules.some((rule) => rule.type === type)),
    );
    return covers ? fine(check, 'seal tags are fixed') : missing(check, 'no ruleset fixes them', todo);
  });
}
