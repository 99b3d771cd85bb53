/** Examines a lab's setup: config, keys, workflows and settings, each as far as the token may see it. Changes nothing. */

import type { Instant } from '../../../domain/ids.ts';
import { known, type Observed } from '../../../domain/observed.ts';
import type { GitHubClient } from '../../../github/call.ts';
import { listFiles, readFileText } from '../../../github/repository-files.ts';
import {
  readAppPermissions,
  readBranchRules,
  readEnvironmentRefs,
  readForkApproval,
  readOrganizationSecretNames,
  readRepository,
  readRunnerGroups,
  readRunnerLabels,
  readSecretNames,
  readTagRulesets,
  readWorkflowPermissions,
} from '../../../github/settings.ts';
import type { LabConfig } from '../../../run/lane-scope.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import {
  CARE_ENVIRONMENT,
  CONTROL_ENVIRONMENT,
  LAUNCH_ENVIRONMENT,
  WATCH_ENVIRONMENT,
} from '../../environments.ts';
import { clusterSecretsOf, passedSecretsOf } from '../../secret-registry.ts';
import type { SigningKeys } from '../../signers.ts';
import { DOCTOR_CHECKS, type Finding, fine, missing, unseen } from './finding.ts';
import { type AsksForKey, judgeClusterKeys } from './judge-cluster-keys.ts';
import { judgeJobUser, judgeKeys } from './judge-keys.ts';
import { judgeScriptCalls, type MeasureCalls } from './judge-script-calls.ts';
import { judgeSettings } from './judge-settings.ts';
import { channelSecretsOf, registrySecretsOf, trackerSecretsOf } from './judge-workflow-keys.ts';
import { judgeWorkflows, launchLocation, type WorkflowTexts } from './judge-workflows.ts';

const WORKFLOWS = '.github/workflows';
const WORKFLOW_CHECKS = [
  'workflows-present',
  'workflow-launch-safe',
  'workflows-pinned',
  'workflow-secrets',
  'workflow-events',
] as const;

/** What the doctor asks besides GitHub, of the lab's scripts, clusters and trackers, for the config with that text. */
export type Outside = (configText: string) => {
  readonly measure: MeasureCalls;
  readonly asksForKey: AsksForKey;
  readonly judgeTrackers: (config: LabConfig) => Promise<Finding>;
};

/** Every finding, in the order of `DOCTOR_CHECKS`. Without a config what depends on it is unknown. */
export async function examine(
  client: GitHubClient,
  held: SigningKeys,
  now: Instant,
  outsideOf: Outside,
): Promise<readonly Finding[]> {
  const repository = await readRepository(client);
  if (repository.kind === 'unknown')
    return DOCTOR_CHECKS.map((check) => unseen(check, repository.why, 'Check the name and the token.'));
  const branch = repository.value.default_branch;
  const text = await readFileText(client, CONFIG_PATH, branch);
  if (text.kind === 'unknown') return withoutConfig(unseen('config', text.why, PUT_A_CONFIG));
  const reading = readLabConfig(text.value);
  if (reading.kind !== 'valid') {
    const [first] = reading.problems;
    const found = `line ${first?.line ?? 1}: ${first?.message ?? 'not valid'}`;
    return withoutConfig(missing('config', found, PUT_A_CONFIG));
  }
  const { config } = reading;
  const texts = await workflowTexts(client, branch);
  const outside = outsideOf(text.value);
  const findings = [
    fine('config', `${CONFIG_PATH} on ${branch}`),
    judgeKeys(config, held, now),
    judgeJobUser(config),
    await judgeScriptCalls(config, outside.measure),
    await judgeClusterKeys(config, outside.asksForKey),
    await outside.judgeTrackers(config),
    ...workflowFindings(config, texts, client.owner),
    ...judgeSettings({
      defaultBranch: branch,
      logbookBranch: config.logbookBranch,
      launchWorkflow: launchLocation(
        config,
        texts.kind === 'known' ? texts.value : new Map(),
        `${client.owner}/${client.repo}/${WORKFLOWS}/${config.workflows.launch}@refs/heads/${branch}`,
      ),
      repository,
      appPermissions: await readAppPermissions(client, config.appSlug),
      workflowPermissions: await readWorkflowPermissions(client),
      forkApproval: await readForkApproval(client),
      controlRefs: await readEnvironmentRefs(client, CONTROL_ENVIRONMENT),
      environmentRefs: await readEnvironmentRefs(client, LAUNCH_ENVIRONMENT),
      watchRefs: await readEnvironmentRefs(client, WATCH_ENVIRONMENT),
      careRefs: usesCare(config, texts) ? await readEnvironmentRefs(client, CARE_ENVIRONMENT) : null,
      passedSecrets: passedSecretsOf(config),
      clusterSecrets: clusterSecretsOf(config),
      channelSecrets: channelSecretsOf(config),
      trackerSecrets: trackerSecretsOf(config),
      registrySecrets: registrySecretsOf(config),
      controlSecrets: await readSecretNames(client, CONTROL_ENVIRONMENT),
      launchSecrets: await readSecretNames(client, LAUNCH_ENVIRONMENT),
      watchSecrets: await readSecretNames(client, WATCH_ENVIRONMENT),
      careSecrets: usesCare(config, texts) ? await readSecretNames(client, CARE_ENVIRONMENT) : null,
      repositorySecrets: await readSecretNames(client, null),
      organizationSecrets: await readOrganizationSecretNames(client),
      runnerLabels: await readRunnerLabels(client),
      runnerGroups: await readRunnerGroups(client),
      defaultBranchRules: await readBranchRules(client, branch),
      logbookRules: await readBranchRules(client, config.logbookBranch),
      tagRulesets: await readTagRulesets(client),
    }),
  ];
  return findings.toSorted((a, b) => DOCTOR_CHECKS.indexOf(a.check) - DOCTOR_CHECKS.indexOf(b.check));
}

const PUT_A_CONFIG = `Put a valid ${CONFIG_PATH} on the default branch; \`ferrybot check-config\` says what is wrong with one.`;

/** Workflows that cannot be read may be there: then the environment is looked at. */
function usesCare(config: LabConfig, texts: Observed<WorkflowTexts>): boolean {
  return texts.kind === 'unknown' || texts.value.has(`${WORKFLOWS}/${config.workflows.care}`);
}

function withoutConfig(config: Finding): readonly Finding[] {
  const rest = DOCTOR_CHECKS.filter((check) => check !== 'config');
  return [config, ...rest.map((check) => unseen(check, 'there is no config to judge it by', PUT_A_CONFIG))];
}

function workflowFindings(
  config: LabConfig,
  texts: Observed<WorkflowTexts>,
  owner: string,
): readonly Finding[] {
  return texts.kind === 'known'
    ? judgeWorkflows(config, texts.value, owner)
    : WORKFLOW_CHECKS.map((check) => unseen(check, texts.why, 'Give the token permission to read contents.'));
}

async function workflowTexts(client: GitHubClient, branch: string): Promise<Observed<WorkflowTexts>> {
  const paths = await listFiles(client, WORKFLOWS, branch);
  if (paths.kind === 'unknown') return paths;
  const texts = new Map<string, string>();
  for (const path of paths.value.filter((one) => /\.ya?ml$/.test(one))) {
    const text = await readFileText(client, path, branch);
    if (text.kind === 'unknown') return text;
    texts.set(path, text.value);
  }
  return known(texts);
}
