/** Reads the config, the workflow files and the repository settings, as far as the token has access. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { traitsFor } from '../../../config/lane-of-file.ts';
import { WHOLE_TREE } from '../../../domain/launch/manifest.ts';
import { type Instant, known, type Observed, unknown } from '../../../domain/values.ts';
import { findAdapter, loadAdapters } from '../../../engines/registry.ts';
import type { GitHubClient } from '../../../github/call.ts';
import * as settings from '../../../github/settings.ts';
import { listFiles, readFileText } from '../../../github/settings.ts';
import { errorCode } from '../../../host/files.ts';
import type { SigningKeys } from '../../../logbook/append.ts';
import { allLanes, type LabConfig } from '../../../run/lane.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import { listConfigSecrets } from '../../secret-registry.ts';
import { CARE_ENVIRONMENT, CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT } from '../../signers.ts';

export const WORKFLOWS = '.github/workflows';
/** Texts of all workflow files on the default branch, by path. */
export type WorkflowFiles = ReadonlyMap<string, string>;

/** Placeholder commit in the example workflows. */
const EXAMPLE_COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Whether this cluster's workers are scanned for full disks; whether ferrybot repairs anything of a cluster. */
export function maintenanceOf(config: LabConfig): { readonly scans: boolean; readonly repairs: boolean } {
  const machines = Object.keys(config.clusters).map((cluster) => traitsFor(config, cluster)?.machines ?? null);
  return {
    scans: machines.some((one) => one?.disk != null),
    repairs: machines.some((one) => one?.gcp != null || one?.disk != null),
  };
}

/** The workflows that this config needs. A server answers instead of the chat workflow. */
export function listNeededWorkflows(config: LabConfig, hasServer: boolean): readonly (keyof LabConfig['workflows'])[] {
  const hasFixer = allLanes(config).some(({ kind, lane }) => kind.fixes?.(lane).fixer != null);
  const { scans, repairs } = maintenanceOf(config);
  return [
    ...(['launch', 'watch', 'stop', 'watchdog'] as const),
    ...(hasServer ? [] : (['chat'] as const)),
    ...(allLanes(config).some(({ kind }) => kind.proposals?.change !== undefined) ? (['daily'] as const) : []),
    ...(hasFixer ? (['fix'] as const) : []),
    ...(repairs ? (['care'] as const) : []),
    ...(scans ? (['diskScan'] as const) : []),
  ];
}

/** Variables that the workflows of this config need. */
export function listNeededVariables(config: LabConfig): readonly string[] {
  const runsHere = Object.keys(config.clusters).some((cluster) => traitsFor(config, cluster)?.jobsRunHere === true);
  return [
    ...(runsHere ? ['FERRYBOT_STATE_DIR'] : []),
    ...(maintenanceOf(config).scans ? ['FERRYBOT_DISK_CLUSTERS'] : []),
  ];
}

/** Labels of self-hosted runners by the workflow that uses ferrybot on them. Labels from an expression are not known here. */
export function listRunnerLabels(
  files: WorkflowFiles,
): readonly { readonly file: string; readonly labels: string[] }[] {
  return [...files].flatMap(([file, text]) =>
    [...text.matchAll(/\bruns-on: {0,9}(?:\[([^\]\n]{1,200})\]|([\w.-]{1,99}))/g)]
      .map(([, list, one = '']) => (list ?? one).split(',').map((label) => label.trim()))
      .filter(
        (labels) => text.includes('/ferrybot') && !labels.some((label) => /^(?:ubuntu|windows|macos)-/.test(label)),
      )
      .map((labels) => ({ file, labels })),
  );
}

const FERRYBOT_USES = /\buses: {0,9}([^/\s]{1,99})\/ferrybot(?:\/[^@\s]{0,199})?@([^\s}]{1,99})/g;

/** Whether the commit that the workflows pin exists. Null if they do not pin one commit: `workflowFaults` reports that. */
async function readPin(client: GitHubClient, files: WorkflowFiles): Promise<Pin | null> {
  const [used] = [...files.values()].flatMap((text) => [...text.matchAll(FERRYBOT_USES)]);
  const [, owner = '', ref = ''] = used ?? [];
  if (!/^[0-9a-f]{40}$/.test(ref)) return null;
  return { at: `${owner}/ferrybot@${ref}`, exists: await settings.hasCommit(client, { owner, repo: 'ferrybot', ref }) };
}

type Pin = { readonly at: string; readonly exists: Observed<boolean> };

/** Paths of the config that the tree must have, with their place in the config. */
export function listConfigPaths(config: LabConfig): readonly { readonly place: string; readonly path: string }[] {
  return allLanes(config).flatMap(({ laneName, kind, lane }) => {
    const experiment = kind.proposals?.change?.file(lane);
    return [
      ...(experiment === undefined ? [] : [{ place: `lanes.${laneName}.experiment`, path: experiment }]),
      ...lane.ships.filter((path) => path !== WHOLE_TREE).map((path) => ({ place: `lanes.${laneName}.ships`, path })),
    ];
  });
}

/** Missing workflow files, and workflows that do not pin ferrybot to the same commit: two versions may interpret an order differently. */
export function workflowFaults(config: LabConfig, files: WorkflowFiles, hasServer: boolean): readonly string[] {
  const absent = listNeededWorkflows(config, hasServer)
    .map((name) => config.workflows[name])
    .filter((name) => !files.has(`${WORKFLOWS}/${name}`))
    .map((name) => `there is no ${name}`);
  const used = [...files.values()].flatMap((text) => [...text.matchAll(FERRYBOT_USES)]);
  const commits = [...new Set(used.map(([, , commit = '']) => commit))];
  if (commits.includes(EXAMPLE_COMMIT)) return [...absent, "the example's placeholder is still there"];
  const isPinned = commits.length === 1 && /^[0-9a-f]{40}$/.test(commits[0] ?? '');
  return isPinned ? absent : [...absent, `ferrybot is used as ${commits.join(', ') || 'nothing'}`];
}

/** Secrets that a job needs but does not name. */
export function workflowSecretFaults(config: LabConfig, files: WorkflowFiles): readonly string[] {
  const needed = listConfigSecrets(config);
  const jobs = [...files].flatMap(([path, text]) => text.split(/^(?= {2}\w)/m).map((job) => ({ path, job })));
  return jobs.flatMap(({ path, job }) =>
    needed
      .filter(
        ({ secret, modes }) =>
          modes.some((mode) => new RegExp(`\\bmode: ${mode}\\b`).test(job)) &&
          !new RegExp(`\\bsecrets\\.${secret}\\b`).test(job),
      )
      .map(({ secret, purpose }) => `a job in ${path} does not name ${secret}, ${purpose}`),
  );
}

/** The workflow file for pinning a runner group: the reusable workflow that the launch workflow calls, or `own`. */
export function launchLocation({ workflows }: LabConfig, files: WorkflowFiles, own: string): string {
  const text = files.get(`${WORKFLOWS}/${workflows.launch}`) ?? '';
  return /\buses: {0,9}([^/\s]{1,99}\/ferrybot\/\.github\/workflows\/launch\.yml@[^\s}]{1,99})/.exec(text)?.[1] ?? own;
}

export type Environment = {
  readonly name: string;
  readonly refs: Observed<settings.EnvironmentRefs>;
  readonly secrets: Observed<readonly string[]>;
};

export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Whether a cluster requires a key, for engines that can report it. */
type ClusterKey = { readonly name: string; readonly needsKey: Observed<boolean> };

/** The user's checkout, keys and time. */
export type DoctorContext = {
  readonly cwd: string;
  readonly signingKeys: SigningKeys;
  readonly now: Instant;
  /** Address of the lab's server, if the user gave it. */
  readonly serverUrl?: string | undefined;
};

/** Reads all facts about a repository with a valid config. Changes nothing. */
export async function readFacts(
  client: GitHubClient,
  repository: settings.RepositorySettings,
  { config, configText }: { readonly config: LabConfig; readonly configText: string },
  { cwd, signingKeys, now, serverUrl }: DoctorContext,
) {
  const branch = repository.default_branch;
  const files = await readWorkflowFiles(client, branch);
  return {
    config,
    /** Private keys in this environment. */
    signingKeys,
    now,
    repository: `${client.owner}/${client.repo}`,
    defaultBranch: branch,
    isPrivate: repository.private,
    files,
    clusters: await readClusterKeys(config, configText, cwd),
    appPermissions: await settings.readAppPermissions(client, config.appSlug),
    workflowPermissions: await settings.readWorkflowPermissions(client),
    forkApproval: await settings.readForkApproval(client),
    environments: await readEnvironments(client, config, files),
    repositorySecrets: await settings.readSecretNames(client, 'repository'),
    /** Organization secrets that this repository can use. */
    organizationSecrets: await settings.readSecretNames(client, 'organization'),
    variables: await settings.readVariables(client),
    server: serverUrl === undefined ? unknown(NO_SERVER_URL) : await readHealth(serverUrl),
    pin: files.kind === 'known' ? await readPin(client, files.value) : null,
    paths: await settings.readPaths(client, branch),
    plan: repository.private ? await settings.readPlan(client) : known('none is needed'),
    runnerLabels: await settings.readRunnerLabels(client),
    runnerGroups: await settings.readRunnerGroups(client),
    defaultBranchRules: await settings.readBranchRules(client, branch),
    logbookRules: await settings.readBranchRules(client, config.logbookBranch),
    tagRulesets: await settings.readTagRulesets(client),
  };
}

const NO_SERVER_URL = 'FERRYBOT_SERVER_URL does not name the address of the server';
const HEALTH_TIMEOUT_MS = 10_000;

/** Whether `ferrybot serve` answers at an address. */
async function readHealth(serverUrl: string): Promise<Observed<boolean>> {
  try {
    const { ok } = await fetch(new URL('/health', serverUrl), { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return known(ok);
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return known(false);
    throw error;
  }
}

/** Includes the maintenance environment if the lab has that workflow or if its workflows cannot be read. */
async function readEnvironments(
  client: GitHubClient,
  { workflows }: LabConfig,
  files: Observed<WorkflowFiles>,
): Promise<readonly Environment[]> {
  const usesCare = files.kind === 'unknown' || files.value.has(`${WORKFLOWS}/${workflows.care}`);
  const names = [CONTROL_ENVIRONMENT, LAUNCH_ENVIRONMENT, WATCH_ENVIRONMENT];
  const read: Environment[] = [];
  for (const name of usesCare ? [...names, CARE_ENVIRONMENT] : names)
    read.push({
      name,
      refs: await settings.readEnvironmentRefs(client, name),
      secrets: await settings.readSecretNames(client, { environment: name }),
    });
  return read;
}

async function readWorkflowFiles(client: GitHubClient, branch: string): Promise<Observed<WorkflowFiles>> {
  const paths = await listFiles(client, WORKFLOWS, branch);
  if (paths.kind === 'unknown') return paths;
  const files = new Map<string, string>();
  for (const path of paths.value.filter((one) => /\.ya?ml$/.test(one))) {
    const text = await readFileText(client, path, branch);
    if (text.kind === 'unknown') return text;
    files.set(path, text.value);
  }
  return known(files);
}

/** Connects only to clusters of the user's own checkout, because a foreign config could name any machine in this network. */
async function readClusterKeys(config: LabConfig, configText: string, cwd: string): Promise<readonly ClusterKey[]> {
  const adapters = await loadAdapters();
  const own = await readFile(join(cwd, CONFIG_PATH), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  const found: ClusterKey[] = [];
  for (const [name, cluster] of Object.entries(config.clusters)) {
    const { requiresKey } = findAdapter(adapters, cluster);
    if (requiresKey === undefined) continue;
    const asks =
      own === configText
        ? await requiresKey(cluster)
        : unknown(`this folder does not have the ${CONFIG_PATH} of the repository`);
    found.push({ name, needsKey: asks });
  }
  return found;
}
