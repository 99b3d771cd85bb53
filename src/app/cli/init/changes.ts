/** Which changes of a repository's settings ferrybot needs, as data, and what is left to people. */

import type { Observed } from '../../../domain/values.ts';
import type { LabConfig } from '../../../run/lane.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { CARE_ENVIRONMENT, KEY_ENVIRONMENTS, KEY_VARIABLES } from '../../signers.ts';
import { runDoctorChecks } from '../doctor/checks.ts';
import { type Facts, maintenanceOf } from '../doctor/facts.ts';

/** One request to GitHub. The adapter fills in owner and repository, and encrypts the value of a secret. */
export type SettingCall =
  | { readonly kind: 'request'; readonly route: string; readonly parameters: Readonly<Record<string, unknown>> }
  | { readonly kind: 'secret'; readonly environment: string; readonly name: string };

export type SettingChange = { readonly what: string; readonly calls: readonly SettingCall[] };

export type SettingFacts = {
  readonly doctor: Facts;
  /** The value of the variable FERRYBOT_STATE_DIR; null if it is not set. */
  readonly stateDirectory: Observed<string | null>;
  /** Whether the default branch has this config. Before that, a ruleset would block the push of the files. */
  readonly isOnDefaultBranch: boolean;
};

export type SettingWishes = {
  readonly rulesets: Readonly<Record<string, object>>;
  /** Names of secrets whose value this process has: key files, and variables of its environment. */
  readonly values: readonly string[];
  readonly stateDirectory: string;
};

/** The missing settings in the order of the set-up. Nothing that exists is changed. */
export function listSettingChanges(facts: SettingFacts, wishes: SettingWishes): readonly SettingChange[] {
  const { doctor } = facts;
  return [
    ...environmentsInUse(doctor).flatMap((environment) => environmentChanges(environment, doctor)),
    ...listMissingSecrets(doctor)
      // Maintenance has a key pair of its own.
      .filter(({ environment, name }) => wishes.values.includes(name) && environment !== CARE_ENVIRONMENT)
      .map(({ environment, name }) => ({
        what: `Store the secret ${name} in the environment ${environment}`,
        calls: [{ kind: 'secret' as const, environment, name }],
      })),
    ...stateDirectoryChanges(facts, wishes),
    ...checkedChanges(facts, wishes),
  ];
}

function environmentsInUse({ config, environments }: Facts): Facts['environments'] {
  return environments.filter(({ name }) => name !== CARE_ENVIRONMENT || maintenanceOf(config).repairs);
}

function environmentChanges(
  { name, refs }: Facts['environments'][number],
  { defaultBranch }: Facts,
): readonly SettingChange[] {
  // Branches that somebody allowed stay; `doctor` reports them.
  const isNew = refs.kind === 'known' && (refs.value.length === 0 || refs.value.every((ref) => ref.name === '*'));
  if (!isNew) return [];
  const environment_name = name;
  const policy = { protected_branches: false, custom_branch_policies: true };
  return [
    {
      what: `Let only the branch ${defaultBranch} use the environment ${name}`,
      calls: [
        {
          kind: 'request',
          route: 'PUT /repos/{owner}/{repo}/environments/{environment_name}',
          parameters: { environment_name, deployment_branch_policy: policy },
        },
        {
          kind: 'request',
          route: 'POST /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies',
          parameters: { environment_name, name: defaultBranch },
        },
      ],
    },
  ];
}

type MissingSecret = { readonly environment: string; readonly name: string };

/** Secrets that jobs need and that no environment has. */
export function listMissingSecrets(facts: Facts): readonly MissingSecret[] {
  return environmentsInUse(facts).flatMap(({ name: environment, refs, secrets }) => {
    const keys = Object.entries(KEY_ENVIRONMENTS).flatMap(([role, names]) =>
      names.includes(environment) ? [KEY_VARIABLES[role as keyof typeof KEY_VARIABLES]] : [],
    );
    const own = listConfigSecrets(facts.config).filter(({ environments }) => environments.includes(environment));
    const needed = [...new Set([...keys, ...own.map(({ secret }) => secret)])];
    // GitHub answers 404 for the secrets of an environment that does not exist.
    const isAbsent = refs.kind === 'known' && refs.value.length === 0;
    if (secrets.kind === 'unknown' && !isAbsent) return [];
    const stored = secrets.kind === 'known' ? secrets.value : [];
    return needed.filter((name) => !stored.includes(name)).map((name) => ({ environment, name }));
  });
}

/** Whether jobs of this config are processes of the runner, whose records need a folder there. */
export function needsStateDirectory({ clusters }: LabConfig): boolean {
  return Object.values(clusters).some(({ engine }) => engine === 'local');
}

function stateDirectoryChanges(
  { doctor, stateDirectory }: SettingFacts,
  wishes: SettingWishes,
): readonly SettingChange[] {
  if (!needsStateDirectory(doctor.config) || stateDirectory.kind === 'unknown' || stateDirectory.value !== null)
    return [];
  const value = wishes.stateDirectory;
  return [
    {
      what: `Set the variable FERRYBOT_STATE_DIR to ${value}`,
      calls: [
        {
          kind: 'request',
          route: 'POST /repos/{owner}/{repo}/actions/variables',
          parameters: { name: 'FERRYBOT_STATE_DIR', value },
        },
      ],
    },
  ];
}

/** The checks of `doctor` decide; each that says *missing* here has one request that mends it. */
function checkedChanges(
  { doctor, isOnDefaultBranch }: SettingFacts,
  { rulesets }: SettingWishes,
): readonly SettingChange[] {
  const missing = runDoctorChecks(doctor).flatMap(({ check, state }) => (state === 'missing' ? [check] : []));
  return missing.flatMap((check): readonly SettingChange[] => {
    if (check === 'workflow-permissions')
      return [
        {
          what: 'Give workflows read permission by default, and let them create pull requests',
          calls: [
            {
              kind: 'request',
              route: 'PUT /repos/{owner}/{repo}/actions/permissions/workflow',
              parameters: { default_workflow_permissions: 'read', can_approve_pull_request_reviews: true },
            },
          ],
        },
      ];
    if (check === 'fork-approval')
      return [
        {
          what: 'Require approval before workflows of outside contributors run',
          calls: [
            {
              kind: 'request',
              route: 'PUT /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval',
              parameters: { approval_policy: 'all_external_contributors' },
            },
          ],
        },
      ];
    const ruleset = rulesets[check];
    if (ruleset === undefined || (check === 'ruleset-default-branch' && !isOnDefaultBranch)) return [];
    return [rulesetChange(ruleset, doctor.config, check)];
  });
}

function rulesetChange(ruleset: object, { logbookBranch, approvals }: LabConfig, check: string): SettingChange {
  const text = JSON.stringify(ruleset).replaceAll('{logbookBranch}', logbookBranch);
  // In a lab of one person nobody else can review: an administrator may merge without a review, and only by a pull request.
  const alone = approvals.onePersonIsEnough && check === 'ruleset-default-branch';
  const bypass = alone
    ? { bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'pull_request' }] }
    : {};
  const parameters: Record<string, unknown> = { ...JSON.parse(text), ...bypass };
  return {
    what: `Create the ruleset "${parameters['name']}"`,
    calls: [{ kind: 'request', route: 'POST /repos/{owner}/{repo}/rulesets', parameters }],
  };
}

export type StepFacts = {
  readonly config: LabConfig;
  /** Whether there are files to commit. */
  readonly hasNewFiles: boolean;
  /** Null: GitHub was not asked. `missing` and `open`: what is left after the changes. */
  readonly applied: {
    readonly facts: SettingFacts;
    readonly missing: readonly MissingSecret[];
    readonly open: number;
  } | null;
  /** The App that was registered in this run. */
  readonly app: AppFile | null;
  readonly stateDirectory: string;
};

/** A registered App; `file` has its keys for the server. */
export type AppFile = { readonly slug: string; readonly installAddress: string; readonly file: string };

/** What a person still has to do, in order; at most twelve steps. */
export function listSteps({ config, hasNewFiles, applied, app, stateDirectory }: StepFacts): readonly string[] {
  const facts = applied?.facts ?? null;
  const isPushed = facts?.isOnDefaultBranch === true && !hasNewFiles;
  const secrets = (applied?.missing ?? []).map(({ name, environment }) => `gh secret set ${name} --env ${environment}`);
  return [
    ...(app === null
      ? []
      : [
          `Install the App on the repository: ${app.installAddress}`,
          `Write \`appSlug: ${app.slug}\` into .github/ferrybot.yml`,
          `Start \`ferrybot serve\` with the settings in ${app.file} (docs/server.md), then: gh variable set FERRYBOT_SERVER --body on`,
        ]),
    ...(isPushed
      ? []
      : [
          'Read the files and push them to the default branch: git add .github && git commit -m "Adopt ferrybot" && git push',
        ]),
    ...(isPushed && applied?.open === 0
      ? []
      : [
          `Run \`npx ferrybot init --apply\`${applied === null ? '' : ' again after the push'}, as an administrator of the repository`,
        ]),
    ...(secrets.length === 0 ? [] : [`Store the secrets that init does not know: ${secrets.join(' && ')}`]),
    ...listRunnerSteps(config, facts?.doctor ?? null, stateDirectory),
    'Check everything: npx ferrybot doctor',
    `Ask for the first proposal: gh workflow run ${config.workflows.daily}`,
    'Approve the launch: copy the line /approve-launch from the status card of the pull request into a comment',
    'Seal the run when it has ended: comment /seal',
  ];
}

function listRunnerSteps(config: LabConfig, facts: Facts | null, stateDirectory: string): readonly string[] {
  const labels = [
    'ferrybot-launch',
    'ferrybot-watch',
    'ferrybot-stop',
    ...(maintenanceOf(config).repairs ? ['ferrybot-care'] : []),
  ];
  const known = facts?.runnerLabels.kind === 'known' ? facts.runnerLabels.value.flat() : [];
  const folder = needsStateDirectory(config) ? ` and can write to ${stateDirectory}` : '';
  const group = facts?.runnerGroups;
  const isGrouped =
    group?.kind === 'known' && group.value.some(({ restricted_to_workflows }) => restricted_to_workflows);
  return [
    ...labels
      .filter((label) => !known.includes(label))
      .map(
        (label) =>
          `Register a runner with the label ${label} on a machine that reaches the cluster${folder} (Settings, Actions, Runners)`,
      ),
    ...(isGrouped
      ? []
      : [
          `In an organisation: put the runner ferrybot-launch into a group for the workflow ${config.workflows.launch} alone`,
        ]),
  ];
}
