/** `mode: stop`, on a machine that reaches the cluster: carries out one `/stop` and waits for the job's end. */

import { type Engine, isTerminal } from '../../domain/engine.ts';
import { rentedJobs } from '../../domain/logbook/renting.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { after } from '../../domain/values.ts';
import { type ActionParts, type ActionResult, failed, originFault } from '../action/parts.ts';
import { notReady, watchingOf } from '../action/watching.ts';
import { createLabOpener, type OpenLab } from '../open-lab.ts';
import { brokenRentals, findStop, runsToStopById } from '../stop-by-job-id.ts';
import { apartFromComments, type Trouble, throwIfAny } from '../trouble.ts';
import type { WatchInput } from '../watch/look.ts';
import { check } from '../watch/record-looks.ts';
import { lookAfterMachines } from '../watch/rentals.ts';
import { handOver, stopIfAsked } from '../watch/tick.ts';

/** The workflow's own limit is 15 minutes. */
const STOP_STAY_MS = 10 * 60 * 1_000;
const STOP_PAUSE_MS = 5_000;

/**
 * Stops the job of a run. The signed record, not the input, says who asked and which job it is. Records observations unless another watch
 * has the lease. With a broken record, reads the stop from the threads and records nothing.
 */
export async function stopJob(parts: ActionParts, open: OpenLab): Promise<ActionResult> {
  const { run } = parts.inputs;
  const wrong = originFault(parts, open.config.workflows.stop);
  if (wrong !== null) return { ...wrong, run };
  const state = (await withStop(open, run)).find((one) => one.run === run);
  const rental = brokenRentals(open.store.current()).find((one) => one.run === run);
  if (state?.submission == null || state.stop === null) {
    const looked = rental === undefined ? null : await lookAfterRental(open, parts, rental);
    return { ...(looked ?? withoutStop(run, state)), run };
  }
  const { jobId, cluster } = state.submission;
  const problem = notReady(parts, open.config, cluster);
  if (problem !== null) return { ...problem, run };
  const engine = parts.engineOf(open.config, cluster);
  if (engine === null)
    return { ...failed('no-engine', `no engine for the cluster ${cluster} on this machine`), run };
  const watching: WatchInput = { ...watchingOf(parts, open.config), cluster };
  if (!(await stopsInTime(open, watching, { state, jobId, engine }, parts.sleep))) {
    throwIfAny(await handOver(createLabOpener(open.lab, parts.defaultBranch), watching));
    const detail = 'the job was asked to stop and has not ended yet';
    return { ok: false, result: 'stopping', run, jobId, detail };
  }
  // The job may have ended between two observations.
  await check(open, watching, state.run);
  // Treat the stop like a `/teardown`.
  if (rental !== undefined) {
    const asked = { ...rental.rental, asked: state.stop, keep: null };
    await lookAfterRental(open, parts, { ...rental, rental: asked });
  }
  return { ok: true, result: 'stopped', run, jobId, detail: '' };
}

type Stopping = { readonly state: RunState; readonly jobId: string; readonly engine: Engine };

/** False: the job did not end in time, and the watch continues. */
async function stopsInTime(
  open: OpenLab,
  watching: WatchInput,
  { state, jobId, engine }: Stopping,
  sleep: ActionParts['sleep'],
): Promise<boolean> {
  const until = after(open.lab.now(), STOP_STAY_MS);
  for (;;) {
    await stopIfAsked(open, watching, state);
    await check(open, watching, state.run);
    const now = await engine.observe(jobId, null);
    if (state.end !== null || (now.kind === 'found' && isTerminal(now.status))) return true;
    if (open.lab.now() >= until) return false;
    await sleep(STOP_PAUSE_MS);
    await open.store.load();
  }
}

/** Nothing can be stopped, or the job has ended by itself. */
function withoutStop(run: string, state: RunState | undefined): ActionResult {
  if (state === undefined) return failed('unknown-run', `there is no run ${run}`);
  if (state.submission === null) return failed('no-job', 'no job of this run was submitted');
  const { jobId } = state.submission;
  return state.end === null
    ? failed('no-stop', 'nobody has asked for a stop of this run')
    : { ok: true, result: 'stopped', run, jobId, detail: '' };
}

/** All runs; if the record cannot hold the stop, this run with the stop from its threads. */
async function withStop(open: OpenLab, run: string): Promise<readonly RunState[]> {
  const record = open.store.current();
  const unheard = runsToStopById(record).find((one) => one.run === run);
  if (unheard === undefined) return record.runs;
  const troubles: Trouble[] = [];
  const stop = await apartFromComments(open, troubles, (withoutText) => findStop(open, unheard, withoutText));
  return [{ ...unheard, stop }];
}

/** Checks the machines of a run with a broken record; null if there are none. */
async function lookAfterRental(
  open: OpenLab,
  parts: ActionParts,
  rental: RunState,
): Promise<ActionResult | null> {
  const job = rentedJobs(rental).at(-1);
  if (job === undefined) return null;
  const troubles: Trouble[] = [];
  const input = { ...watchingOf(parts, open.config), cluster: job.cluster };
  await lookAfterMachines(open, input, troubles, rental);
  throwIfAny(troubles);
  return { ok: true, result: 'looked', run: rental.run, jobId: job.jobId, detail: '' };
}
