/** Checks everything that a lab has to set up, in setup order. */

import { ROLES } from '../../../domain/logbook/parts.ts';
import { toRfc3339 } from '../../../domain/values.ts';
import { MARK_PREFIX } from '../../../logbook/mark.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { APP_PERMISSIONS } from '../../server/discovery.ts';
import { KEY_ENVIRONMENTS, KEY_VARIABLES } from '../../signers.ts';
import {
  type Facts,
  launchLocation,
  listConfigPaths,
  listNeededVariables,
  listRunnerLabels,
  WORKFLOWS,
  workflowFaults,
  workflowSecretFaults,
} from './facts.ts';
import { branchRulesCheck, tagRulesCheck } from './rulesets.ts';
import { type Check, type Finding, judgeKnown, type Verdict, verdictAmong, verdictFromFaults } from './verdict.ts';

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
    judge: (facts) =>
      judgeKnown(facts.files, (read) =>
        verdictFromFaults(workflowFaults(facts.config, read, isServerOn(facts)), 'all there, with one commit'),
      ),
    advice: () => `${COPY_ADVICE} Put the full commit of one release behind every use of ferrybot.`,
  },
  {
    id: 'pin',
    judge: ({ pin }) => {
      if (pin === null) return { state: 'unknown', found: 'the workflows do not pin one commit' };
      const { at, exists } = pin;
      // GitHub hides a private repository, and another server's, from this token. Actions may see them.
      if (exists.kind === 'unknown') return { state: 'warning', found: exists.why };
      return verdictFromFaults(exists.value ? [] : [`${at} does not exist`], at);
    },
    advice: () =>
      'Put the full commit of a release behind every use of ferrybot: GitHub starts no job with another one.',
  },
  {
    id: 'paths',
    judge: ({ config, paths, defaultBranch }) =>
      judgeKnown(paths, (there) =>
        verdictFromFaults(
          listConfigPaths(config)
            .filter(({ path }) => !there.has(path))
            .map(({ place, path }) => `${place}: ${path} is not on ${defaultBranch}`),
          'experiments and shipped folders are in the tree',
        ),
      ),
    advice: () => 'Put the file on the default branch, or correct its path in the config.',
  },
  {
    id: 'variables',
    judge: ({ config, variables }) =>
      judgeKnown(variables, (set) =>
        verdictFromFaults(
          listNeededVariables(config)
            .filter((name) => (set.get(name) ?? '') === '')
            .map((name) => `there is no ${name}`),
          'all there',
        ),
      ),
    advice: () =>
      'Settings, Secrets and variables, Actions, Variables: FERRYBOT_STATE_DIR is an absolute folder of the launching runner that outlives its jobs, FERRYBOT_DISK_CLUSTERS lists the clusters to scan.',
  },
  {
    id: 'server',
    judge: checkServer,
    advice: () =>
      'Start `ferrybot serve` with an installed App, and run doctor with its address in FERRYBOT_SERVER_URL; or delete the variable FERRYBOT_SERVER, so that the workflows answer.',
  },
  {
    id: 'plan',
    judge: ({ isPrivate, plan }) =>
      plan.kind === 'unknown' && isPrivate
        ? {
            state: 'warning',
            found: 'a private repository needs GitHub Pro, Team or Enterprise; this token does not see the plan',
          }
        : judgeKnown(plan, (name) => verdictFromFaults(name === 'free' ? ['the plan is free'] : [], name)),
    advice: () =>
      'GitHub Free has no environments and no rulesets in private repositories. Take GitHub Team, or make the repository public.',
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
    judge: ({ runnerLabels, files }) =>
      judgeKnown(runnerLabels, (runners) =>
        judgeKnown(files, (read) => {
          const jobs = listRunnerLabels(read);
          const waiting = jobs.filter(
            ({ labels }) => !runners.some((has) => labels.every((label) => has.includes(label))),
          );
          // Runners of the organization are not in this list.
          const why = "the repository has no such runner, and an organisation's runner is not listed here";
          return waiting.length > 0
            ? {
                state: 'unknown',
                found: `${waiting.map(({ file, labels }) => `${file} waits for ${labels.join(', ')}`).join('; ')}: ${why}`,
              }
            : verdictFromFaults([], [...new Set(jobs.flatMap(({ labels }) => labels))].join(', '));
        }),
      ),
    advice: () => 'Register a runner with these labels. Give the label of the launching runner to no other.',
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

function isServerOn({ variables }: Facts): boolean {
  return variables.kind === 'known' && variables.value.get('FERRYBOT_SERVER') === 'on';
}

function checkServer(facts: Facts): Verdict {
  if (facts.variables.kind === 'unknown') return { state: 'unknown', found: facts.variables.why };
  if (!isServerOn(facts)) return verdictFromFaults([], 'none: the workflows answer');
  const on = 'FERRYBOT_SERVER is on, so the workflows answer nothing';
  if (facts.appPermissions.kind === 'known' && facts.appPermissions.value === null)
    return { state: 'missing', found: `${on}, and no App is installed that would call a server` };
  return judgeKnown(facts.server, (answers) =>
    verdictFromFaults(answers ? [] : [`${on}, and no server answers at FERRYBOT_SERVER_URL`], 'it answers'),
  );
}

/** Teams that the config names. */
function listTeams({ approvals, onCall, lanes }: Facts['config']): readonly string[] {
  const people = [
    ...approvals.users,
    ...onCall.shifts.flatMap(({ users }) => users),
    ...Object.values(lanes).flatMap(({ inCharge }) => inCharge),
  ];
  return [...new Set(people.map(({ written }) => written).filter((written) => written.includes('/')))];
}

function checkAppPermissions({ appPermissions: granted, config }: Facts): Verdict {
  return judgeKnown(granted, (permissions) => {
    const teams = listTeams(config);
    if (permissions === null && teams.length > 0)
      return {
        state: 'missing',
        found: `no App is installed, and the token of a workflow cannot read ${teams.join(', ')}`,
      };
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
      ...(teams.length > 0 && permissions['members'] === undefined ? ['lacks members: read'] : []),
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
