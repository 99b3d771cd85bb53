/** mode: propose, the scheduled workflow: what people asked for first, then in each lane that is due what was begun, then a new ferry. */

import { assertNever } from '../../domain/assert.ts';
import { GitError } from '../../domain/git.ts';
import type { Instant } from '../../domain/ids.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { markerIdentity } from '../../domain/marker.ts';
import { dateOf, fromRfc3339, timeOf, weekdayOf } from '../../domain/time.ts';
import { transactRun } from '../../logbook/transact.ts';
import { nothingDueMarker, renderNothingDue } from '../../render/notice.ts';
import { blockedNotice } from '../../run/decide-notices.ts';
import { type LaneScopedConfig, lanesOf } from '../../run/lane-scope.ts';
import { type Nothing, notRecorded, type ProposeOutcome } from '../../run/proposing.ts';
import { approversThread } from '../../run/publications.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import { canPropose, type OpenLab, type OpenLane, type ProposingLane } from '../open-lab.ts';
import { say } from '../outbox.ts';
import { contained, inLane, type Trouble, throwIfAny } from '../trouble.ts';
import { resumeProposal } from './begin.ts';
import { nameOfDay } from './day-name.ts';
import { keepLaneHistory, laneIssueWithoutRuns } from './lane-issue.ts';
import { objectiveOfToday } from './objective-question.ts';
import { decideAgain, obstacleIn } from './outcome.ts';
import { noOwnPulls, takeUpLabelled, waitingFor } from './own-pulls.ts';
import { planAndBegin } from './request.ts';
import { carryOutRequests, FROM_ISSUES } from './requests.ts';

/** What came of one lane. */
export type LaneProposal = { readonly lane: string; readonly outcome: ProposeOutcome };

/** Proposes in every lane that is due today; trouble in one lane keeps no other back, and ends the whole as failed. */
export async function propose(open: OpenLab): Promise<readonly LaneProposal[]> {
  const proposals: LaneProposal[] = [];
  const troubles: Trouble[] = [];
  if (open.store.current().broken.length === 0) await carryOutRequests(open, troubles);
  for (const config of lanesOf(open.config)) {
    const lane = config.laneName;
    const outcome = await contained(open, troubles, inLane(lane), () =>
      proposeIn({ ...open, config }, troubles),
    );
    if (outcome !== null) proposals.push({ lane, outcome });
    await contained(open, troubles, inLane(lane), () => keepLaneHistory({ ...open, config }));
  }
  await reportTroubles(open, troubles);
  throwIfAny(troubles);
  return proposals;
}

async function proposeIn(open: OpenLane, troubles: Trouble[]): Promise<ProposeOutcome> {
  try {
    const begun = canPropose(open) ? await resumeProposal(open, null) : null;
    if (begun !== null && begun.kind !== 'again') return begun;
    // What a person asked for by a label comes before what nobody did.
    await takeUpLabelled(open, await waitingFor(open), noOwnPulls(), troubles);
    if (!canPropose(open)) return { kind: 'not-due', why: FROM_ISSUES };
    return isDue(open.config, open.lab.now())
      ? await proposeToday(open)
      : { kind: 'not-due', why: dueWords(open.config) };
  } catch (error) {
    if (error instanceof GitError) return { kind: 'failed', code: 'unreadable', why: error.message };
    throw error;
  }
}

/** Whether the schedule of the lane wants a ferry now; all of it is UTC. */
function isDue({ lane: { schedule } }: LaneScopedConfig, now: Instant): boolean {
  return schedule.days.includes(weekdayOf(dateOf(now))) && timeOf(now) >= schedule.notBefore;
}

function dueWords({ lane: { schedule } }: LaneScopedConfig): string {
  return `the schedule says ${schedule.days.join(', ')} from ${schedule.notBefore} UTC`;
}

/** The run of today, whatever the schedule says of the hour. Throws `GitError`. */
export async function proposeToday(open: ProposingLane): Promise<ProposeOutcome> {
  const outcome = await decideAgain(open, () => proposeOnce(open));
  return outcome.kind === 'wait' ? { kind: 'failed', code: 'unreadable', why: outcome.why } : outcome;
}

async function proposeOnce(open: ProposingLane): Promise<ProposeOutcome | { readonly kind: 'again' }> {
  const date = dateOf(open.lab.now());
  const obstacle = obstacleIn(open);
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
      // The process that began it completes it, or the next sweep after a crash.
      return { kind: 'already', run: obstacle.run };
    case undefined:
      break;
    default:
      return assertNever(obstacle);
  }
  const run = await nameOfDay(open, date);
  if (typeof run !== 'string') return run.code === 'names-taken' ? publishNothingDue(open, run, date) : run;
  const meant = await objectiveOfToday(open, run, date);
  if (meant.kind !== 'clear') return meant;
  const outcome = await planAndBegin(open, { ...meant, run, date, request: null });
  // Only knobs that a person named can be refused.
  if (outcome.kind === 'refused') throw new Error(`refused without a request: ${outcome.code}`);
  return outcome.kind === 'nothing' ? publishNothingDue(open, outcome, date) : outcome;
}

/** Records in the run that stands in the way that people are to be told; whoever publishes for control says it. */
async function recordBlocked(open: OpenLane, { run }: RunState, date: string): Promise<ProposeOutcome> {
  const recorded = await transactRun(open, run, (state) =>
    [blockedNotice(state, open.config, date)].filter((draft) => draft !== null),
  );
  return recorded.kind === 'refused' ? notRecorded(recorded) : { kind: 'already', run };
}

/** Says in a thread why nothing is due; once a day, however often the workflow is started. */
async function publishNothingDue(open: OpenLane, nothing: Nothing, date: string): Promise<ProposeOutcome> {
  const lane = open.config.laneName;
  const thread = await threadOf(open);
  if (typeof thread !== 'number') return thread;
  const marker = markerIdentity(nothingDueMarker({ lane, date }));
  const midnight = fromRfc3339(`${date}T00:00:00Z`);
  const body = renderNothingDue({ lane, date, code: nothing.code, why: nothing.why });
  const said = await say(open, { thread, marker, body }, midnight);
  return said.kind === 'stands'
    ? nothing
    : { kind: 'failed', code: said.code, why: `the comment that nothing is due: ${said.why}` };
}

/** The thread of the lane's last run; an issue of the lane's own before there is one. */
async function threadOf(open: OpenLane): Promise<number | ProposeOutcome> {
  const lane = open.config.laneName;
  const last = runsOfLane(open.store.current().runs, lane)
    .toSorted((a, b) => a.proposedAt.localeCompare(b.proposedAt))
    .at(-1);
  if (last !== undefined) return approversThread(last);
  return laneIssueWithoutRuns(open);
}
