/** Checks everything that a lab has to set up, in setup order. */

import { ROLES } from '../../../domain/logbook/parts.ts';
import { type Observed, toRfc3339 } from '../../../domain/values.ts';
import type { BranchRule } from '../../../github/settings.ts';
import { MARK_PREFIX } from '../../../logbook/mark.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { APP_PERMISSIONS } from '../../server/discovery.ts';
import { KEY_ENVIRONMENTS, KEY_VARIABLES } from '../../signers.ts';
import { type Facts, launchLocation, WORKFLOWS, workflowFaults, workflowSecretFaults } from './facts.ts';

export type Finding = {
  /** A stable id such as `environment-branches` (listed in docs/threat-model.md). */
  readonly check: string;
  /** `warning`: allowed, but worth knowing. `unknown`: this token cannot see it; it never counts as ok. */
  readonly state: 'ok' | 'warning' | 'missing' | 'unknown';
  readonly found: string;
  /** The next action; empty if the state is ok. */
  readonly remedy: string;
};

export type Verdict = Pick<Finding, 'state' | 'found'>;

/** `missing` with all faults, or `ok`. */
function verdictFromFaults(faults: readonly string[], okText: string): Verdict {
  return faults.length > 0 ? { state: 'missing', found: faults.join('; ') } : { state: 'ok', found: okText };
}

/** Same as `verdictOn`, for facts that may be unknown: a known fault decides, otherwise an unknown fact makes the verdict unknown. */
function verdictAmong(faults: readonly string[], facts: readonly Observed<unknown>[], okText: string): Verdict {
  const [away] = facts.flatMap((fact) => (fact.kind === 'unknown' ? [fact.why] : []));
  return faults.length === 0 && away !== undefined
    ? { state: 'unknown', found: away }
    : verdictFromFaults(faults, okText);
}

/** Judges a known fact. */
function judgeKnown<Value>(fact: Observed<Value>, judge: (value: Value) => Verdict): Verdict {
  return fact.kind === 'known' ? judge(fact.value) : { state: 'unknown', found: fact.why };
}

const LAUNCH_LABEL = 'ferrybot-launch';

type Check = {
  readonly id: string;
  readonly judge: (facts: Facts) => Verdict;
  readonly advice: (facts: Facts) => string;
};

const COPY_ADVICE = 'Copy the example workflows of the release again. Put differences into the config.';
const ACTIONS_ADVICE = 'Settings, Actions, General:';
const LOOK_ADVICE =
  "This token or this machine may not see it. Check it yourself, or run doctor again with an administrator's token, in the lab's checkout.";

const CHECKS: readonly Check[] = [
  {
    id: 'config',
    judge: ({ defaultBranch }) => verdictFromFaults([], `${CONFIG_PATH} on ${defaultBranch}`),
    // An invalid config ends the examination before this check.
    advice: () => '',
  },
  {
    id: 'keys',
    judge: checkKeys,
    advice: () =>
      'Make a key pair for each role, list the public halves under `keys`, store the private ones as secrets.',
  },
  {
    id: 'cluster-keys',
    judge: ({ clusters }) =>
      verdictAmong(
        clusters.flatMap(({ name, needsKey }) =>
          needsKey.kind === 'known' && !needsKey.value ? [`${name} requires no key`] : [],
        ),
        clusters.map(({ needsKey }) => needsKey),
        clusters.length === 0
          ? 'no cluster is of an engine that says so'
          : `${clusters.map(({ name }) => name).join(', ')} asks for a key`,
      ),
    advice: () =>
      'Switch authentication on, give ferrybot a key of its own, and name its secret under `tokenFrom`. Without it, everybody who reaches the cluster is its administrator: they can stop every job and read the variables of each.',
  },
  {
    id: 'app-permissions',
    judge: checkAppPermissions,
    advice: ({ appPermissions: granted }) =>
      granted.kind === 'known' && granted.value === null
        ? 'Register an App from app.yml, install it on the repository and put its slug into `appSlug`: approvers then recognize the card by its author. Without an App, keep the default permission of workflows at read, and compare the card with the diff of the pull request before you approve.'
        : 'Grant the App what app.yml asks for and nothing else.',
  },
  {
    id: 'workflows',
    judge: ({ config, files }) =>
      judgeKnown(files, (read) => verdictFromFaults(workflowFaults(config, read), 'all there, with one commit')),
    advice: () => `${COPY_ADVICE} Put the full commit of one release behind every use of ferrybot.`,
  },
  {
    id: 'workflow-secrets',
    judge: ({ config, files }) =>
      judgeKnown(files, (read) =>
        verdictFromFaults(workflowSecretFaults(config, read), 'each secret in the files that need it'),
      ),
    advice: () =>
      `Name each secret under \`env:\` of the step that needs it, as \`NAME: \${{ secrets.NAME }}\`, and under no other. For the rest: ${COPY_ADVICE}`,
  },
  {
    id: 'workflow-permissions',
    judge: ({ workflowPermissions }) =>
      judgeKnown(workflowPermissions, (value) =>
        verdictFromFaults(
          [
            ...(value.default_workflow_permissions === 'read' ? [] : ['workflows may write by default']),
            // The daily workflow opens and closes the proposal with its own token.
            ...(value.can_approve_pull_request_reviews ? [] : ['workflows may not create pull requests']),
          ],
          'workflows read by default, and may create pull requests',
        ),
      ),
    advice: () =>
      `${ACTIONS_ADVICE} give workflows read permission by default, and allow GitHub Actions to create and approve pull requests.`,
  },
  {
    id: 'fork-approval',
    judge: ({ isPrivate, forkApproval }) =>
      isPrivate
        ? verdictFromFaults([], 'a private repository: strangers cannot fork it')
        : judgeKnown(forkApproval, (value) =>
            verdictFromFaults(value === 'all_external_contributors' ? [] : [value], value),
          ),
    advice: () => `${ACTIONS_ADVICE} require approval for all external contributors.`,
  },
  {
    id: 'environment-branches',
    judge: checkEnvironmentBranches,
    advice: ({ defaultBranch }) =>
      `Settings, Environments: create each environment, and allow the branch ${defaultBranch} and nothing else.`,
  },
  {
    id: 'environment-secrets',
    judge: checkEnvironmentSecrets,
    advice: () =>
      'Settings, Environments: put each secret into the environment of the jobs that need it. A server or a watch that is no workflow has it in its own environment.',
  },
  {
    id: 'no-key-outside',
    judge: checkOpenSecrets,
    advice: () =>
      'Delete it among the secrets of the repository or the organisation, and make a new key: every workflow of every branch could read this one.',
  },
  {
    id: 'runner-label',
    judge: ({ runnerLabels }) =>
      judgeKnown(runnerLabels, (runners) => {
        const count = runners.filter((labels) => labels.includes(LAUNCH_LABEL)).length;
        // Runners of the organization are not in this list.
        return count > 0
          ? verdictFromFaults([], `${count} with ${LAUNCH_LABEL}`)
          : {
              state: 'unknown',
              found: "the repository has none; an organisation's runner is not listed here",
            };
      }),
    advice: () => `Register the launching runner with the label ${LAUNCH_LABEL}, and give the label to no other.`,
  },
  {
    id: 'runner-group',
    // Any workflow on any branch can request a runner label. Only a runner group that is pinned to one workflow prevents that.
    judge: (facts) =>
      judgeKnown(facts.runnerGroups, (groups) => {
        const pinned = groups.filter(
          (group) => group.restricted_to_workflows && group.selected_workflows.join() === launchPath(facts),
        );
        const faults = pinned.length > 0 ? [] : ['no group is pinned to the launch workflow alone'];
        return verdictFromFaults(faults, pinned.map(({ name }) => name).join(', '));
      }),
    advice: (facts) =>
      `Organisation settings, Runner groups: pin the launching runner's group to ${launchPath(facts)}.`,
  },
  branchRulesCheck('ruleset-default-branch', ({ defaultBranch }) => defaultBranch, 'defaultBranchRules', [
    'pull_request',
    'a review',
    'approval of the last push by somebody else',
    'non_fast_forward',
    'deletion',
  ]),
  branchRulesCheck('ruleset-logbook', ({ config }) => config.logbookBranch, 'logbookRules', [
    'non_fast_forward',
    'deletion',
  ]),
  tagRulesCheck('ruleset-seal-tags', 'ferry/**/*', 'a seal is never moved.'),
  tagRulesCheck(
    'ruleset-mark-tags',
    `${MARK_PREFIX}*`,
    "marks show what the record had. Let ferrybot's App bypass it: it deletes those that a checkpoint covers.",
  ),
];

/** Check ids in the order of the findings (docs/threat-model.md lists them). */
export const DOCTOR_CHECKS: readonly string[] = CHECKS.map(({ id }) => id);

/** Runs all checks for a lab with a valid config. */
export function runDoctorChecks(facts: Facts): readonly Finding[] {
  return CHECKS.map(({ id, judge, advice }) => {
    const verdict = judge(facts);
    const todo = verdict.state === 'ok' ? '' : advice(facts);
    return { check: id, ...verdict, remedy: verdict.state === 'unknown' ? `${LOOK_ADVICE} ${todo}` : todo };
  });
}

/** Public keys of the example lab. Their private keys are public, too (fixtures/lab/.github/ferrybot.yml). */
const DEMO_KEYS: readonly string[] = [
  'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=',
  'gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q=',
  '7UkoxijRwsbq6QM4kFmVYSlZJzpcY/k2NsFGFKyHN9E=',
];

function checkKeys({ config, signingKeys, now }: Facts): Verdict {
  const at = toRfc3339(now);
  const inForce = config.keys.filter((key) => key.from <= at && at < key.until);
  const faults = ROLES.flatMap((role) => {
    const own = signingKeys[role];
    const listed = inForce.filter((key) => key.role === role);
    return [
      ...(listed.length === 0 ? [`no ${role} key is in force`] : []),
      ...(listed.some((key) => DEMO_KEYS.includes(key.public)) ? [`the ${role} key is the example's`] : []),
      ...(own !== undefined && !listed.some((key) => key.public === own.public)
        ? [`${KEY_VARIABLES[role]} fits no ${role} key of the config`]
        : []),
    ];
  });
  return verdictFromFaults(faults, inForce.map((key) => key.id).join(', '));
}

function checkAppPermissions({ appPermissions: granted }: Facts): Verdict {
  return judgeKnown(granted, (permissions) => {
    if (permissions === null)
      return {
        state: 'warning',
        found:
          'no App is installed: ferrybot posts as github-actions[bot], and any workflow with write permission can post under that name',
      };
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
    return verdictFromFaults(faults, 'as app.yml');
  });
}

function checkEnvironmentBranches({ environments, defaultBranch }: Facts): Verdict {
  const faults = environments.flatMap(({ name, refs }) => {
    if (refs.kind === 'unknown') return [];
    const found = refs.value.map((ref) => `${ref.type ?? 'branch'} ${ref.name}`).join(', ');
    return found === `branch ${defaultBranch}` ? [] : [`${name} is open to ${found || 'no branch'}`];
  });
  return verdictAmong(
    faults,
    environments.map(({ refs }) => refs),
    `${defaultBranch} alone`,
  );
}

/** Missing environment secrets. Secrets that the lab passes to jobs may also be in the repository or organization: jobs see those, too. */
function checkEnvironmentSecrets({ config, environments, repositorySecrets, organizationSecrets }: Facts): Verdict {
  const open = [repositorySecrets, organizationSecrets].flatMap((names) => (names.kind === 'known' ? names.value : []));
  const faults = environments.flatMap(({ name, secrets }) => {
    if (secrets.kind === 'unknown') return [];
    const needed = [
      ...ROLES.filter((role) => KEY_ENVIRONMENTS[role].includes(name)).map((role) => KEY_VARIABLES[role]),
      ...listConfigSecrets(config)
        .filter((need) => need.environments.includes(name) && !(need.mayBeOpen && open.includes(need.secret)))
        .map(({ secret }) => secret),
    ];
    return needed
      .filter((secret) => !secrets.value.includes(secret))
      .map((secret) => `there is no ${secret} in ${name}`);
  });
  return verdictAmong(
    faults,
    environments.map(({ secrets }) => secrets),
    'each secret in its environments',
  );
}

/** Secrets of the example workflows that must not be readable from every branch. */
const GUARDED: readonly string[] = [...Object.values(KEY_VARIABLES), 'RAY_AUTH_TOKEN', 'VAST_API_KEY'];

/** Anyone who can push a workflow can read the secrets of the repository and the organization. */
function checkOpenSecrets({ config, repositorySecrets, organizationSecrets }: Facts): Verdict {
  const named = listConfigSecrets(config).flatMap(({ secret, mayBeOpen }) => (mayBeOpen ? [] : [secret]));
  const places = [
    ['the repository', repositorySecrets],
    ['the organisation', organizationSecrets],
  ] as const;
  const faults = places.flatMap(([where, names]) =>
    (names.kind === 'known' ? names.value : [])
      .filter((name) => [...GUARDED, ...named].includes(name))
      .map((name) => `a branch can read ${name} of ${where}`),
  );
  return verdictAmong(faults, [repositorySecrets, organizationSecrets], 'no branch can read a key');
}

/** `owner/name/.github/workflows/FILE@refs/heads/BRANCH`, the form in which runner groups name a workflow. */
function launchPath({ config, files, repository, defaultBranch }: Facts): string {
  const own = `${repository}/${WORKFLOWS}/${config.workflows.launch}@refs/heads/${defaultBranch}`;
  return files.kind === 'known' ? launchLocation(config, files.value, own) : own;
}

function branchRulesCheck(
  id: string,
  branchOf: (facts: Facts) => string,
  key: 'defaultBranchRules' | 'logbookRules',
  wanted: readonly string[],
): Check {
  return {
    id,
    judge: (facts) =>
      judgeKnown(facts[key], (inForce) => {
        const names = new Set(inForce.flatMap(ruleNames));
        const absent = wanted.filter((name) => !names.has(name));
        return verdictFromFaults(
          absent.length === 0 ? [] : [`${branchOf(facts)} lacks ${absent.join(', ')}`],
          'all rules',
        );
      }),
    advice: (facts) => `Make a ruleset for ${branchOf(facts)} with ${wanted.join(', ')}.`,
  };
}

/**
 * The names of a rule. People with write access can push to ferrybot's branches. GitHub prevents only the author from approving; only
 * `require_last_push_approval` also excludes the last pusher.
 */
function ruleNames({ type, parameters }: BranchRule): readonly string[] {
  return [
    type,
    ...((parameters?.required_approving_review_count ?? 0) > 0 ? ['a review'] : []),
    ...(parameters?.require_last_push_approval === true ? ['approval of the last push by somebody else'] : []),
  ];
}

/**
 * Whether a ruleset covers all tags of one kind. In GitHub's patterns (fnmatch with FNM_PATHNAME) `ferry/**` matches only up to the first
 * slash, but seal tags are named `ferry/daily/DATE/RUN`.
 */
function tagRulesCheck(id: string, pattern: string, why: string): Check {
  const all = ['~ALL', 'refs/tags/**/*', `refs/tags/${pattern}`];
  return {
    id,
    judge: ({ tagRulesets }) =>
      judgeKnown(tagRulesets, (rulesets) => {
        const covers = rulesets.some(
          (one) =>
            one.enforcement === 'active' &&
            one.conditions?.ref_name.include.some((name) => all.includes(name)) === true &&
            one.conditions.ref_name.exclude.length === 0 &&
            ['update', 'deletion'].every((type) => one.rules.some((rule) => rule.type === type)),
        );
        return verdictFromFaults(covers ? [] : ['no ruleset fixes them'], `${pattern} are fixed`);
      }),
    advice: () => `Make a ruleset for the tags ${pattern} with update and deletion: ${why}`,
  };
}
