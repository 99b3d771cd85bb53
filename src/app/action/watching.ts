/** `mode: watch`: observes the jobs of one cluster for a shift. */

import { tmpdir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { traitsFor } from '../../config/lane-of-file.ts';
import { type Engine, isTerminal } from '../../domain/engine.ts';
import { rentedJobs } from '../../domain/logbook/holdings.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { addMs } from '../../domain/values.ts';
import { readDiskSpace } from '../../host/files.ts';
import type { LabConfig } from '../../run/lane.ts';
import { skipBadComments, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import { createLabOpener, type OpenLab } from '../open-lab.ts';
import { findStop, listBrokenRentals, listRunsToStopById } from '../stop-by-job-id.ts';
import type { WatchInput } from '../watch/poll-job.ts';
import { observeAndRecord } from '../watch/record-observations.ts';
import { maintainMachines } from '../watch/rentals.ts';
import { releaseLeases, stopIfRequested, watch } from '../watch/tick.ts';
import { type ActionParts, type ActionResult, failedResult, findOriginFault } from './parts.ts';

const ADVICE =
  'set the repository variable FERRYBOT_STATE_DIR to an absolute folder of the runner that outlives its jobs, and give it to the launch and the watch workflow as state-directory';

/** Watches all runs of one cluster until none is left or the shift ends. */
export async function watchCluster(parts: ActionParts): Promise<ActionResult> {
  const opener = createLabOpener(parts.lab, parts.defaultBranch);
  const opening = await opener.open();
  if (opening.kind === 'no-config') return failedResult('no-config', 'there is no valid config');
  const { cluster } = parts.inputs;
  const problem = checkWatchReadiness(parts, opening.open.config, cluster);
  if (problem !== null) return problem;
  const outcome = await watch({
    opener,
    now: parts.lab.now,
    sleep: parts.sleep,
    shiftMs: parts.inputs.shiftMs,
    input: { ...watchInputFor(parts, opening.open.config), cluster },
    log: parts.lab.log,
  });
  return outcome.kind === 'no-config'
    ? failedResult('no-config', 'there is no valid config')
    : { ok: true, result: outcome.kind, run: '', jobId: '', detail: '' };
}

/** What this process needs to observe jobs. */
function watchInputFor(parts: ActionParts, config: LabConfig): Omit<WatchInput, 'cluster'> {
  const missing = parts.secrets.addSecretsOf(config);
  const { watch: watchFile, stop: stopFile } = config.workflows;
  const workflows = [watchFile, stopFile].map((file) => `.github/workflows/${file}`).join(' and ');
  return {
    workflowRun: parts.event.runId,
    holder: `run-${parts.event.runId}-${parts.event.runAttempt}`,
    engineOf: parts.engineOf,
    cloudOf: parts.cloudOf,
    readMetrics: parts.readMetrics,
    trackerOf: parts.trackerOf,
    diskOf: () => readDiskSpace(tmpdir()),
    redact: parts.secrets.cleanJobText,
    withheld: missing.length === 0 ? undefined : { secrets: missing.join(', '), workflows },
    unrecorded: new Map(),
    saveMemory: parts.saveMemory,
  };
}

/** Null if this machine can observe jobs of the cluster; otherwise the failed result. */
function checkWatchReadiness(parts: ActionParts, config: LabConfig, cluster: string): ActionResult | null {
  const problem = findStateProblem(parts, config, cluster);
  return problem === null ? null : failedResult('no-state-directory', problem);
}

/** Why the state directory is unusable; null if it is usable. */
export function findStateProblem(parts: ActionParts, config: LabConfig, cluster: string): string | null {
  return findStateDirectoryProblem(config, cluster, parts.inputs.stateDirectory, parts.temporaryDirectory);
}

/** The next action if the state directory is deleted with this job, because the job records would be lost; otherwise null. */
export function findStateDirectoryProblem(
  config: LabConfig,
  cluster: string,
  directory: string,
  temporary: string,
): string | null {
  if (traitsFor(config, cluster)?.jobsRunHere !== true) return null;
  if (directory === '') return `the cluster ${cluster} keeps its job records on this machine: ${ADVICE}`;
  if (!isAbsolute(directory)) return `${directory} is not absolute: ${ADVICE}`;
  const inside = relative(temporary, directory);
  return !(inside.startsWith('..') || isAbsolute(inside))
    ? `${directory} lies in the runner's temporary folder, which is emptied after each job: ${ADVICE}`
    : null;
}

/** The workflow itself has a limit of 15 minutes. */
const STOP_STAY_MS = 10 * 60 * 1_000;
const STOP_PAUSE_MS = 5_000;

/**
 * Stops the job of a run. The signed record, not the input, determines who asked and which job to stop. Records observations unless another
 * watch has the lease. With a broken record, reads the stop from the threads and records nothing.
 */
export async function stopJob(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run } = parts.inputs;
  const wrong = findOriginFault(parts, open.config.workflows.stop);
  if (wrong !== null) return { ...wrong, run };
  const state = (await findRunsWithStop(open, run)).find((one) => one.run === run);
  const rental = listBrokenRentals(open.store.current()).find((one) => one.run === run);
  if (state?.submission == null || state.stop === null) {
    const looked = rental === undefined ? null : await maintainRental(open, parts, rental);
    return { ...(looked ?? resultWithoutStop(run, state)), run };
  }
  const { jobId, cluster } = state.submission;
  const problem = checkWatchReadiness(parts, open.config, cluster);
  if (problem !== null) return { ...problem, run };
  const engine = parts.engineOf(open.config, cluster);
  if (engine === null)
    return { ...failedResult('no-engine', `no engine for the cluster ${cluster} on this machine`), run };
  const watching: WatchInput = { ...watchInputFor(parts, open.config), cluster };
  if (!(await waitForJobEnd(open, watching, { state, jobId, engine }, parts.sleep))) {
    throwFirstTrouble(await releaseLeases(createLabOpener(open.lab, parts.defaultBranch), watching));
    const detail = 'the job was asked to stop and has not ended yet';
    return { ok: false, result: 'stopping', run, jobId, detail };
  }
  // The job may have ended between two observations; record its end.
  await observeAndRecord(open, watching, state.run);
  // Tear the rented machine down, as after a `/teardown`.
  if (rental !== undefined) {
    const asked = { ...rental.rental, tearDownRequest: state.stop, keepRequest: null };
    await maintainRental(open, parts, { ...rental, rental: asked });
  }
  return { ok: true, result: 'stopped', run, jobId, detail: '' };
}

type Stopping = { readonly state: RunState; readonly jobId: string; readonly engine: Engine };

/** False if the job did not end in time; the watch then continues. */
async function waitForJobEnd(
  open: OpenLab,
  watching: WatchInput,
  { state, jobId, engine }: Stopping,
  sleep: ActionParts['sleep'],
): Promise<boolean> {
  const until = addMs(open.lab.now(), STOP_STAY_MS);
  for (;;) {
    await stopIfRequested(open, watching, state);
    await observeAndRecord(open, watching, state.run);
    const now = await engine.observe(jobId, null);
    if (state.end !== null || (now.kind === 'found' && isTerminal(now.status))) return true;
    if (open.lab.now() >= until) return false;
    await sleep(STOP_PAUSE_MS);
    await open.store.load();
  }
}

/** The result if there is nothing to stop, or if the job ended without a stop. */
function resultWithoutStop(run: string, state: RunState | undefined): ActionResult {
  if (state === undefined) return failedResult('unknown-run', `there is no run ${run}`);
  if (state.submission === null) return failedResult('no-job', 'no job of this run was submitted');
  const { jobId } = state.submission;
  return state.end === null
    ? failedResult('no-stop', 'nobody has asked for a stop of this run')
    : { ok: true, result: 'stopped', run, jobId, detail: '' };
}

/** All runs. If the record cannot store the stop, returns this run with the stop from its threads. */
async function findRunsWithStop(open: OpenLab, run: string): Promise<readonly RunState[]> {
  const record = open.store.current();
  const unheard = listRunsToStopById(record).find((one) => one.run === run);
  if (unheard === undefined) return record.runs;
  const troubles: Trouble[] = [];
  const stop = await skipBadComments(open, troubles, (withoutText) => findStop(open, unheard, withoutText));
  return [{ ...unheard, stop }];
}

/** Checks the machines of a run with a broken record; null if it has none. */
async function maintainRental(open: OpenLab, parts: ActionParts, rental: RunState): Promise<ActionResult | null> {
  const job = rentedJobs(rental).at(-1);
  if (job === undefined) return null;
  const troubles: Trouble[] = [];
  const input = { ...watchInputFor(parts, open.config), cluster: job.cluster };
  await maintainMachines(open, input, troubles, rental);
  throwFirstTrouble(troubles);
  return { ok: true, result: 'looked', run: rental.run, jobId: job.jobId, detail: '' };
}
