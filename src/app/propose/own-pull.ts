/** Takes somebody's own pull request up as a run of a lane: its issue is opened, and what its text lacks is offered. */

import type { Actor } from '../../domain/actor.ts';
import { holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { ProposalRequest } from '../../domain/logbook/events/launch-events.ts';
import { runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { known, type Observed } from '../../domain/observed.ts';
import type { OwnPull } from '../../domain/own-pull.ts';
import { dateOf } from '../../domain/time.ts';
import { readOwnThread } from '../../github/own-pull.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { laneLabel, ownRunId, proposalLabels, runsOfPull } from '../../run/own-pull.ts';
import { pendingProposal, proposedData } from '../../run/proposal-record.ts';
import {
  type Answered,
  answerTo,
  inTheWay,
  noExperiment,
  refusalOf,
  severalLanes,
} from '../../run/propose-answers.ts';
import type { PlannedPull } from '../../run/proposing.ts';
import { canPropose, type OpenLab, type OpenLane } from '../open-lab.ts';
import { begin } from './begin.ts';
import { planWork } from './day-name.ts';
import { outcomeOfBegun, type RequestOutcome } from './request.ts';

/** Who made it a run: a command, or whoever put the label on (null: no person did). */
export type AskedBy =
  | {
      readonly kind: 'command';
      readonly command: SeenCommand;
      /** The run that goes on as this one, and what of the contract that changes. */
      readonly continues?: { readonly run: string; readonly reason: string };
      readonly knobs?: ProposalRequest['knobs'];
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
  const underWay = pendingProposal(store.current(), config.laneName, lab.now());
  if (underWay !== null) return { kind: 'wait', why: `${underWay.run} is being proposed` };
  const date = dateOf(lab.now());
  const mergeBase = await forkPoint(open, pull);
  if (mergeBase === null) return { kind: 'wait', why: `the head of #${pull.number} is not fetched yet` };
  const run = ownRunId(config, date, `pr${pull.number}`, runs);
  const request = asked.kind === 'command' ? asked.command : null;
  const { number, body, headSha: head } = pull;
  const input = { run, date, request, pull: number, body, mergeBase, head };
  const planned = await planOfPull(planWork(open), input);
  if (planned.kind === 'failed') return { kind: 'wait', why: planned.why };
  const linked = await linkedIssue(open, planned, pull);
  if (linked.kind === 'unknown') return { kind: 'wait', why: linked.why };
  const proposed = {
    ...proposedData(
      { config, repository: lab.repository },
      { run, date, recorded: planned.recorded, knobs: [] },
      request,
      pull,
    ),
    author: pull.author,
    requestedBy: asked.kind === 'command' ? asked.command.actor : asked.by,
    own: { label: asked.kind === 'label' ? laneLabel(config) : null },
  };
  const intent = {
    run,
    proposed,
    issue: linked.value ?? planned.issue,
    pull: number,
    labels: [...proposalLabels(config)],
    missing: planned.missing,
  };
  return outcomeOfBegun(await begin(open, intent, request));
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

/** The one of these lanes whose experiment it changes, or why it is a run of none. Throws `GitError`. */
export async function fittingLane(
  open: OpenLab,
  pull: OwnPull,
  lanes: readonly LaneScopedConfig[],
): Promise<{ readonly kind: 'lane'; readonly lane: LaneScopedConfig } | RequestOutcome> {
  const refusal = refusalOf(pull, open.lab.repository);
  if (refusal !== null) return refusal;
  const fitting: LaneScopedConfig[] = [];
  for (const config of lanes) {
    const { change, planOfPull } = config.kind.proposes ?? {};
    if (change === undefined || planOfPull === undefined) continue;
    const base = await forkPoint({ ...open, config }, pull);
    if (base === null) return { kind: 'wait', why: 'its head is not fetched yet' };
    if ((await open.git.changedPaths(base, pull.headSha)).includes(change.file(config.lane)))
      fitting.push(config);
  }
  const [lane, second] = fitting;
  if (lane === undefined) return noExperiment(lanes);
  return second === undefined ? { kind: 'lane', lane } : severalLanes('pull', fitting);
}

/** Where its change begins; null where its branch was not fetched as GitHub shows it. */
async function forkPoint(
  { git, config }: OpenLane,
  { headBranch, headSha }: OwnPull,
): Promise<OwnPull['headSha'] | null> {
  const target = await git.resolve(`refs/heads/${config.lane.targetBranch}`);
  if (target === null || (await git.resolve(`refs/heads/${headBranch}`)) !== headSha) return null;
  return git.mergeBase(target, headSha);
}

/** The issue that its text links, where that is open and was no run's; null where there is none. */
async function linkedIssue(
  { lab, store }: OpenLane,
  planned: PlannedPull,
  pull: OwnPull,
): Promise<Observed<number | null>> {
  for (const number of planned.linked.slice(0, limits.linkedIssuesMax)) {
    if (number === pull.number || runsOfPull(store.current().runs, number).length > 0) continue;
    const linked = await readOwnThread(lab.client, number);
    if (linked.kind === 'unknown') return linked;
    if (linked.value?.kind === 'issue' && linked.value.isOpen) return known(number);
  }
  return known(null);
}
