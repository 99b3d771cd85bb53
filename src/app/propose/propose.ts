/** mode: propose, the scheduled workflow. Handles people's requests first; then completes open proposals or proposes new ferries. */

import { answer } from '../../commands/decision.ts';
import { runArgument } from '../../commands/registry.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/define.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { commandKey, isOver, type RunState, runsInLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import { listLaunches, sumRentedMoney } from '../../domain/past-runs.ts';
import {
  assertNever,
  fromRfc3339,
  type Instant,
  type RunId,
  toRfc3339,
  utcDate,
  utcTime,
  weekdayOf,
} from '../../domain/values.ts';
import { readPermission } from '../../github/settings.ts';
import { recordDecision, recordForRun, recordInJournal } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import {
  buildLaneIssueMarker,
  laneIssueTitle,
  renderLaneHistory,
  renderLaneWithoutRuns,
} from '../../render/lane-history.ts';
import { buildNothingDueMarker, renderNothingDue } from '../../render/notice.ts';
import { buildAnsweredDraft } from '../../run/command-events.ts';
import { decideNamed } from '../../run/decide-journal.ts';
import { blockedNotice } from '../../run/decide-notices.ts';
import { allLanes, type LaneScopedConfig, listHistory } from '../../run/lane.ts';
import { listProposalLabels, listWaitingNamedCommands } from '../../run/proposals.ts';
import {
  type Failed,
  failNotRecorded,
  type NoProposal,
  type ProposeOutcome,
  type Unanswered,
} from '../../run/proposing.ts';
import { chooseApproversThread, type PendingIssue } from '../../run/publications.ts';
import { guard, locateComment, locateLane, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import { performEffect } from '../control/perform.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import { canPropose, type OpenLab, type OpenLane, type ProposingLane } from '../open-lab.ts';
import { openIssue, post, syncIssue } from '../outbox.ts';
import { resumeProposal } from './begin.ts';
import { decideWithRetries, findObstacle, nameOfDay, planAndBegin } from './outcome.ts';
import { adoptLabelled, createOwnPulls, FROM_ISSUES, listWaiting, runRequests } from './requests.ts';

/** Label for finding the issues again. It is used for nothing else, so that a list of 100 issues always contains them. */
export const LANE_LABEL = 'ferrybot-lane';

/** Opens the issue of a lane that has no run yet, or finds the existing one. */
async function laneIssueWithoutRuns(open: OpenLane): Promise<number | Failed> {
  const { laneName } = open.config;
  const { marker, title, label } = laneIssue(laneName);
  const body = renderLaneWithoutRuns(laneName);
  return openIssue(open, 'the issue of the lane', { marker, title, body, labels: [label] });
}

/**
 * Updates the lane's history issue from the runs that are over. Costs one request if nothing changed, and none before the first run ended.
 * Skips the update if a part of the record is broken.
 */
async function syncLaneHistory(open: OpenLane): Promise<void> {
  const { lab, store, config } = open;
  const { runs, broken } = store.current();
  const lane = config.laneName;
  const over = runsInLane(runs, lane).filter(isOver);
  if (broken.length > 0 || over.length === 0) return;
  const keys = config.lane.metrics.map(({ key }) => key);
  const rows = listHistory(over, { lane, most: limits.historyRows, keys });
  const rented = over.flatMap((state) => sumRentedMoney(state) ?? []);
  const launches = over.flatMap(listLaunches);
  const body = renderLaneHistory({ lane, rows, metric: keys[0] ?? null, launches, rented });
  const why = await syncIssue(open, { ...laneIssue(lane), body });
  if (why !== null) lab.log(`the issue of the lane ${lane}: ${why}`);
}

/** `state` is null, because only people close or reopen this issue. */
function laneIssue(lane: string): Omit<PendingIssue, 'body'> {
  const marker = markerIdentity(buildLaneIssueMarker(lane));
  return { label: LANE_LABEL, marker, title: laneIssueTitle(lane), state: null };
}

type Question = EventDataByType['objective-asked'];

type TodaysObjective = { readonly kind: 'clear'; readonly objective: Objective; readonly unanswered?: Unanswered };

/** Today's objective: the usual one if it is clear or if the question got no answer in time; otherwise opens a question. */
async function decideTodaysObjective(
  open: ProposingLane,
  run: RunId,
  date: string,
): Promise<TodaysObjective | ProposeOutcome> {
  const { lab, config, store } = open;
  const { kind, lane, laneName } = config;
  const { objectiveChoice, usual } = kind.proposals;
  if (objectiveChoice === undefined) return { kind: 'clear', objective: usual };
  const reading = objectiveChoice.objective(null, lane);
  if (reading.kind === 'clear') return reading;
  const useUsualObjective = (unanswered: Unanswered): TodaysObjective => ({
    kind: 'clear',
    objective: usual,
    unanswered,
  });
  const { runs, journal } = store.current();
  const asked = journal.questions.get(laneName);
  const now = lab.now();
  if (asked?.date === date && asked.state !== 'answered')
    return asked.state === 'open' && now < (fromRfc3339(asked.until) ?? 0)
      ? // rule DF-05
        { kind: 'asked', issue: asked.issue }
      : useUsualObjective({ issue: asked.issue, until: asked.until });
  const question = objectiveChoice.question({ lane, laneName, date, now, runs: runsInLane(runs, laneName) });
  // rule DF-39
  if (question === null) return useUsualObjective({ issue: null });
  const { title, body } = question;
  const marker = { run, kind: 'issue', key: 'objective', fields: {} } as const;
  // Not `experiment`, because the next proposal would list the question as an experiment.
  const labels = listProposalLabels(open.config);
  const text = { title, body: `${markerText(marker)}\n${body}`, labels };
  const issue = await openIssue(open, 'the question about the objective', { marker: markerIdentity(marker), ...text });
  if (typeof issue !== 'number') return issue;
  const data = { lane: laneName, date, issue, until: toRfc3339(question.until), state: 'open' } as const;
  return (await recordQuestion(open, data)) ?? { kind: 'asked', issue };
}

/**
 * Closes a lane's question after an answer. After the deadline, `propose` first proposes today's run with the usual objective. Safe to
 * repeat: a question that is not recorded as closed is checked again.
 */
async function closeQuestionIfAnswered(
  open: ProposingLane,
  propose: (open: ProposingLane) => Promise<ProposeOutcome>,
): Promise<void> {
  const { lab, config, store } = open;
  const question = store.current().journal.questions.get(config.laneName);
  if (question?.state !== 'open') return;
  const since = findTodaysRun(open, question);
  const isOver = lab.now() >= (fromRfc3339(question.until) ?? 0);
  if (since === undefined && !isOver) return;
  if (since === undefined && question.date === utcDate(lab.now())) {
    const outcome = await propose(open);
    lab.log(`nobody said what the ferry is for: ${outcome.kind}`, { lane: config.laneName });
    if (outcome.kind === 'failed') return;
  }
  const run = findTodaysRun(open, question);
  const isAnswered = run !== undefined && (run.proposal.requestedBy !== null || run.proposal.own !== undefined);
  const { lane, date, issue, until } = question;
  const edit = { kind: 'edit-issue', expected: null, body: null, state: 'closed' } as const;
  const closed = await performEffect(open, { ...edit, issue });
  if (closed.kind === 'unknown') return;
  await recordQuestion(open, { lane, date, issue, until, state: isAnswered ? 'answered' : 'unanswered' });
}

/** The run that was proposed for this day after the question was asked. */
function findTodaysRun(
  { config, store }: OpenLane,
  { date, at }: Question & { readonly at: string },
): RunState | undefined {
  return runsInLane(store.current().runs, config.laneName).find(
    (run) => run.proposal.date === date && run.proposedAt >= at,
  );
}

/** Null once the journal contains it. Another process may record the same state at the same time, which is harmless. */
async function recordQuestion(open: OpenLane, data: Question): Promise<Failed | null> {
  const outcome = await recordInJournal(open, ({ questions }) => {
    const known = questions.get(data.lane);
    const isKnown = known?.issue === data.issue && known.state === data.state;
    return isKnown ? [] : [{ type: 'objective-asked', role: 'control', data }];
  });
  return outcome.kind === 'refused' ? failNotRecorded(outcome) : null;
}

export type LaneProposal = { readonly lane: string; readonly outcome: ProposeOutcome };

/** Proposes in every lane that is due today. An error in one lane does not stop the others, but makes the call throw at the end. */
export async function proposeForAllLanes(open: OpenLab): Promise<readonly LaneProposal[]> {
  const proposals: LaneProposal[] = [];
  const troubles: Trouble[] = [];
  if (open.store.current().broken.length === 0) await runRequests(open, troubles);
  for (const config of allLanes(open.config)) {
    const lane = config.laneName;
    const outcome = await guard(open, troubles, locateLane(lane), () => proposeForLane({ ...open, config }, troubles));
    if (outcome !== null) proposals.push({ lane, outcome });
    await guard(open, troubles, locateLane(lane), () => syncLaneHistory({ ...open, config }));
  }
  await reportTroubles(open, troubles);
  throwFirstTrouble(troubles);
  return proposals;
}

async function proposeForLane(open: OpenLane, troubles: Trouble[]): Promise<ProposeOutcome> {
  try {
    const begun = canPropose(open) ? await resumeProposal(open, null) : null;
    if (begun !== null && begun.kind !== 'again') return begun;
    // People's requests by label take precedence over the schedule.
    await adoptLabelled(open, await listWaiting(open), createOwnPulls(), troubles);
    if (!canPropose(open)) return { kind: 'not-due', why: FROM_ISSUES };
    return isDue(open.config, open.lab.now())
      ? await proposeToday(open)
      : { kind: 'not-due', why: describeSchedule(open.config) };
  } catch (error) {
    if (error instanceof GitError) return { kind: 'failed', code: 'unreadable', why: error.message };
    throw error;
  }
}

/** Whether the lane's schedule is due now, in UTC. */
function isDue({ lane: { schedule } }: LaneScopedConfig, now: Instant): boolean {
  return schedule.days.includes(weekdayOf(utcDate(now))) && utcTime(now) >= schedule.notBefore;
}

function describeSchedule({ lane: { schedule } }: LaneScopedConfig): string {
  return `the schedule says ${schedule.days.join(', ')} from ${schedule.notBefore} UTC`;
}

/** Proposes today's run, without checking the schedule. Throws `GitError`. */
async function proposeToday(open: ProposingLane): Promise<ProposeOutcome> {
  const outcome = await decideWithRetries(open, () => proposeOnce(open));
  return outcome.kind === 'wait' ? { kind: 'failed', code: 'unreadable', why: outcome.why } : outcome;
}

async function proposeOnce(open: ProposingLane): Promise<ProposeOutcome | { readonly kind: 'again' }> {
  const date = utcDate(open.lab.now());
  const obstacle = findObstacle(open);
  switch (obstacle?.kind) {
    case 'broken': {
      const why = `the logbook of ${obstacle.run} is broken; see the incident`;
      return { kind: 'failed', code: 'unreadable', why };
    }
    case 'held': {
      const { scope, actor, reason } = obstacle.hold;
      return { kind: 'held', why: `hold on the ${scope} by ${actor.login}: ${reason}` };
    }
    case 'standing':
      return recordBlocked(open, obstacle.run, date);
    case 'begun':
      // The process that started it completes it; after a crash, the next sweep does.
      return { kind: 'already', run: obstacle.run };
    case undefined:
      break;
    default:
      return assertNever(obstacle);
  }
  const run = await nameOfDay(open, date);
  if (typeof run !== 'string') return run.code === 'names-taken' ? publishNothingDue(open, run, date) : run;
  const meant = await decideTodaysObjective(open, run, date);
  if (meant.kind !== 'clear') return meant;
  const outcome = await planAndBegin(open, { ...meant, run, date, request: null });
  // Only knobs from a person's command can be refused.
  if (outcome.kind === 'refused') throw new Error(`refused without a request: ${outcome.code}`);
  return outcome.kind === 'nothing' ? publishNothingDue(open, outcome, date) : outcome;
}

/** Records in the blocking run that people must be notified. The process that publishes for control posts it. */
async function recordBlocked(open: OpenLane, { run }: RunState, date: string): Promise<ProposeOutcome> {
  const recorded = await recordForRun(open, run, (state) =>
    [blockedNotice(state, open.config, date)].filter((draft) => draft !== null),
  );
  return recorded.kind === 'refused' ? failNotRecorded(recorded) : { kind: 'already', run };
}

/** Posts why nothing is due, at most once a day. */
async function publishNothingDue(open: OpenLane, nothing: NoProposal, date: string): Promise<ProposeOutcome> {
  const lane = open.config.laneName;
  const thread = await laneThread(open);
  if (typeof thread !== 'number') return thread;
  const marker = markerIdentity(buildNothingDueMarker({ lane, date }));
  const midnight = fromRfc3339(`${date}T00:00:00Z`);
  const body = renderNothingDue({ lane, date, code: nothing.code, why: nothing.why });
  const said = await post(open, { thread, marker, body }, midnight);
  return said.kind === 'stands'
    ? nothing
    : { kind: 'failed', code: said.code, why: `the comment that nothing is due: ${said.why}` };
}

/** The thread of the lane's last run, or an issue for the lane if there is no run. */
async function laneThread(open: OpenLane): Promise<number | ProposeOutcome> {
  const lane = open.config.laneName;
  const last = runsInLane(open.store.current().runs, lane)
    .toSorted((a, b) => a.proposedAt.localeCompare(b.proposedAt))
    .at(-1);
  if (last !== undefined) return chooseApproversThread(last);
  return laneIssueWithoutRuns(open);
}

/** Completes the schedule's proposals: those that a crash interrupted, and those that waited for an answer. */
export async function completeProposals(open: OpenLab, troubles: Trouble[]): Promise<void> {
  for (const config of allLanes(open.config))
    await guard(open, troubles, locateLane(config.laneName), async () => {
      try {
        const lane = { ...open, config };
        if (!canPropose(lane)) return;
        await resumeProposal(lane, null);
        await closeQuestionIfAnswered(lane, proposeToday);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        open.lab.log(`a proposal that was begun waits: ${error.message}`, { lane: config.laneName });
      }
    });
}

/** Executes all commands that name their run, and all waiting `/propose` commands. Returns the threads that changed. */
export async function settleRequests(open: OpenLab, troubles: Trouble[]): Promise<readonly number[]> {
  const stopped = await executeNamedCommands(open, troubles);
  const answered = await runRequests(open, troubles);
  const runs = open.store.current().runs;
  const proposed = answered.flatMap((command) => [
    command.thread,
    ...runs.filter(({ proposal }) => proposal.request?.comment === command.comment).map((run) => run.proposal.pull),
  ]);
  return [...stopped, ...proposed];
}

/**
 * Executes waiting commands that name their run (such as `/stop run=…`), oldest first. They are in the journal; one push records the effect
 * and the answer. Returns the threads to reconcile.
 */
async function executeNamedCommands(open: OpenLab, troubles: Trouble[]): Promise<readonly number[]> {
  const touched: number[] = [];
  for (const command of listWaitingNamedCommands(open.store.current().journal)) {
    const where = locateComment(open, command.thread, { surface: command.surface, id: command.comment });
    const threads = await guard(open, troubles, where, () => executeNamedCommand(open, command));
    touched.push(...(threads ?? []));
  }
  return touched;
}

async function executeNamedCommand(open: OpenLab, command: SeenCommand): Promise<readonly number[]> {
  const { lab, store, config } = open;
  const run = runArgument(command);
  if (run === null) return [];
  const permission = await readPermission(lab.client, command.actor);
  const recorded = await recordDecision(open, () => {
    const { broken, journal, runs: states } = store.current();
    if (journal.commands.get(commandKey(command))?.answer !== null) return [];
    const decided = broken.some((one) => one.run === run)
      ? answer('logbook-broken', {})
      : decideNamed({ command, run, states, permission, config, now: lab.now() });
    if (decided === null) return [];
    const { drafts } = decided;
    return [
      { run, drafts },
      { run: JOURNAL, drafts: [buildAnsweredDraft(command, decided)] },
    ];
  });
  return recorded.kind === 'recorded' ? threadsToReconcile(open, command, run) : [];
}

/** The run's threads, because its card changes, and the thread of the command. */
function threadsToReconcile({ store }: OpenLab, { thread }: SeenCommand, run: string): readonly number[] {
  const state = store.current().runs.find((one) => one.run === run);
  return state === undefined ? [thread] : [thread, state.proposal.pull, state.proposal.issue];
}
