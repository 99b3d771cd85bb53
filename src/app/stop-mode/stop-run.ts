/** `mode: stop`, on a machine that reaches the cluster: carries out one `/stop` and waits for the job's end. */

import { type LaunchPlace, verifyWorkflowOrigin } from '../../actions/verify-order.ts';
import { isTerminal } from '../../domain/engine.ts';
import { rentedJobs } from '../../domain/logbook/renting.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { after } from '../../domain/values.ts';
import type { LabOpener, OpenLab } from '../open-lab.ts';
import { brokenRentals, findStop, runsToStopById } from '../stop-by-job-id.ts';
import { apartFromComments, type Trouble, throwIfAny } from '../trouble.ts';
import type { WatchInput } from '../watch/look.ts';
import { check } from '../watch/record-looks.ts';
import { lookAfterMachines } from '../watch/rentals.ts';
import { handOver, stopIfAsked } from '../watch/tick.ts';

/** The workflow's own limit is 15 minutes. */
const STOP_STAY_MS = 10 * 60 * 1_000;
const STOP_PAUSE_MS = 5_000;

/** `stopping`: the job did not end in time; the watch continues. `looked`: only the rented machines were checked. */
type StopResult =
  | { readonly kind: 'stopped' | 'stopping' | 'looked'; readonly jobId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly why: string };

type StopInput = {
  readonly opener: LabOpener;
  readonly run: string;
  readonly place: LaunchPlace;
  readonly defaultBranch: string;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** As for a watch of the run's cluster. */
  readonly watching: Omit<WatchInput, 'cluster'>;
};

/**
 * Stops the job of a run. The signed record, not the input, says who asked and which job it is. Records observations unless another watch
 * has the lease. With a broken record, reads the stop from the threads and records nothing.
 */
export async function stopRun(open: OpenLab, input: StopInput): Promise<StopResult> {
  const { lab, config, store } = open;
  const { defaultBranch, place } = input;
  const home = { repository: lab.repository, defaultBranch, workflow: config.workflows.stop };
  const wrong = verifyWorkflowOrigin(place, home);
  if (wrong !== null) return { kind: 'refused', ...wrong };
  const asked = readAsked(await withStop(open, input.run), input.run);
  const rental = brokenRentals(store.current()).find((one) => one.run === input.run);
  if (asked.kind !== 'asked') return (await lookAfterRental(open, input, rental)) ?? asked;
  const { state, jobId, cluster } = asked;
  const engine = input.watching.engineOf(config, cluster);
  if (engine === null)
    return {
      kind: 'refused',
      code: 'no-engine',
      why: `no engine for the cluster ${cluster} on this machine`,
    };
  const watching: WatchInput = { ...input.watching, cluster };
  const until = after(lab.now(), STOP_STAY_MS);
  for (;;) {
    await stopIfAsked(open, watching, state);
    await check(open, watching, state.run);
    const now = await engine.observe(jobId, null);
    if (state.end !== null || (now.kind === 'found' && isTerminal(now.status))) break;
    if (lab.now() >= until) {
      throwIfAny(await handOver(input.opener, watching));
      return { kind: 'stopping', jobId };
    }
    await input.sleep(STOP_PAUSE_MS);
    await store.load();
  }
  // The job may have ended between two observations.
  await check(open, watching, state.run);
  // Treat the stop like a `/teardown`.
  if (rental !== undefined)
    await lookAfterRental(open, input, {
      ...rental,
      rental: { ...rental.rental, asked: state.stop, keep: null },
    });
  return { kind: 'stopped', jobId };
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
  { watching }: StopInput,
  rental: RunState | undefined,
): Promise<StopResult | null> {
  const job = rental === undefined ? undefined : rentedJobs(rental).at(-1);
  if (job === undefined) return null;
  const troubles: Trouble[] = [];
  await lookAfterMachines(open, { ...watching, cluster: job.cluster }, troubles, rental);
  throwIfAny(troubles);
  return { kind: 'looked', jobId: job.jobId };
}

type Asked = {
  readonly kind: 'asked';
  readonly state: RunState;
  readonly jobId: string;
  readonly cluster: string;
};

function readAsked(runs: readonly RunState[], run: string): Asked | StopResult {
  const state = runs.find((one) => one.run === run);
  if (state === undefined) return { kind: 'refused', code: 'unknown-run', why: `there is no run ${run}` };
  if (state.submission === null)
    return { kind: 'refused', code: 'no-job', why: 'no job of this run was submitted' };
  const { jobId, cluster } = state.submission;
  if (state.end !== null && state.stop === null) return { kind: 'stopped', jobId };
  if (state.stop === null)
    return { kind: 'refused', code: 'no-stop', why: 'nobody has asked for a stop of this run' };
  return { kind: 'asked', state, jobId, cluster };
}
