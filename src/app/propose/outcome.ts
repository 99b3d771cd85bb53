/** Decides the outcome of a request for a run: what blocks it, and how to answer. */

import { listExcludedPaths } from '../../config/lane-of-file.ts';
import { GitError } from '../../domain/git.ts';
import { filterHolds, type Hold, holdTargetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { type RunState, runsInLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { assertNever, compactDate, isRunId, type RunId, utcDate } from '../../domain/values.ts';
import { listExperimentIssues } from '../../github/issues.ts';
import { redact } from '../../host/redactor.ts';
import {
  type Answered,
  answerLaneOccupied,
  buildProposing,
  cutAnswerDetail,
  findPendingProposal,
  judgeLane,
  proposalBranch,
  readAsk,
  reply,
} from '../../run/proposals.ts';
import {
  type Failed,
  type NoProposal,
  noProposal,
  type PlanInput,
  type PlanWork,
  type Refused,
} from '../../run/proposing.ts';
import type { OpenLab, OpenLane, ProposingLane } from '../open-lab.ts';
import { type BeginOutcome, beginProposal, resumeProposal } from './begin.ts';

/** `again`: another process was faster, so decide again. `isRunning`: later commands wait for this one. */
export type RequestOutcome =
  | Answered
  | { readonly kind: 'wait'; readonly why: string; readonly isRunning?: true }
  | { readonly kind: 'again' };

type FinalOutcome = Exclude<RequestOutcome, { readonly kind: 'again' }>;

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
export function findObstacle(
  { lab, store, config: { laneName } }: OpenLane,
  { thread = null, closes = null }: { readonly thread?: number | null; readonly closes?: string | null } = {},
): Obstacle | null {
  const record = store.current();
  const [broken] = record.broken;
  if (broken !== undefined) return { kind: 'broken', run: broken.run };
  const [hold] = filterHolds(record.journal.holds, { lane: laneName, date: utcDate(lab.now()) });
  if (hold !== undefined) return { kind: 'held', hold };
  const others = record.runs.filter(({ run }) => run !== closes);
  const standing = judgeLane(runsInLane(others, laneName), thread);
  if (standing.kind === 'elsewhere' || standing.kind === 'busy')
    return { kind: 'standing', run: standing.run, isBusy: standing.kind === 'busy' };
  const begun = findPendingProposal(record, laneName, lab.now());
  return begun === null ? null : { kind: 'begun', run: begun.run };
}

/** The answer to a request that is blocked. */
export function answerObstacle(obstacle: Obstacle): FinalOutcome {
  switch (obstacle.kind) {
    case 'broken':
      return reply('logbook-broken');
    case 'held': {
      const { hold } = obstacle;
      return reply('propose-held', { ...holdTargetFacts(hold), by: hold.actor.login, reason: hold.reason });
    }
    case 'standing':
      return answerLaneOccupied(obstacle.run, obstacle.isBusy);
    case 'begun':
      return { kind: 'wait', why: `${obstacle.run} is being proposed` };
    default:
      return assertNever(obstacle);
  }
}

/** Maps the result of starting a run to the outcome of its request. */
export function requestOutcome(outcome: BeginOutcome | NoProposal | Failed | Refused): RequestOutcome {
  switch (outcome.kind) {
    case 'proposed':
      return reply('proposed', { run: outcome.run, pull: outcome.pull, issue: outcome.issue });
    case 'already':
    case 'again':
      return { kind: 'again' };
    case 'refused':
      return cutAnswerDetail(outcome.code, outcome.detail);
    case 'nothing':
      return outcome.code === 'too-many-today'
        ? reply('propose-not-today', { count: limits.proposalsPerDayMax })
        : reply('propose-nothing', { reason: outcome.code, why: outcome.why });
    case 'failed': {
      const { code, why } = outcome;
      if (code === 'not-written') return reply('failed', { why });
      return code === 'running' ? { kind: 'wait', why, isRunning: true } : { kind: 'wait', why };
    }
    default:
      return assertNever(outcome);
  }
}

/** Decides again on the newest record while other processes are faster, up to a limit. Waits if git fails. */
export async function decideWithRetries<Outcome extends { readonly kind: string }>(
  { git, store }: Pick<OpenLab, 'git' | 'store'>,
  decide: () => Promise<Outcome>,
): Promise<Exclude<Outcome, { readonly kind: 'again' }> | Extract<FinalOutcome, { readonly kind: 'wait' }>> {
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
export async function nameOfDay({ config, store, git }: OpenLane, date: string): Promise<RunId | NoProposal> {
  const recorded = new Set<string>(store.current().runs.map((run) => run.run));
  let proposed = 0;
  const taken: string[] = [];
  for (let number = 1; number <= limits.proposalNamesMax; number += 1) {
    const base = `${config.kind.name}-${config.laneName}-${compactDate(date)}`;
    const run = number === 1 ? base : `${base}-${number}`;
    if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
    if (recorded.has(run)) proposed += 1;
    if (proposed >= limits.proposalsPerDayMax) return noProposal('too-many-today', `${proposed} proposals on ${date}`);
    if (recorded.has(run)) continue;
    if ((await git.resolve(`refs/heads/${proposalBranch(run)}`)) === null) return run;
    taken.push(proposalBranch(run));
  }
  const why = `branches that are no proposal have the ${limits.proposalNamesMax} names of ${date}, such as ${taken[0]} and ${taken.at(-1)}: delete them`;
  return noProposal('names-taken', why);
}

/** The input that a kind uses for planning. */
export function planWork(open: OpenLane): PlanWork {
  return {
    ...open,
    leavesOut: listExcludedPaths(open.config),
    issuesSince: (moment) => listExperimentIssues(open.lab.client, moment),
    redact: (text) => redact(text, []),
  };
}

/** Plans the run and opens it. Throws `GitError`. */
export async function planAndBegin(
  open: ProposingLane,
  input: PlanInput,
): Promise<BeginOutcome | NoProposal | Failed | Refused> {
  const { config, lab } = open;
  const planned = await config.kind.proposals.plan(planWork(open), input);
  if (planned.kind !== 'planned') return planned;
  const intent = buildProposing({ config, repository: lab.repository }, planned, input.request);
  return beginProposal(open, { intent, command: input.request });
}

/** Starts the requested run or returns the reason for a refusal. First completes what the schedule started. Throws `GitError`. */
export async function carryOutRequest(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  const objective = readObjective(open, command);
  if (objective.kind === 'answer') return objective;
  await resumeProposal(open, null);
  const obstacle = findObstacle(open, { thread: command.thread });
  if (obstacle !== null) return answerObstacle(obstacle);
  const date = utcDate(open.lab.now());
  const run = await nameOfDay(open, date);
  return requestOutcome(
    typeof run === 'string'
      ? await planAndBegin(open, { run, date, objective: objective.objective, request: command })
      : run,
  );
}

/** The objective of the request. Without one, uses the default objective of the lab, if there is one. */
function readObjective(
  { config: { kind, lane } }: ProposingLane,
  command: SeenCommand,
): Answered | { readonly kind: 'clear'; readonly objective: Objective } {
  const ask = readAsk(command);
  const { objectiveChoice, usual } = kind.proposals;
  const reading = objectiveChoice?.objective(ask.objective, lane) ?? { kind: 'clear', objective: usual };
  if (reading.kind === 'clear') return reading;
  const knobs = ask.knobs.map(([name, value]) => `${name}=${quoteValue(value)}`).join(' ');
  return reply('propose-objective-unclear', { why: reading.why, said: ask.objective ?? '', knobs });
}

function quoteValue(value: string): string {
  return /^[\w.+-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
