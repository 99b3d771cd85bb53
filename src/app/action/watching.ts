/** `mode: watch`: observes the jobs of one cluster for a shift. */

import { tmpdir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { traitsOf } from '../../config/clusters.ts';
import { diskSpace } from '../../host/files.ts';
import type { LabConfig } from '../../run/lane-scope.ts';
import { createLabOpener } from '../open-lab.ts';
import type { WatchInput } from '../watch/look.ts';
import { watch } from '../watch/tick.ts';
import { type ActionParts, type ActionResult, failed } from './parts.ts';

const ADVICE =
  'set the repository variable FERRYBOT_STATE_DIR to an absolute folder of the runner that outlives its jobs, and give it to the launch and the watch workflow as state-directory';

/** Watches all runs of one cluster until none is left or the workflow has to hand over. */
export async function watchCluster(parts: ActionParts): Promise<ActionResult> {
  const opener = createLabOpener(parts.lab, parts.defaultBranch);
  const opening = await opener.open();
  if (opening.kind === 'no-config') return failed('no-config', 'there is no valid config');
  const { cluster } = parts.inputs;
  const problem = notReady(parts, opening.open.config, cluster);
  if (problem !== null) return problem;
  const outcome = await watch({
    opener,
    now: parts.lab.now,
    sleep: parts.sleep,
    shiftMs: parts.inputs.shiftMs,
    input: { ...watchingOf(parts, opening.open.config), cluster },
    log: parts.lab.log,
  });
  return outcome.kind === 'no-config'
    ? failed('no-config', 'there is no valid config')
    : { ok: true, result: outcome.kind, run: '', jobId: '', detail: '' };
}

/** What this process needs to observe jobs. */
export function watchingOf(parts: ActionParts, config: LabConfig): Omit<WatchInput, 'cluster'> {
  const missing = parts.secrets.learn(config);
  const { watch: watchFile, stop: stopFile } = config.workflows;
  const workflows = [watchFile, stopFile].map((file) => `.github/workflows/${file}`).join(' and ');
  return {
    holder: `run-${parts.event.runId}-${parts.event.runAttempt}`,
    engineOf: parts.engineOf,
    cloudOf: parts.cloudOf,
    readMetrics: parts.readMetrics,
    trackerOf: parts.trackerOf,
    diskOf: () => diskSpace(tmpdir()),
    redact: parts.secrets.cleanJobText,
    withheld: missing.length === 0 ? undefined : { secrets: missing.join(', '), workflows },
    saveMemory: parts.saveMemory,
  };
}

/** Null if this machine can observe jobs of the cluster. */
export function notReady(parts: ActionParts, config: LabConfig, cluster: string): ActionResult | null {
  const problem = stateProblem(parts, config, cluster);
  return problem === null ? null : failed('no-state-directory', problem);
}

/** Why the state directory is unusable; null if it is usable. */
export function stateProblem(parts: ActionParts, config: LabConfig, cluster: string): string | null {
  return stateDirectoryProblem(config, cluster, parts.inputs.stateDirectory, parts.temporaryDirectory);
}

/** The next action if the state directory does not outlive this job; null if it does. Job records in a temporary folder would be lost. */
export function stateDirectoryProblem(
  config: LabConfig,
  cluster: string,
  directory: string,
  temporary: string,
): string | null {
  if (traitsOf(config, cluster)?.jobsRunHere !== true) return null;
  if (directory === '') return `the cluster ${cluster} keeps its job records on this machine: ${ADVICE}`;
  if (!isAbsolute(directory)) return `${directory} is not absolute: ${ADVICE}`;
  const inside = relative(temporary, directory);
  return !(inside.startsWith('..') || isAbsolute(inside))
    ? `${directory} lies in the runner's temporary folder, which is emptied after each job: ${ADVICE}`
    : null;
}
