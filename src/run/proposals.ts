/** Finds out which lane a person's own pull request or issue requests, and whether that lane is free. */

import { type AdoptionRefusal, type AnswerCode, type Answers, buildAnswer } from '../commands/decision.ts';
import { runArgument } from '../commands/registry.ts';
import { fillLane } from '../config/lane-of-file.ts';
import {
  hasLabel,
  isIssueFirst,
  isSameLabel,
  type Labelled,
  type OwnIssue,
  type OwnPull,
  type OwnThread,
} from '../domain/actor.ts';
import type { PullFacts } from '../domain/facts.ts';
import type { Detail, FactsArgument } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { Proposing } from '../domain/logbook/events/proposal-events.ts';
import { isLive, runPhase } from '../domain/logbook/job-state.ts';
import type { BegunProposal, JournalState } from '../domain/logbook/journal-state.ts';
import {
  commandKey,
  isOver,
  listCurrentApprovals,
  type RunState,
  type SeenCommand,
} from '../domain/logbook/run-state.ts';
import {
  addDays,
  compactDate,
  cutText,
  fromRfc3339,
  type Instant,
  isRunId,
  RUN_ID_MAX,
  type RunId,
  utcDate,
} from '../domain/values.ts';
import { allLanes, type LabConfig, type LaneScopedConfig } from './lane.ts';
import type { Planned } from './proposing.ts';

/** Label of a lane's runs, used by people and by the bot's proposals. */
function laneLabel({ kind, laneName }: Pick<LaneScopedConfig, 'kind' | 'laneName'>): string {
  return `${kind.name}-${laneName}`;
}

/** Labels of every proposal in a lane. */
export function listProposalLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [config.kind.name, laneLabel(config)];
}

/** All labels that request a run of the lane. */
export function listRequestLabels(config: Pick<LaneScopedConfig, 'kind' | 'laneName'>): readonly string[] {
  return [laneLabel(config), ...(config.kind.contracts?.labels ?? [])];
}

const EXPERIMENT = 'experiment';

/** The labels that make this thread request a run, including `experiment` if its content qualifies. */
export function askingLabels(config: LaneScopedConfig, thread: OwnPull | OwnIssue): readonly string[] {
  const { contracts } = config.kind;
  const isClaimed = thread.kind === 'issue' && contracts?.claims?.(contracts.read(thread, config.lane)) === true;
  return [...listRequestLabels(config), ...(isClaimed ? [EXPERIMENT] : [])];
}

/** The labels of threads that may request a run. */
export function listRelevantLabels(config: LabConfig): readonly string[] {
  const lanes = allLanes(config);
  const mayClaim = lanes.some(({ kind }) => kind.contracts?.claims !== undefined);
  return [...lanes.flatMap(listRequestLabels), ...(mayClaim ? [EXPERIMENT] : [])];
}

/** Labels by which issues request a run. */
export function listContractLabels(config: LabConfig): readonly string[] {
  return allLanes(config).flatMap((one) => (one.kind.contracts === undefined ? [] : listRequestLabels(one)));
}

/** Pull requests from these branches request nothing. */
const OUR_BRANCHES = 'ferrybot/';

/** Whether ferrybot created the thread. */
export function isBotWork(thread: OwnPull | OwnIssue, appSlug: string): boolean {
  const isFromOurs = thread.kind === 'pull' && thread.headBranch.startsWith(OUR_BRANCHES);
  return isFromOurs || (thread.author.login === appSlug && appSlug !== 'github-actions');
}

/** Runs of this pull request, including an active one. */
export function listRunsOfPull(runs: readonly RunState[], pull: number): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.pull === pull || proposal.issue === pull);
}

/**
 * The newest label event of the lane after all earlier runs of the pull request ended: a remaining label does not request another run. Null
 * if there is none.
 */
export function findLabelRequest(pull: OwnThread, label: string, runs: readonly RunState[]): Labelled | null {
  if (!hasLabel(pull.labels, label)) return null;
  const newest = pull.labelled.findLast((one) => isSameLabel(one.label, label));
  const before = listRunsOfPull(runs, pull.number);
  if (newest === undefined || before.some((run) => !isOver(run))) return null;
  const over = Math.max(0, ...before.map(({ head }) => fromRfc3339(head.at) ?? 0));
  return newest.at > over ? newest : null;
}

/** `ferry-daily-20261121-pr42`, or the contract's name; repeated runs get `-2` and so on. Never collides with a bot's proposal. */
export function chooseRunId(
  { kind, laneName, name = null }: Pick<LaneScopedConfig, 'kind' | 'laneName'> & { readonly name?: RunId | null },
  date: string,
  thread: string,
  runs: readonly RunState[],
): RunId {
  const base = name ?? `${kind.name}-${laneName}-${compactDate(date)}-${thread}`;
  const taken = new Set<string>(runs.map(({ run }) => run));
  let run: string = base;
  for (let number = 2; taken.has(run); number += 1) {
    const suffix = `-${number}`;
    run = `${base.slice(0, RUN_ID_MAX - suffix.length)}${suffix}`;
  }
  if (!isRunId(run)) throw new Error(`${run} is no name of a run`);
  return run;
}

export type Answered = { readonly kind: 'answer'; readonly code: string; readonly detail: Detail };

/** An answer with its texts cut to the limit of an event. */
export function reply<Code extends AnswerCode>(code: Code, ...facts: FactsArgument<Answers[Code]>): Answered {
  return cutAnswerDetail(code, buildAnswer(code, ...facts).detail);
}

/** Cuts the texts of an answer. */
export function cutAnswerDetail(code: string, detail: Detail): Answered {
  const short = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, limits.answerTextChars) : value,
  ]);
  return { kind: 'answer', code, detail: Object.fromEntries(short) };
}

/** Refusals that do not depend on the lane. */
export function findPullRefusal(pull: OwnPull, repository: string): Answered | null {
  if (pull.headRepository !== repository)
    return answerAdoptionRefused('fork', pull.headRepository ?? 'a deleted fork', repository);
  return pull.isDraft ? answerAdoptionRefused('draft') : null;
}

/** Refusal: the change touches no experiment of these lanes. */
export function answerNoExperiment(lanes: readonly LaneScopedConfig[]): Answered {
  const files = lanes.flatMap(({ kind, lane }) => kind.proposals?.change?.file(lane) ?? []);
  return answerAdoptionRefused('no-experiment', files.join(' '));
}

/** Refusal: more than one lane fits. */
export function answerSeveralLanes(lanes: readonly LaneScopedConfig[]): Answered {
  return answerAdoptionRefused('several-lanes', lanes.map(({ laneName }) => laneName).join(' '));
}

/** Refuses a pull request or an issue. */
export function answerAdoptionRefused(why: AdoptionRefusal, about = '', wanted = ''): Answered {
  return reply('propose-refused', { why, about, wanted });
}

/** Answer: another run occupies the lane. `own`: 1 if it was requested by label, 2 by command, which no label removal withdraws. */
export function answerLaneOccupied(standing: RunState, isBusy: boolean): Answered {
  const { run, proposal } = standing;
  const alone = isIssueFirst(proposal) ? { issue: proposal.issue } : {};
  const own = proposal.own === undefined ? {} : { own: proposal.own.label === null ? 2 : 1 };
  const facts = { run, pull: proposal.pull, phase: runPhase(standing), ...alone, ...own };
  return reply(isBusy ? 'propose-busy' : 'propose-standing', facts);
}

/** The branch of a run's proposal. Each run has its own. */
export function proposalBranch(run: string): string {
  return `ferrybot/proposal/${run}`;
}

/**
 * A lane's proposal that was started but is not recorded as a run yet. If a command asked for it, its answer ends the
 * proposal. Otherwise it is given up two days after its date.
 */
export function findPendingProposal(
  { runs, journal }: { readonly runs: readonly RunState[]; readonly journal: JournalState },
  laneName: string,
  now: Instant,
): BegunProposal | null {
  const begun = journal.proposals.get(laneName);
  if (begun === undefined || runs.some(({ run }) => run === begun.run)) return null;
  const { request, date } = begun.proposed;
  const isPending =
    request === undefined
      ? date >= addDays(utcDate(now), -1)
      : journal.commands.get(commandKey(request))?.answer === null;
  return isPending ? begun : null;
}

/** The intent of a proposal that the bot writes itself. */
export function buildProposing(
  place: { readonly config: LaneScopedConfig; readonly repository: string },
  planned: Planned,
  request: SeenCommand | null,
): Proposing {
  const { run, branch, issue, pull } = planned;
  const proposed = buildProposed(place, planned, request, { headBranch: proposalBranch(run) });
  return { run, proposed, branch, issue, pull, labels: [...listProposalLabels(place.config)], missing: null };
}

/** The recorded data of a proposal by ferrybot or a person, except its threads and their author. */
export function buildProposed(
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
    ...(request === null ? {} : { request: toRequest(request, planned) }),
    keys: config.keys,
  };
}

/** The request in the record. Without arguments that name knobs, it lists none. */
function toRequest(
  { surface, comment, index, thread, args }: SeenCommand,
  { knobs }: Pick<Planned, 'knobs'>,
): NonNullable<EventDataByType['proposed']['request']> {
  const isNamed = Object.keys(args).some((name) => name !== 'objective');
  return { surface, comment, index, thread, knobs: isNamed ? knobs : [] };
}

/** Knobs in order; `objective` null = not given. */
export type ProposalAsk = {
  readonly knobs: readonly (readonly [name: string, value: string])[];
  readonly objective: string | null;
  readonly lane: string | null;
};

/** Arguments that are not knobs. */
const OBJECTIVE = 'objective';
const LANE = 'lane';

const REQUEST_COMMANDS = ['propose', 'rent', 'watch', 'resume-as'];

function requestsRun({ name }: Pick<SeenCommand, 'name'>): boolean {
  return REQUEST_COMMANDS.includes(name);
}

/** Whether the command applies only to its own issue. */
export function belongsToOwnIssue({ name }: Pick<SeenCommand, 'name'>): boolean {
  return name === 'rent';
}

/** Unanswered requests for a run, oldest first. */
export function listWaitingRequests(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => requestsRun(command) && command.answer === null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Unanswered commands that name their run, oldest first. */
export function listWaitingNamedCommands(journal: JournalState): readonly SeenCommand[] {
  return [...journal.commands.values()]
    .filter((command) => command.answer === null && runArgument(command) !== null)
    .toSorted((a, b) => a.seq - b.seq);
}

/** Parses the request. */
export function readAsk({ args }: Pick<SeenCommand, 'args'>): ProposalAsk {
  return {
    knobs: Object.entries(args).filter(([name]) => name !== OBJECTIVE && name !== LANE),
    objective: args[OBJECTIVE] ?? null,
    lane: args[LANE] ?? null,
  };
}

/** Whether a run came from this command. */
export function isRequestedBy(
  request: Pick<SeenCommand, 'surface' | 'comment' | 'index'> | undefined,
  command: SeenCommand,
): boolean {
  return request !== undefined && commandKey(request) === commandKey(command);
}

/**
 * `replaceable`: no approval or order, and requested in its own thread, so the request can only mean this run. `elsewhere`: the same, but
 * requested in another thread. `busy`: approved, ordered, launched, or ended without a seal.
 */
type LaneAvailability =
  | { readonly kind: 'free' }
  | { readonly kind: 'replaceable' | 'elsewhere' | 'busy'; readonly run: RunState };

/** `thread` is null if the schedule asks. */
export function judgeLane(runs: readonly RunState[], thread: number | null): LaneAvailability {
  const run = runs.find((one) => !isOver(one) || isLive(one));
  if (run === undefined) return { kind: 'free' };
  const phase = runPhase(run);
  const isUntouched =
    run.submission === null &&
    run.attempts.length === 0 &&
    (phase === 'proposed' || phase === 'gated') &&
    listCurrentApprovals(run).length === 0 &&
    run.stop === null;
  if (!isUntouched) return { kind: 'busy', run };
  const { pull, issue, own } = run.proposal;
  // A person's own pull request is never closed for a bot's proposal.
  const isHere = own === undefined && (thread === pull || thread === issue);
  return { kind: isHere ? 'replaceable' : 'elsewhere', run };
}
