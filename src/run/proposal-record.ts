/** Recorded proposals and their branches. */

import { namedRun } from '../commands/registry.ts';
import { fillLane } from '../config/lane-of-file.ts';
import type { PullFacts } from '../domain/facts.ts';
import type { EventDataByType } from '../domain/logbook/event.ts';
import type { Proposing } from '../domain/logbook/events/proposal-events.ts';
import { phaseOf } from '../domain/logbook/job-state.ts';
import type { BegunProposal, JournalState } from '../domain/logbook/journal-state.ts';
import { isLive } from '../domain/logbook/liveness.ts';
import {
  commandKey,
  isOver,
  type RunState,
  type SeenCommand,
  standingApprovals,
} from '../domain/logbook/run-state.ts';
import { dateAfter, dateOf, type Instant } from '../domain/values.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { proposalLabels } from './own-pull.ts';
import type { Planned } from './proposing.ts';

/** Each run has its own branch. */
export function proposalBranchOf(run: string): string {
  return `ferrybot/proposal/${run}`;
}

/**
 * The proposal of a lane that was begun and is not recorded as a run yet. One that was begun for a command ends with the
 * answer; any other is given up the day after the next.
 */
export function pendingProposal(
  { runs, journal }: { readonly runs: readonly RunState[]; readonly journal: JournalState },
  laneName: string,
  now: Instant,
): BegunProposal | null {
  const begun = journal.proposals.get(laneName);
  if (begun === undefined || runs.some(({ run }) => run === begun.run)) return null;
  const { request, date } = begun.proposed;
  const isPending =
    request === undefined
      ? date >= dateAfter(dateOf(now), -1)
      : journal.commands.get(commandKey(request))?.answer === null;
  return isPending ? begun : null;
}

/** The intent of a proposal that the bot writes itself. */
export function proposingData(
  place: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Planned,
  request: SeenCommand | null,
): Proposing {
  const { run, branch, issue, pull } = planned;
  const proposed = proposedData(place, planned, request, { headBranch: proposalBranchOf(run) });
  return { run, proposed, branch, issue, pull, labels: [...proposalLabels(place.config)], missing: null };
}

/** What is recorded of a proposal, whoever wrote its change, except its threads and their author. */
export function proposedData(
  { config, repository }: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Pick<Planned, 'run' | 'date' | 'recorded' | 'knobs'>,
  request: SeenCommand | null,
  { headBranch }: Pick<PullFacts, 'headBranch'>,
): Proposing['proposed'] {
  const { lane, kind, laneName } = config;
  const { run, date, recorded } = planned;
  return {
    lane: laneName,
    ...(config.kinds[0] === kind ? {} : { kind: kind.name }),
    date,
    runName: fillLane(lane, { run, date }).runName,
    repository,
    baseBranch: lane.targetBranch,
    headBranch,
    ...recorded,
    requestedBy: request?.actor ?? null,
    ...(request === null ? {} : { request: requestOf(request, planned) }),
    keys: config.keys,
  };
}

/** Only requested knobs change. */
function requestOf(
  { surface, comment, index, thread, args }: SeenCommand,
  { knobs }: Pick<Planned, 'knobs'>,
): NonNullable<EventDataByType['proposed']['request']> {
  const isNamed = Object.keys(args).some((name) => name !== 'objective');
  return { surface, comment, index, thread, knobs: isNamed ? knobs : [] };
}

/** Knobs in order; `objective` null = not given. */
export type Ask = {
  readonly knobs: readonly (readonly [name: string, value: string])[];
  readonly objective: string | null;
  /** The named lane, or null. */
  readonly lane: string | null;
};

/** Arguments that are not knobs. */
const OBJECTIVE = 'objective';
const LANE = 'lane';

/** Commands that request a run. */
const ASKING = ['propose', 'rent', 'watch', 'resume-as'];

function asksForRun({ name }: Pick<SeenCommand, 'name'>): boolean {
  return ASKING.includes(name);
}

/** Whether the command applies only to its own issue. */
export function isOfItsIssue({ name }: Pick<SeenCommand, 'name'>): boolean {
  return name === 'rent';
}

/** Unanswered requests for a run, oldest first. */
export function waitingRequests(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => asksForRun(command) && command.answer === null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Unanswered commands that name their run, oldest first. */
export function waitingNamed(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => command.answer === null && namedRun(command) !== null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Parses the request. */
export function askOf({ args }: Pick<SeenCommand, 'args'>): Ask {
  return {
    knobs: Object.entries(args).filter(([name]) => name !== OBJECTIVE && name !== LANE),
    objective: args[OBJECTIVE] ?? null,
    lane: args[LANE] ?? null,
  };
}

/** Whether a run came from this command. */
export function isFrom(
  request:
    | { readonly surface: SeenCommand['surface']; readonly comment: number; readonly index: number }
    | undefined,
  command: SeenCommand,
): boolean {
  return request !== undefined && commandKey(request) === commandKey(command);
}

/**
 * `replaceable`: without approval or order, and requested in its own thread, so the request can only mean this run. `elsewhere`: the same,
 * requested in another thread. `busy`: approved, ordered, launched, or ended without a seal.
 */
type LaneStanding =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaceable' | 'elsewhere' | 'busy'; readonly run: RunState };

/** `thread` null: the schedule asks. */
export function laneStanding(runs: readonly RunState[], thread: number | null): LaneStanding {
  const run = runs.find((one) => !isOver(one) || isLive(one));
  if (run === undefined) return { kind: 'free' };
  const phase = phaseOf(run);
  const isUntouched =
    run.submission === null &&
    run.attempts.length === 0 &&
    (phase === 'proposed' || phase === 'gated') &&
    standingApprovals(run).length === 0 &&
    run.stop === null;
  if (!isUntouched) return { kind: 'busy', run };
  const { pull, issue, own } = run.proposal;
  // A person's own pull request is never closed for a bot's proposal.
  const isHere = own === undefined && (thread === pull || thread === issue);
  return { kind: isHere ? 'replaceable' : 'elsewhere', run };
}
