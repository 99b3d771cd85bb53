/** Commands that block or stop runs: hold, unhold, revoke and stop. */

import { z } from 'zod';
import { permits } from '../domain/actor.ts';
import { filterIncidents } from '../domain/incidents.ts';
import {
  filterHolds,
  type Hold,
  type HoldTarget,
  holdTargetFacts,
  toRecordedTarget,
  unholdCommand,
} from '../domain/launch/hold.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { canBeRelaunched, canStartAgain, envelopeApprovals, usableApprovals } from '../domain/launch/response.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { DropReason } from '../domain/logbook/events/launch-events.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { type Approval, listCurrentApprovals, type RunState } from '../domain/logbook/run-state.ts';
import { cutText } from '../domain/values.ts';
import {
  type AnswerDecision,
  answer,
  type CommandDefinition,
  type NamedRunContext,
  type PlaceContext,
} from './decision.ts';
import { laneWord, runWord } from './values.ts';
import { explainNoJob, refuseUnlessDirector } from './watching.ts';

/** A hold must not fail because of its reason, so a long one is cut. */
const brakeReason = z.string().transform((reason) => cutText(reason.trim(), 500));

/** `unclear`: several lanes are possible; `no-such`: the named lane does not exist. */
export type LaneChoice =
  | { readonly kind: 'lane'; readonly lane: string }
  | { readonly kind: 'unclear' | 'no-such'; readonly lanes: readonly string[]; readonly name: string };

/** `laneHere`: the lane of the thread's run, or null. */
type LanesOfPlace = Pick<PlaceContext, 'lanes' | 'proposing' | 'laneHere'>;

/** The named lane, the thread's, or the only one with proposals. Adoption lanes must be named or be the thread's. `named`: `lane=`. */
export function chooseLane(named: string | undefined, { lanes, proposing, laneHere }: LanesOfPlace): LaneChoice {
  if (named !== undefined)
    return lanes.includes(named) || named === laneHere
      ? { kind: 'lane', lane: named }
      : { kind: 'no-such', lanes, name: named };
  if (laneHere !== null) return { kind: 'lane', lane: laneHere };
  const usual = proposing();
  const [only, second] = usual.length === 0 ? lanes : usual;
  return only !== undefined && second === undefined
    ? { kind: 'lane', lane: only }
    : { kind: 'unclear', lanes, name: '' };
}

/** The answer that asks for a lane. */
export function answerLaneUnclear({ kind, lanes, name }: Exclude<LaneChoice, { kind: 'lane' }>): AnswerDecision {
  return answer('lane-unclear', { kind, lanes: lanes.join(' '), named: name });
}

type Args = Readonly<Record<string, string>>;

const HOLD_KEYS = {
  run: { required: false, value: runWord },
  lane: { required: false, value: laneWord },
  date: { required: false, value: z.iso.date('a day, such as 2026-11-21') },
  scope: { required: false, value: z.literal('repository', 'repository') },
} as const;

/** Whether the arguments name more than one run. */
export function namesWiderHold(args: Args): boolean {
  return ['lane', 'date', 'scope'].some((key) => args[key] !== undefined);
}

/** The hold that the arguments name, or the lane of the thread. */
export function readHoldTarget(
  args: Args,
  place: Parameters<typeof chooseLane>[1],
): { readonly kind: 'hold'; readonly target: HoldTarget } | Exclude<LaneChoice, { kind: 'lane' }> {
  if (args['scope'] !== undefined) return { kind: 'hold', target: { scope: 'repository', lane: null, date: null } };
  const meant = chooseLane(args['lane'], place);
  if (meant.kind !== 'lane') return meant;
  const date = args['date'] ?? null;
  return { kind: 'hold', target: { scope: date === null ? 'lane' : 'date', lane: meant.lane, date } };
}

/** The event that drops these approvals, which must be for one manifest; null if there are none. */
function buildApprovalDrop(
  approvals: readonly Approval[],
  reason: DropReason,
): Extract<EventDraft, { type: 'approval-dropped' }> | null {
  const first = approvals[0];
  if (first === undefined) return null;
  const users = approvals.map((approval) => approval.actor.id);
  return { type: 'approval-dropped', role: 'control', data: { reason, digest: first.digest, users } };
}

/** A hold drops every approval that could still start something. A claimed order may already be submitting. */
export function dropByBrake(state: RunState): ReturnType<typeof buildApprovalDrop> {
  const isLaunched = !isBeforeLaunch(state) || state.order?.status === 'claimed';
  const isBetween = state.end !== null && canStartAgain(state);
  return isLaunched && !isBetween ? null : buildApprovalDrop(usableApprovals(state), 'held');
}

export const hold = {
  name: 'hold',
  keys: { ...HOLD_KEYS, reason: { required: false, value: brakeReason } },
  permission: (policy) => policy.permissions.hold,
  summary:
    'Blocks launches until `/unhold` and drops the approvals: of this run, or of the lane if the thread has no run. `run=` and `lane=` name another one; `date=` skips a day of the lane; `scope=repository` blocks everything.',
  example: '/hold reason="the tokenizer changes today"',
  isBrake: true,
  confusedWith: ['freeze', 'skip', 'pause', 'wait', 'block', 'lock', 'lockdown', 'halt'],
  decide: (context) => (namesWiderHold(context.args) ? holdPlace(context, context.state) : holdRun(context)),
  decideNamed: holdRun,
  decideWithoutRun: (context) => holdPlace(context, null),
} as const satisfies CommandDefinition;

function holdRun({ state, actor, args }: NamedRunContext): AnswerDecision {
  // A hold also blocks proposed cluster changes and further attempts.
  const isOpen = state.actions.some(({ claim: begun, ended }) => begun === null && ended === null);
  const isLaunched = !isBeforeLaunch(state) || state.order?.status === 'claimed';
  if (isLaunched && !isOpen && !canStillStartJob(state))
    return answer('too-late', { jobId: state.submission?.jobId ?? '' });
  const reason = args['reason'] ?? '';
  const drop = dropByBrake(state);
  const held = buildHoldDraft(actor, { scope: 'run', lane: null, date: null }, reason);
  const running = state.submission !== null && state.end === null ? { jobId: state.submission.jobId } : {};
  const facts = { scope: 'run' as const, reason, dropped: drop?.data.users.length ?? 0, ...running };
  return answer('held', facts, [...(drop === null ? [] : [drop]), held]);
}

/** A launched job may still fail and be relaunched. */
function canStillStartJob({ submission, end, stop }: RunState): boolean {
  return submission !== null && end?.status !== 'SUCCEEDED' && stop === null;
}

/** Other affected runs drop their approvals at their next reconciliation. */
function holdPlace(context: PlaceContext, state: RunState | null): AnswerDecision {
  const { actor, args, journalHolds } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  const meant = readHoldTarget(args, context);
  if (meant.kind !== 'hold') return answerLaneUnclear(meant);
  const { target } = meant;
  const reason = args['reason'] ?? '';
  const drop = state !== null && filterHolds([target], state.proposal).length > 0 ? dropByBrake(state) : null;
  const facts = { ...holdTargetFacts(target), reason, dropped: drop?.data.users.length ?? 0 };
  return answer('held', facts, drop === null ? [] : [drop], [buildHoldDraft(actor, target, reason)]);
}

function buildHoldDraft(actor: PlaceContext['actor'], target: HoldTarget, reason: string): EventDraft {
  return { type: 'held', role: 'control', actor, data: { ...toRecordedTarget(target), reason } };
}

export const unhold = {
  name: 'unhold',
  keys: HOLD_KEYS,
  permission: (policy) => policy.permissions.hold,
  summary: 'Lifts the hold of `/hold` with the same arguments. Earlier approvals do not come back.',
  example: '/unhold',
  confusedWith: ['thaw', 'unfreeze', 'unskip', 'unlock', 'release', 'resume', 'continue'],
  decide: (context) =>
    namesWiderHold(context.args) ? releasePlace(context) : releaseRun(context, listReleaseCommands(context)),
  decideNamed: (context) => releaseRun(context, []),
  decideWithoutRun: releasePlace,
} as const satisfies CommandDefinition;

function releaseRun({ state, actor }: NamedRunContext, others: readonly string[]): AnswerDecision {
  const [hold] = state.holds;
  return hold === undefined
    ? answer('unhold-nothing', { others })
    : answer('unheld', { scope: 'run' }, [buildReleaseDraft(actor, hold)]);
}

function releasePlace(context: PlaceContext): AnswerDecision {
  const { journalHolds, actor, args, lanes } = context;
  if (journalHolds.kind === 'unknown') return answer('logbook-broken');
  // A hold may be on a lane that the config no longer has.
  const held = journalHolds.value.flatMap(({ lane }) => (lane === null ? [] : [lane]));
  const meant = readHoldTarget(args, args['lane'] === undefined ? context : { ...context, lanes: [...lanes, ...held] });
  if (meant.kind !== 'hold') return answerLaneUnclear(meant);
  const { scope, lane, date } = meant.target;
  const hold = journalHolds.value.find((one) => one.scope === scope && one.lane === lane && one.date === date);
  if (hold === undefined) return answer('unhold-nothing', { others: listReleaseCommands(context) });
  return answer('unheld', holdTargetFacts(hold), [], [buildReleaseDraft(actor, hold)]);
}

function listReleaseCommands({ journalHolds }: PlaceContext): readonly string[] {
  return journalHolds.kind === 'known' ? journalHolds.value.map((hold) => unholdCommand(hold)) : [];
}

function buildReleaseDraft(actor: PlaceContext['actor'], hold: Hold): EventDraft {
  return { type: 'released', role: 'control', actor, data: toRecordedTarget(hold) };
}

export const revoke = {
  name: 'revoke',
  keys: { run: { required: false, value: runWord } },
  // Approvers can revoke even after losing their permission.
  permission: () => null,
  summary:
    "Withdraws your approval (a maintainer: everybody's) and the order that depends on it. With `run=`, in any thread: of that run.",
  example: '/revoke',
  isBrake: true,
  confusedWith: ['unapprove', 'disapprove', 'withdraw'],
  decide: decideRevoke,
  decideNamed: decideRevoke,
} as const satisfies CommandDefinition;

function decideRevoke({ state, actor, permission, policy, quorum }: NamedRunContext): AnswerDecision {
  const isAgain = !isBeforeLaunch(state) && canStartAgain(state);
  if (isStarted(state) && !isAgain) return answer('too-late', { jobId: state.submission?.jobId ?? '' });
  const standing = usableApprovals(state);
  const own = standing.filter((approval) => approval.actor.id === actor.id);
  // The remaining approvals would suffice for a launch, so they are dropped too.
  const isAll =
    permits(permission, policy.permissions.revoke) && (own.length === 0 || standing.length - own.length >= quorum);
  const drop = buildApprovalDrop(isAll ? standing : own, 'revoked');
  if (drop === null) return answer('revoke-nothing');
  const facts = { digest: drop.data.digest.slice(7, 19), count: drop.data.users.length };
  return answer('revoked', isAgain ? { ...facts, attempt: state.submission?.attempt ?? 1 } : facts, [drop]);
}

/** A claimed order may already be submitting; `/stop` ends that job. */
function isStarted(state: RunState): boolean {
  return !isBeforeLaunch(state) || state.order?.status === 'claimed';
}

export const stop = {
  name: 'stop',
  keys: { run: { required: false, value: runWord } },
  permission: (policy) => policy.permissions.stop,
  summary: 'Stops the job, or withdraws an ordered launch. With `run=`, in any thread: of that run.',
  example: '/stop',
  confusedWith: ['cancel', 'abort', 'kill', 'terminate'],
  isBrake: true,
  decide: decideStop,
  decideNamed: decideStop,
} as const satisfies CommandDefinition;

/** The launcher read the stop before control did and refused the order. */
function wasLaunchHeldBack({ order, incidents }: NamedRunContext['state']): boolean {
  return filterIncidents(incidents, 'runner-refused').some(
    ({ role, detail }) =>
      role === 'runner' && detail.reason === 'stop-requested' && detail.orderDigest === order?.digest,
  );
}

/** The record of a request to stop the job. */
export function stopDraft({ actor, comment: { id, surface } }: NamedRunContext): EventDraft {
  return { type: 'stop-requested', role: 'control', actor, data: { comment: id, surface } };
}

function decideStop(context: NamedRunContext): AnswerDecision {
  const { state, missingCluster, actor } = context;
  if (state.end !== null && !canBeRelaunched(state)) return answer('not-now', { status: state.end.status });
  // An adopted job may be stopped only by its owner or an approver.
  const notTheirs = isAdopted(state) ? refuseUnlessDirector(context) : null;
  if (notTheirs !== null) return notTheirs;
  const missing = missingCluster === null ? {} : { missingCluster };
  if (state.stop !== null) return answer('stop-requested', { by: state.stop.actor.login, ...missing });
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  // A concurrent approval may not have been ordered yet.
  const isApproved = listCurrentApprovals(state).length > 0 || envelopeApprovals(state).length > 0;
  const isStanding = isOrdered || isApproved || wasLaunchHeldBack(state);
  if (state.submission === null && !isStanding) return answer('not-now', { status: explainNoJob(state) ?? '' });
  const draft = stopDraft(context);
  // No job runs: the first attempt, or another one, would follow or is ordered.
  return state.submission === null || state.end !== null
    ? answer('stop-before-launch', { by: actor.login }, [draft])
    : answer('stop-requested', { by: actor.login, ...missing }, [draft]);
}
