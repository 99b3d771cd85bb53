/** Decides the outcome of a request for a run: what blocks it, and how to answer. */

import { leftOutOfLane } from '../../config/lane-of-file.ts';
import { GitError } from '../../domain/git.ts';
import { type Hold, holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { type RunState, runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { assertNever, compactDate, dateOf, isRunId, type RunId } from '../../domain/values.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { redact } from '../../host/redactor.ts';
import {
  type Answered,
  answerTo,
  askOf,
  cutAnswer,
  inTheWay,
  laneStanding,
  pendingProposal,
  proposalBranchOf,
  proposingData,
} from '../../run/proposals.ts';
import {
  type Failed,
  type Nothing,
  nothing,
  type PlanInput,
  type PlanWork,
  type Refused,
} from '../../run/proposing.ts';
import type { OpenLab, OpenLane, ProposingLane } from '../open-lab.ts';
import { type BeginOutcome, begin, resumeProposal } from './begin.ts';

/** `again`: another process was faster, so decide again. `isRunning`: later commands wait for this one. */
export type RequestOutcome =
  | Answered
  | { readonly kind: 'wait'; readonly why: string; readonly isRunning?: true }
  | { readonly kind: 'again' };

type Decided = Exclude<RequestOutcome, { readonly kind: 'again' }>;

/** What blocks a new run in a lane. */
type Obstacle =
  | { readonly kind: 'broken'; readonly run: string }
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'standing'; readonly run: RunState; readonly isBusy: boolean }
  | { readonly kind: 'begun'; readonly run: RunId };

/**
 * Null if a run can start now. `thread`: the thread of the request, which may replace the thread's own proposal. `closes`: the run that the
 * new run closes.
 */
export function obstacleIn(
  { lab, store, config: { laneName } }: OpenLane,
  { thread = null, closes = null }: { readonly thread?: number | null; readonly closes?: string | null } = {},
): Obstacle | null {
  const record = store.current();
  const [broken] = record.broken;
  if (broken !== undefined) return { kind: 'broken', run: broken.run };
  const [hold] = holdsOn(record.journal.holds, { lane: laneName, date: dateOf(lab.now()) });
  if (hold !== undefined) return { kind: 'held', hold };
  const others = record.runs.filter(({ run }) => run !== closes);
  const standing = laneStanding(runsOfLane(others, laneName), thread);
  if (standing.kind === 'elsewhere' || standing.kind === 'busy')
    return { kind: 'standing', run: standing.run, isBusy: standing.kind === 'busy' };
  const begun = pendingProposal(record, laneName, lab.now());
  return begun === null ? null : { kind: 'begun', run: begun.run };
}

/** The answer to a request that is blocked. */
export function answerObstacle(obstacle: Obstacle): Decided {
  switch (obstacle.kind) {
    case 'broken':
      return answerTo('logbook-broken');
    case 'held': {
      const { hold } = obstacle;
      return answerTo('propose-held', { ...targetFacts(hold), by: hold.actor.login, reason: hold.reason });
    }
    case 'standing':
      return inTheWay(obstacle.run, obstacle.isBusy);
    case 'begun':
      return { kind: 'wait', why: `${obstacle.run} is being proposed` };
    default:
      return assertNever(obstacle);
  }
}

/** Maps the result of starting a run to the outcome of its request. */
export function requestOutcome(outcome: BeginOutcome | Nothing | Failed | Refused): RequestOutcome {
  switch (outcome.kind) {
    case 'proposed':
      return answerTo('proposed', { run: outcome.run, pull: outcome.pull, issue: outcome.issue });
    case 'already':
    case 'again':
      return { kind: 'again' };
    case 'refused':
      return cutAnswer(outcome.code, outcome.detail);
    case 'nothing':
      return outcome.code === 'too-many-today'
        ? answerTo('propose-not-today', { count: limits.proposalsPerDayMax })
        : answerTo('propose-nothing', { reason: outcome.code, why: outcome.why });
    case 'failed': {
      const { code, why } = outcome;
      if (code === 'not-written') return answerTo('failed', { why });
      return code === 'running' ? { kind: 'wait', why, isRunning: true } : { kind: 'wait', why };
    }
    default:
      return assertNever(outcome);
  }
}

/** Decides again on the newest record while other processes are faster, up to a limit. Waits if git fails. */
export async function decideAgain<Outcome extends { readonly kind: string }>(
  { git, store }: Pick<OpenLab, 'git' | 'store'>,
  decide: () => Promise<Outcome>,
): Promise<Exclude<Outcome, { readonly kind: 'again' }> | Extract<Decided, { readonly kind: 'wait' }>> {
  try {
    for (let round = 0; round < limits.requestRoundsMax; round += 1) {
      const outcome = await decide();
      if (outcome.kind !== 'again') return outcome as Exclude<Outcome, { readonly kind: 'again' }>;
      await git.fetch();
      await store.load();
    }
    return { kind: 'wait', why: 'other processes were faster each time' };
  } catch (error) {
    if (error instanceof GitError) return { kind: 'wait', why: error.message };
    throw error;
  }
}

/**
 * A free run name such as `ferry-daily-20261121`. Later proposals of the same day, after the first was withdrawn or closed, end in `-2` and
 * so on. Skips names with an existing branch. Throws `GitError`.
 */
export async function nameOfDay({ config, store, git }: OpenLane, date: string): Promise<RunId | Nothing> {
  const recorded = new Set<string>(store.current().runs.map((run) => run.run));
  let proposed = 0;
  const taken: string[] = [];
  for (let number = 1; number <= limits.proposalNamesMax; number += 1) {
    const base = `${config.kind.name}-${config.laneName}-${compactDate(date)}`;
    const run = number === 1 ? base : `${base}-${number}`;
    if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
    if (recorded.has(run)) proposed += 1;
    if (proposed >= limits.proposalsPerDayMax) return nothing('too-many-today', `${proposed} proposals on ${date}`);
    if (recorded.has(run)) continue;
    if ((await git.resolve(`refs/heads/${proposalBranchOf(run)}`)) === null) return run;
    taken.push(proposalBranchOf(run));
  }
  const why = `branches that are no proposal have the ${limits.proposalNamesMax} names of ${date}, such as ${taken[0]} and ${taken.at(-1)}: delete them`;
  return nothing('names-taken', why);
}

/** The input that a kind uses for planning. */
export function planWork(open: OpenLane): PlanWork {
  return {
    ...open,
    leavesOut: leftOutOfLane(open.config),
    issuesSince: (moment) => listExperimentIssues(open.lab.client, moment),
    redact: (text) => redact(text, []),
  };
}

/** Plans the run and opens it. Throws `GitError`. */
export async function planAndBegin(
  open: ProposingLane,
  input: PlanInput,
): Promise<BeginOutcome | Nothing | Failed | Refused> {
  const { config, lab } = open;
  const planned = await config.kind.proposes.plan(planWork(open), input);
  if (planned.kind !== 'planned') return planned;
  const intent = proposingData({ config, repository: lab.repository }, planned, input.request);
  return begin(open, { intent, command: input.request });
}

/** Starts the requested run or returns the reason for a refusal. First completes what the schedule started. Throws `GitError`. */
export async function carryOutRequest(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  const objective = objectiveOf(open, command);
  if (objective.kind === 'answer') return objective;
  await resumeProposal(open, null);
  const obstacle = obstacleIn(open, { thread: command.thread });
  if (obstacle !== null) return answerObstacle(obstacle);
  const date = dateOf(open.lab.now());
  const run = await nameOfDay(open, date);
  return requestOutcome(
    typeof run === 'string'
      ? await planAndBegin(open, { run, date, objective: objective.objective, request: command })
      : run,
  );
}

/** The objective of the request. Without one, uses the default objective of the lab, if there is one. */
function objectiveOf(
  { config: { kind, lane } }: ProposingLane,
  command: SeenCommand,
): Answered | { readonly kind: 'clear'; readonly objective: Objective } {
  const ask = askOf(command);
  const { asks, usual } = kind.proposes;
  const reading = asks?.objective(ask.objective, lane) ?? { kind: 'clear', objective: usual };
  if (reading.kind === 'clear') return reading;
  const knobs = ask.knobs.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
  return answerTo('propose-objective-unclear', { why: reading.why, said: ask.objective ?? '', knobs });
}

function quoted(value: string): string {
  return /^[\w.+-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
