/** `mode: launch`, on the runner with the cluster's credentials: verifies, claims, submits and records one order. */

import { launchAction, type Submitted } from '../../actions/launch.ts';
import { carryOut, type Refused } from '../../actions/pipeline.ts';
import { type LaunchPlace, verifyWorkflowOrigin } from '../../actions/verify-place.ts';
import { branded, type Instant, isRunId } from '../../domain/ids.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { anyLane } from '../../run/lane-scope.ts';
import { memoized } from '../control/once.ts';
import type { EngineOf } from '../lab.ts';
import { type OpenLab, openForRun } from '../open-lab.ts';
import { recordFault } from '../record-fault.ts';
import { gatherOrderFacts } from './order-facts.ts';
import { type ShipInput, shipJob } from './ship-job.ts';

type LaunchInput = ShipInput & {
  readonly run: string;
  readonly orderDigest: string;
  /** Only the default branch's launch workflow may launch. */
  readonly place: LaunchPlace;
  readonly workflowRun: number;
  readonly workflowRunUrl: string;
  /** Why this machine cannot keep job records of the cluster; null if it can. */
  readonly stateProblem: string | null;
  readonly engineOf: EngineOf;
  /** Removes all secrets from a text, including those passed to the job. */
  readonly redact: (text: string) => string;
};

/** Carries out one order. Each refusal has a code; nothing is submitted before the claim is pushed. */
export async function launch(lab: OpenLab, input: LaunchInput): Promise<Submitted | Refused> {
  const { store, lab: parts } = lab;
  const { redact } = input;
  const state = (): RunState | null => store.current().runs.find(({ run }) => run === input.run) ?? null;
  const recorded = state();
  const open = recorded === null ? { ...lab, config: anyLane(lab.config) } : openForRun(lab, recorded);
  const { config } = open;
  const factsOnce = memoized();
  const { repository, digestOf, now, boundary } = parts;
  const home = { repository, defaultBranch: input.defaultBranch, workflow: config.workflows.launch };
  const wrong = verifyWorkflowOrigin(input.place, home);
  if (wrong !== null) return { kind: 'refused', ...wrong };
  const { cluster } = config.lane;
  const engine = input.engineOf(config, cluster);
  const fault = (): ReturnType<typeof recordFault> =>
    recordFault(store.current(), input.run, 'order-unknown');
  if (!isRunId(input.run))
    return { kind: 'refused', code: 'order-unknown', why: 'the logbook has no such order' };
  return carryOut(
    { record: store, file: branded(input.run, isRunId), fault, now, redact },
    launchAction({
      orderDigest: input.orderDigest,
      repository,
      digestOf,
      workflowRun: input.workflowRun,
      workflowRunUrl: input.workflowRunUrl,
      stateProblem: input.stateProblem,
      cluster,
      engine,
      state,
      // Jobs that people launched by hand may run in parallel.
      others: ({ proposal }) =>
        proposal.adopts === undefined ? runsOfLane(store.current().runs, proposal.lane) : [],
      facts: (run) =>
        factsOnce(factsKey(run, store.current().journal, now()), () => gatherOrderFacts(open, run)),
      ship: (run, order) => shipJob(open, run, order, engine, input),
      now,
      boundary,
      redact,
    }),
  );
}

/** Maximum age of the facts for judging an order. */
const FACTS_AGE_MAX_MS = 10_000;

/**
 * What the facts depend on in the record. Control's own dispatch entries do not count: they arrive while this job verifies. Any other
 * entry, such as a hold or a stop, changes the key.
 */
function factsKey(state: RunState | null, { head }: JournalState, now: Instant): string {
  const period = Math.floor(now / FACTS_AGE_MAX_MS);
  return state === null
    ? 'none'
    : `${state.head.seq - state.dispatches.length} ${head?.seq ?? 'none'} ${period}`;
}
