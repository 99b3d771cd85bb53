/**
 * Takes somebody's own pull request up as a run of a lane: the issue, what its text lacks, and the record, in this order.
 * Every step is found again by the pull request's number, and the record decides between two who do it at once.
 */

import { bodyFingerprintText } from '../../commands/grammar/fingerprint-text.ts';
import type { Actor } from '../../domain/actor.ts';
import { holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDataByType } from '../../domain/logbook/event.ts';
import type { ProposalRequest } from '../../domain/logbook/events/launch-events.ts';
import { isOver, runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { markerIdentity, markerText } from '../../domain/marker.ts';
import type { OwnPull } from '../../domain/own-pull.ts';
import { dateOf } from '../../domain/time.ts';
import { isOpenIssue } from '../../github/own-pull.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { renderMissingParts } from '../../render/own-pull.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { laneLabel, ownRunId, proposalLabels, runsOfPull } from '../../run/own-pull.ts';
import { proposedData } from '../../run/proposal-record.ts';
import { type Answered, answerTo, inTheWay } from '../../run/propose-answers.ts';
import type { PlannedPull } from '../../run/proposing.ts';
import { say } from '../control/outbox.ts';
import { perform } from '../control/perform.ts';
import { canPropose, type OpenLab, type OpenLane } from '../open-lab.ts';
import { placesOf, planWork, scheduledOf } from './partial-proposal.ts';
import { outcomeUnrecorded, type RequestOutcome } from './request.ts';

/** Who made it a run: a command, or whoever put the label on (null: no person did). */
export type AskedBy =
  | {
      readonly kind: 'command';
      readonly command: SeenCommand;
      /** The run that goes on as this one, and what of the contract that changes. */
      readonly continues?: { readonly run: string; readonly reason: string };
      readonly knobs?: ProposalRequest['knobs'];
      /** The text of the issue as the bot wrote it, where it opened that. */
      readonly written?: string;
    }
  | { readonly kind: 'label'; readonly by: Actor | null };

/** Throws `GitError` where git cannot tell. */
export async function takeUp(open: OpenLane, pull: OwnPull, asked: AskedBy): Promise<RequestOutcome> {
  const { lab, config, store } = open;
  const { runs } = store.current();
  const planOfPull = config.kind.proposes?.planOfPull;
  if (planOfPull === undefined || !canPropose(open))
    throw new Error(`a ${config.kind.name} is nobody's own pull request`);
  const inTheWay = roomFor(open);
  if (inTheWay !== null) return inTheWay;
  const date = dateOf(lab.now());
  // Half made by the schedule: it is a run in a moment, or is completed by the next sweep.
  const { begun } = await placesOf(open, date);
  if ((await scheduledOf(open, begun, date)).length > 0)
    return { kind: 'wait', why: 'a proposal of the schedule was begun' };
  const mergeBase = await forkPoint(open, pull);
  if (mergeBase === null) return { kind: 'wait', why: `the head of #${pull.number} is not fetched yet` };
  const run = ownRunId(config, date, `pr${pull.number}`, runs);
  const request = asked.kind === 'command' ? asked.command : null;
  const { number, body, headSha: head } = pull;
  const input = { run, date, request, pull: number, body, mergeBase, head };
  const planned = await planOfPull(planWork(open), input);
  if (planned.kind === 'failed') return { kind: 'wait', why: planned.why };
  const issue = await issueFor(open, planned, pull);
  if (issue.kind !== 'issue') return issue;
  if (planned.missing !== null) {
    const told = await offerMissing(open, pull, planned.missing);
    if (told !== 'done') return told;
  }
  const data: EventDataByType['proposed'] = {
    ...proposedData(
      { config: open.config, repository: open.lab.repository },
      { run, date, recorded: planned.recorded, knobs: [] },
      request,
      pull,
    ),
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    issue: issue.number,
    pull: number,
    own: { label: asked.kind === 'label' ? laneLabel(config) : null },
    ...(issue.isOurs ? { texts: { issue: lab.digestOf(issuePrint(open, planned)) } } : {}),
  };
  const drafts = [{ type: 'proposed', role: 'control', data }] as const;
  const recorded = await recordAsDecided(open, [{ run, drafts }]);
  if (recorded.kind === 'recorded') return answerTo('proposed', { run, pull: number, issue: issue.number });
  if (recorded.kind === 'nothing' && issue.isOurs) await closeDouble(open, pull, issue.number);
  return outcomeUnrecorded(recorded);
}

/** Two that look at once both open an issue, because neither finds the other's yet: the one that no record names is closed. */
async function closeDouble(open: OpenLane, { number }: OwnPull, issue: number): Promise<void> {
  const taken = runsOfPull(open.store.current().runs, number).find((run) => !isOver(run));
  if (taken === undefined || taken.proposal.issue === issue) return;
  const edit = { kind: 'edit-issue', issue, expected: null, body: null, state: 'closed' } as const;
  await perform(open, edit);
}

/** Why no run can begin in the lane now: a hold, or the run that the lane has to be rid of first. */
export function roomFor({ lab, store, config }: OpenLane): Answered | null {
  const { broken, journal } = store.current();
  if (broken.length > 0) return answerTo('logbook-broken');
  const [hold] = holdsOn(journal.holds, { lane: config.laneName, date: dateOf(lab.now()) });
  if (hold !== undefined)
    return answerTo('propose-held', { ...targetFacts(hold), by: hold.actor.login, reason: hold.reason });
  const standing = laneStanding(runsOfLane(store.current().runs, config.laneName), null);
  return standing.kind === 'free' ? null : inTheWay(standing.run, standing.kind === 'busy');
}

/** Where its change begins; null where its branch was not fetched as GitHub shows it. */
export async function forkPoint(
  { git, config }: OpenLane,
  { headBranch, headSha }: OwnPull,
): Promise<OwnPull['headSha'] | null> {
  const target = await git.resolve(`refs/heads/${config.lane.targetBranch}`);
  if (target === null || (await git.resolve(`refs/heads/${headBranch}`)) !== headSha) return null;
  return git.mergeBase(target, headSha);
}

/** Which of what the bot writes for the same pull request this is: another for each run that it was before. */
function keyOf({ store }: OpenLab, { number }: OwnPull): string {
  return `pull-${number}-${runsOfPull(store.current().runs, number).length + 1}`;
}

type IssueFound =
  | { readonly kind: 'issue'; readonly number: number; readonly isOurs: boolean }
  | { readonly kind: 'wait'; readonly why: string };

/** The issue that its text links, where that is open and was no run's; else one that the bot opens. */
async function issueFor(open: OpenLane, planned: PlannedPull, pull: OwnPull): Promise<IssueFound> {
  const { lab, store } = open;
  for (const number of planned.linked.slice(0, limits.linkedIssuesMax)) {
    if (number === pull.number || runsOfPull(store.current().runs, number).length > 0) continue;
    const isOpen = await isOpenIssue(lab.client, number);
    if (isOpen.kind === 'unknown') return { kind: 'wait', why: isOpen.why };
    if (isOpen.value) return { kind: 'issue', number, isOurs: false };
  }
  const marker = { run: 'journal', kind: 'issue', key: keyOf(open, pull) } as const;
  const opened = await perform(open, {
    kind: 'open-issue',
    marker: markerIdentity(marker),
    title: planned.issueTitle,
    body: `${markerText({ ...marker, fields: {} })}\n${planned.issueBody}`,
    labels: ['experiment', ...proposalLabels(open.config)],
  });
  if (opened.kind !== 'done' || opened.number === null)
    return { kind: 'wait', why: `the issue: ${opened.kind === 'done' ? 'no number' : opened.message}` };
  return { kind: 'issue', number: opened.number, isOurs: true };
}

function issuePrint({ config }: OpenLane, { issueBody }: PlannedPull): string {
  return bodyFingerprintText(issueBody, config.lane.checklist.preconditions);
}

/** The text is somebody's own and is not edited: what it lacks is offered below it, once. */
async function offerMissing(
  open: OpenLane,
  pull: OwnPull,
  missing: string,
): Promise<'done' | { readonly kind: 'wait'; readonly why: string }> {
  const key = keyOf(open, pull);
  return sayOnce(open, pull.number, key, renderMissingParts(key, missing));
}

/** Says something in the pull request's thread, unless it stands there. */
export async function sayOnce(
  open: OpenLab,
  thread: number,
  key: string,
  body: string,
): Promise<'done' | { readonly kind: 'wait'; readonly why: string }> {
  const marker = markerIdentity({ run: 'journal', kind: 'own-pull', key });
  const said = await say(open, { thread, marker, body });
  return said.kind === 'stands' ? 'done' : { kind: 'wait', why: said.why };
}
