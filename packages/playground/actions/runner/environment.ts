/**
 * The environment that the real runner gives to a step (docs: default environment variables), without host variables.
 */

import type { Json } from '../../world/json.ts';
import type { JobWork, Places } from './runner-types.ts';

export type StepIdentity = {
  /** The step's id, or the runner's generated name: `__run`, `__owner_repo`. */
  readonly action: string;
  readonly actionPath: string | null;
  readonly actionRepository: string | null;
  readonly actionRef: string | null;
};

/** GITHUB_* and RUNNER_* of a job, without GITHUB_TOKEN, which only the workflow can pass on. */
export function jobEnvironment(work: JobWork, places: Places): Record<string, string> {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    ...githubVariables(work.github),
    GITHUB_EVENT_PATH: places.eventFile,
    GITHUB_WORKSPACE: places.workspace,
    HOME: places.home,
    LANG: 'C.UTF-8',
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: isSelfHosted(work) ? 'self-hosted' : 'github-hosted',
    RUNNER_NAME: work.runner.name,
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: places.temp,
    RUNNER_TOOL_CACHE: places.toolCache,
    RUNNER_TRACKING_ID: work.trackingId,
    RUNNER_WORKSPACE: places.workspace.replace(/\/[^/]*$/, ''),
    ...work.runner.environment,
  };
}

/** GITHUB_ACTION and, for steps that use an action, the action's repository and ref. */
export function stepVariables(step: StepIdentity): Record<string, string> {
  return {
    GITHUB_ACTION: step.action,
    ...(step.actionPath === null ? {} : { GITHUB_ACTION_PATH: step.actionPath }),
    GITHUB_ACTION_REPOSITORY: step.actionRepository ?? '',
    GITHUB_ACTION_REF: step.actionRef ?? '',
  };
}

/**
 * Variables that the runner gives only to JavaScript actions (actions/runner, NodeScriptActionHandler); ferrybot's own
 * action uses none of them. Their clients treat a server whose name is neither github.com nor `….localhost` as an older
 * GitHub Enterprise Server and refuse it. So they see this server under its `.localhost` name, while every address in
 * these variables uses the plain one.
 */
export function serviceVariables(work: JobWork): Record<string, string> {
  const address = `${work.serverUrl}/`;
  return {
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ACTIONS_CACHE_URL: address,
    ACTIONS_RESULTS_URL: address,
    ACTIONS_RUNTIME_TOKEN: work.runtimeToken,
    ACTIONS_RUNTIME_URL: address,
    GITHUB_SERVER_URL: work.serverUrl.replace('://127.0.0.1', '://github.localhost'),
  };
}

export function isSelfHosted(work: JobWork): boolean {
  return work.runner.labels.some(isSelfHostedLabel);
}

export function isSelfHostedLabel(label: string): boolean {
  return label.toLowerCase() === 'self-hosted';
}

/** `github.*` values that become environment variables (actions/runner, GitHubContext.cs). */
const FROM_CONTEXT = [
  'actor',
  'actor_id',
  'api_url',
  'base_ref',
  'event_name',
  'graphql_url',
  'head_ref',
  'job',
  'ref',
  'ref_name',
  'ref_protected',
  'ref_type',
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'retention_days',
  'run_attempt',
  'run_id',
  'run_number',
  'server_url',
  'sha',
  'triggering_actor',
  'workflow',
  'workflow_ref',
  'workflow_sha',
] as const;

function githubVariables(github: Readonly<Record<string, Json>>): Record<string, string> {
  return Object.fromEntries(FROM_CONTEXT.map((name) => [`GITHUB_${name.toUpperCase()}`, String(github[name] ?? '')]));
}
