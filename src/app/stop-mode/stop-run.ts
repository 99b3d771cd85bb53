/** mode: stop, on a machine that reaches the cluster: carries out one /stop, and looks until it has worked. */

import { type LaunchPlace, verifyWorkflowOrigin } from '../../actions/verify-place.ts';
import { isTerminal } from '../../domain/engine.ts';
import { rentedJobs } from '../../domain/logbook/renting.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { after } from '../../domain/time.ts';
import type { LabOpener, OpenLab } from '../open-lab.ts';
import { brokenRentals, findStop, runsToStopById } from '../stop-by-job-id.ts';
import { apartFromComments, type Trouble, throwIfAny } from '../trouble.ts';
import { handOver } from '../watch/hand-over.ts';
import { check } from '../watch/record-looks.ts';
import { lookAfterMachines } from '../watch/rentals.ts';
import { stopIfAsked } from '../watch/tick.ts';
import type { WatchInput } from '../watch/watch-input.ts';

/** How long a stop workflow stays with a job that does not end; its own limit is 15 min. */
const STOP_STAY_MS = 10 * 60 * 1_000;
/** Between two looks of a stop workflow. */
const STOP_PAUSE_MS = 5_000;

/** `stopping`: asked for again and again, and not seen to end; whoever watches goes on. `looked`: nobody has asked, and what is rented was looked after. */
export type StopResult =
  | { readonly kind: 'stopped' | 'stopping' | 'looked'; readonly jobId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly why: string };

export type StopInput = {
  readonly opener: LabOpener;
  readonly run: string;
  readonly place: LaunchPlace;
  readonly defaultBranch: string;
  readonly sleep: (durationMs: number) => Promise<void>;
  /** As for a watch of the cluster that the run is on. */
  readonly watching: Omit<WatchInput, 'cluster'>;
};

/**
 * The input names a run and no more: that a person has asked for the stop, and which job it is, stand in the signed
 * record. What is seen is recorded as a watch would, where no other watch holds the lease. Where the record cannot take the
 * stop, it is read from the threads, the last good entry says which job it is, and nothing is recorded.
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
  // It may have ended between the two looks; under another's lease the end is theirs to record.
  await check(open, watching, state.run);
  // As if its record had taken a `/teardown`.
  if (rental !== undefined)
    await lookAfterRental(open, input, {
      ...rental,
      rental: { ...rental.rental, asked: state.stop, keep: null },
    });
  return { kind: 'stopped', jobId };
}

/** The runs of the record, and this one with its stop from the threads where the record cannot take it. */
async function withStop(open: OpenLab, run: string): Promise<readonly RunState[]> {
  const record = open.store.current();
  const unheard = runsToStopById(record).find((one) => one.run === run);
  if (unheard === undefined) return record.runs;
  const troubles: Trouble[] = [];
  const stop = await apartFromComments(open, troubles, (withoutText) => findStop(open, unheard, withoutText));
  return [{ ...unheard, stop }];
}

/** Looks after the machines of a run whose record is broken; null where there is no such run, or it rents nothing. */
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
