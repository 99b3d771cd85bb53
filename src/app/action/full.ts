/** Runs the whole action. Only this file reads inputs and environment variables and writes outputs and the summary. */

import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as core from '@actions/core';
import { z } from 'zod';
import { createTpuCloud, type GcloudOptions, gcloudEnvironment } from '../../clouds/gcp/gcloud.ts';
import { traitsFor } from '../../config/lane-of-file.ts';
import type { TpuCloud } from '../../domain/care/machines.ts';
import { loadAdapters } from '../../engines/registry.ts';
import { createMemorySaver } from '../../host/memory.ts';
import type { Environment } from '../../host/private-environment.ts';
import { runProgram } from '../../host/process.ts';
import type { LabConfig } from '../../run/lane.ts';
import { openStoreToDelete } from '../../stores/open.ts';
import { composeLab } from '../compose-lab.ts';
import { createDiskPortOpener } from '../disk-scan/disk-port.ts';
import { createEngines, createTrackers, launcherCheckout } from '../engines.ts';
import { ANSWER_FILE, createFixerRunner } from '../fixer/fix-mode.ts';
import { shipTree } from '../runner/ship-job.ts';
import { createSecretRegistry, type SecretRegistry } from '../secret-registry.ts';
import { metricsFromFile } from '../watch/poll-job.ts';
import { type ActionEvent, type ActionParts, type ActionResult, isMode } from './parts.ts';
import { runAction } from './run-action.ts';

const eventSchema = z.object({ repository: z.object({ default_branch: z.string().min(1) }) });
const BRANCH = /^refs\/heads\/(.+)$/;

/** The default branch from the event. A schedule runs only on the default branch. Throws for events that do not contain it. */
function readDefaultBranch(event: {
  readonly name: string;
  readonly payload: unknown;
  /** Full name, `GITHUB_REF`. */
  readonly ref: string;
}): string {
  const told = eventSchema.safeParse(event.payload);
  if (told.success) return told.data.repository.default_branch;
  const branch = event.name === 'schedule' ? BRANCH.exec(event.ref)?.[1] : undefined;
  if (branch === undefined) throw new Error(`the event ${event.name} does not say which branch is the default one`);
  return branch;
}

const environmentSchema = z.object({
  GITHUB_REPOSITORY: z.string().regex(/^[^/]+\/[^/]+$/),
  GITHUB_API_URL: z.url(),
  GITHUB_SERVER_URL: z.url(),
  GITHUB_EVENT_NAME: z.string(),
  GITHUB_REF: z.string().default(''),
  GITHUB_WORKFLOW_REF: z.string().default(''),
  GITHUB_RUN_ID: z.coerce.number().int(),
  GITHUB_RUN_ATTEMPT: z.coerce.number().int().default(1),
  RUNNER_TEMP: z.string().min(1),
});

/** The workflow token is valid for 24 hours. */
const shiftMinutes = z.coerce.number().int().min(1).max(1_400);

/** Runs the action and reports the result. A result that is not ok fails the job. `environment`: all variables. */
export async function main(payload: unknown, environment: Environment): Promise<void> {
  /** Redacts everything that this process prints or records. */
  const secrets = createSecretRegistry(environment, core.setSecret);
  try {
    const result = await runMode(payload, environment, secrets);
    core.setOutput('result', result.result);
    core.setOutput('run', result.run);
    core.setOutput('job-id', result.jobId);
    core.setOutput('answer-file', result.answerFile ?? '');
    const detail = secrets.redact(result.detail);
    const told = `ferrybot: ${result.result}${detail === '' ? '' : `: ${detail}`}`;
    for (const line of cleanLogLines(told, secrets.redact)) core.info(line);
    if (!result.ok) core.setFailed(`ferrybot: ${result.result}: ${detail}`);
  } catch (error) {
    core.setFailed(secrets.redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  }
}

async function runMode(payload: unknown, environment: Environment, secrets: SecretRegistry): Promise<ActionResult> {
  const env = environmentSchema.parse(environment);
  const mode = core.getInput('mode', { required: true });
  if (!isMode(mode)) throw new Error(`mode is ${mode}`);
  const token = getInput('token', environment);
  if (token === '') throw new Error('the input token is empty');
  core.setSecret(token);
  // Use a new folder for each process, so that the mirror cannot be prepared in advance.
  const workDirectory = await mkdtemp(join(env.RUNNER_TEMP, 'ferrybot-'));
  const stateDirectory = core.getInput('state-directory');
  const lab = composeLab({
    repository: env.GITHUB_REPOSITORY,
    baseUrl: env.GITHUB_API_URL,
    serverUrl: env.GITHUB_SERVER_URL,
    token: async () => token,
    workDirectory,
    environment,
    now: Date.now,
    sleep: pause,
    log: (line, fields) => core.info(formatLogLine(line, fields, secrets.redact)),
  });
  // gcloud gets only its own credentials.
  const gcloud = { program: 'gcloud', env: gcloudEnvironment(environment), run: runProgram };
  const event = readActionEvent(env, payload);
  const defaultBranch = readDefaultBranch(event);
  const engines = createEngines({
    adapters: await loadAdapters(),
    stateDirectory,
    temporaryDirectory: workDirectory,
    environment,
    now: Date.now,
    checkoutOf: (config, paths) =>
      launcherCheckout(lab.gitAs(config.git), defaultBranch, paths, join(workDirectory, 'launchers')),
  });
  const work = runAction({
    lab,
    mode,
    inputs: readInputs(stateDirectory),
    event,
    defaultBranch,
    engineOf: engines.engineOf,
    cloudOf: (config, cluster) => createCloud(config, cluster, gcloud),
    disks: createDiskPortOpener({ gcloud, defaultBranch, temporaryDirectory: workDirectory, environment }),
    storeOf: (path) => openStoreToDelete({ host: { fetch, sleep: pause }, environment, now: Date.now }, path),
    readMetrics: metricsFromFile,
    saveMemory: createMemorySaver(),
    trackerOf: createTrackers(environment, { fetch, now: Date.now }),
    shipTree,
    runFixer: createFixerRunner(environment['PATH'] ?? ''),
    keepAnswer: async (text) => {
      const path = join(workDirectory, ANSWER_FILE);
      await writeFile(path, text, { flag: 'wx' });
      return path;
    },
    environment,
    secrets,
    temporaryDirectory: env.RUNNER_TEMP,
    sleep: pause,
  });
  return work.finally(() => engines.close());
}

const pause = (durationMs: number): Promise<void> => sleep(durationMs);

function readInputs(stateDirectory: string): ActionParts['inputs'] {
  return {
    run: core.getInput('run'),
    order: core.getInput('order'),
    action: core.getInput('action'),
    failure: core.getInput('failure'),
    cluster: core.getInput('cluster'),
    stateDirectory,
    shiftMs: shiftMinutes.parse(core.getInput('shift-minutes') || '1200') * 60_000,
  };
}

/** Reads an input that was removed from `process.env` to hide it from other programs. */
function getInput(name: string, environment: Environment): string {
  return (environment[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

function readActionEvent(env: z.infer<typeof environmentSchema>, payload: unknown): ActionEvent {
  return {
    name: env.GITHUB_EVENT_NAME,
    payload,
    ref: env.GITHUB_REF,
    workflowRef: env.GITHUB_WORKFLOW_REF,
    runId: env.GITHUB_RUN_ID,
    runUrl: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`,
    runAttempt: env.GITHUB_RUN_ATTEMPT,
  };
}

function createCloud(config: LabConfig, cluster: string, gcloud: GcloudOptions): TpuCloud | null {
  const place = traitsFor(config, cluster)?.machines?.gcp ?? null;
  return place === null ? null : createTpuCloud(gcloud, place);
}

/**
 * Formats one redacted line with its fields. The runner executes `::set-output …` at the start of a line and the older `##[set-output …]`
 * anywhere (actions/runner, src/Runner.Common/ActionCommand.cs).
 */
export function formatLogLine(
  line: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  clean: (text: string) => string,
): string {
  const whole = clean(`${line}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  // Cc includes escapes and line breaks; some readers also break lines at Zl and Zp.
  const flat = whole.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('##[', '## [');
  return /^\s*::/.test(flat) ? `| ${flat}` : flat;
}

/** Formats each line of a text. */
export function cleanLogLines(text: string, clean: (text: string) => string): readonly string[] {
  // Redact first, because a secret may span lines.
  return clean(text)
    .split(/\r\n|[\r\n]/)
    .map((line) => formatLogLine(line, undefined, clean));
}
