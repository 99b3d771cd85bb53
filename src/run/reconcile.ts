/**
 * Determines what is pending for one run. Each decider declares its causes. A sweep causes all of them, so lost, duplicate or reordered
 * triggers only cause delay (architecture, D2).
 */

import type { GateView } from '../commands/decision.ts';
import { hasLabel, isIssueFirst } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Incident } from '../domain/incidents.ts';
import { activeRollback, lastFailure } from '../domain/launch/next-attempt.ts';
import { findBotFix, jobAfterFix } from '../domain/launch/small-fix.ts';
import type { EventType } from '../domain/logbook/define.ts';
import { awaitsAdoption } from '../domain/logbook/holdings.ts';
import { isLive } from '../domain/logbook/job-state.ts';
import { findApprovedManifest, isOver, type RunState, shownSince } from '../domain/logbook/run-state.ts';
import type { RunVerdict } from '../domain/past-runs.ts';
import { isNotAsked, type Need, request } from '../domain/reconcile-request.ts';
import { assertNever, type DigestOf, known } from '../domain/values.ts';
import { explainNotAdopted } from '../render/propose-words.ts';
import { decideApprovals, gatherApprovalFacts } from './approvals.ts';
import { decideContract, decideImage } from './contract.ts';
import { decideClosure, decideMilestone, decideSourceTag } from './decide-closure.ts';
import { type CommandOutcome, decideCommand, type StagedCommand } from './decide-commands.ts';
import { decideCare, decideMissingCluster, decideStop, decideWatch } from './decide-dispatches.ts';
import {
  decideGates,
  decideHoldVerdict,
  decideLaunch,
  decideLaunchTrouble,
  decideOrder,
  decideStartReport,
} from './decide-launch.ts';
import { decideFix, decideRelaunch, type RelaunchInput } from './decide-next-attempt.ts';
import {
  buildWithdrawal,
  closeUnconfirmed,
  closeUnsealed,
  decideChargeRequest,
  decideOffer,
  decidePages,
  decideReminder,
  listLostDeliveries,
} from './decide-notices.ts';
import { decideCard, decideComments, decideOpenWait, type PublishInput } from './decide-publications.ts';
import { decideShown, isCardHistoryUnread, withConfirmedShowing } from './decide-shown.ts';
import { isWaitOpen } from './decide-waits.ts';
import { type GateEvaluation, gateRun, listUnreadFacts } from './gate-run.ts';
import { judgeSealedRun } from './lane.ts';
import { decideProposalTexts } from './proposal-texts.ts';
import { type AttemptCache, append, type DeciderInput, memoizeOnce, type Step } from './step.ts';

export type ReconcileInput = DeciderInput & {
  readonly repository: string;
  readonly digestOf: DigestOf;
  /** Set if a workflow run just ended, or this is a sweep. */
  readonly mayHaveEnded?: boolean;
  /** Workflow runs in the record that GitHub just reported as ended. */
  readonly endedRuns?: ReadonlySet<number>;
  readonly only?: PublishInput['only'];
};

/** One round. The gates and the commands are judged once, when a decider first needs them. */
type ReconcileTurn = ReconcileInput & { readonly judge: () => GateEvaluation; readonly command: () => CommandOutcome };

/**
 * Why a decision is due. `facts`: anything outside may have changed, so everything is decided. `time`: the clock and the record. `ended`: a
 * workflow run may have ended. `state`: an event outside `ROUTINE` was recorded. `posted`: a comment was posted or edited. Other names:
 * this turn recorded an event of this type, or read a fact of this name (`comments`: also, a person commented).
 */
export type Cause = 'facts' | 'time' | 'ended' | 'state' | 'posted' | EventType | FactKind;

type FactKind = Extract<Need, string> | Exclude<Need, string>['fact'];

type Decider = { readonly causes: readonly Cause[]; readonly decide: (turn: ReconcileTurn) => Step | null };

/** Events that cause only the deciders that name them. */
const ROUTINE_CAUSES: ReadonlySet<EventType> = new Set([
  'command-seen',
  'command-answered',
  'gated',
  'shown',
  'approved',
  'held',
  'released',
  'ordered',
  'dispatched',
  'notified',
  'delivered',
]);

/** The pending posts of the record. A process that only posts decides nothing else, and neither does control for a run that is over. */
const POST_CAUSES: readonly Decider[] = [
  { causes: ['facts', 'state', 'command-answered', 'notified', 'delivered'], decide: decideComments },
  { causes: ['facts', 'time', 'state'], decide: editOpenWait },
  {
    causes: ['facts', 'state', 'gated', 'shown', 'approved', 'held', 'released', 'ordered', 'dispatched'],
    decide: decideCard,
  },
];

const WATCH: Decider = { causes: ['facts', 'time', 'state'], decide: decideWatch };

/** In order: deciders that close a run precede its gates, gates precede commands, orders precede dispatches, posts come last. */
const DECIDERS: readonly Decider[] = [
  {
    causes: ['facts'],
    decide: (turn) =>
      decideWithdrawal(turn) ?? declineAdoption(turn) ?? decideContract(turn.state, turn.facts, turn.config),
  },
  { causes: ['facts', 'ended', 'state', 'released'], decide: decideFix },
  { causes: ['facts', 'state'], decide: judgeGates },
  { causes: ['held', 'released'], decide: ({ state, facts }) => decideHoldVerdict(state, facts) },
  { causes: ['facts', 'gated'], decide: ({ state }) => decideStartReport(state) },
  { causes: ['facts', 'state'], decide: ({ state, facts, config }) => decideChargeRequest(state, facts, config) },
  { causes: ['facts', 'state', 'gated', 'posted', 'cardHistory'], decide: decideShown },
  { causes: ['facts', 'state', 'proposalTexts'], decide: decideProposalTexts },
  {
    causes: ['facts', 'state', 'gated', 'approved'],
    decide: ({ state, facts, config, now }) => decideApprovals(state, facts, config, now),
  },
  { causes: ['facts', 'comments'], decide: answerCommands },
  { causes: ['facts', 'state', 'gated', 'approved'], decide: decideOrderOrRelaunch },
  { causes: ['facts', 'time'], decide: ({ state, config }) => decideMissingCluster(state, config) },
  { causes: ['facts', 'time', 'handoff'], decide: decideExpiredOffer },
  { causes: ['facts', 'time', 'state', 'notified'], decide: decidePagesOnCall },
  { causes: ['facts'], decide: ({ state, memory }) => decideSourceTag(state, memory) },
  { causes: ['facts', 'ended', 'state', 'held', 'released'], decide: decideCare },
  {
    causes: ['facts', 'time', 'ended'],
    decide: ({ state, facts, now, mayHaveEnded }) => decideLaunchTrouble(state, facts, now, mayHaveEnded === true),
  },
  { causes: ['facts', 'time', 'ordered'], decide: decideLaunch },
  { causes: ['facts', 'time', 'stop-requested'], decide: decideStop },
  WATCH,
  { causes: ['facts', 'time', 'state'], decide: decideReminderOrClosing },
  ...POST_CAUSES,
];

/** The deciders that are still due in a turn. */
export type Agenda = {
  readonly due: ReadonlySet<Decider>;
  /** Whether the gates are judged on the facts of this turn before a command is. */
  readonly areGatesDue: boolean;
  /** The deciders that this process may run at all. */
  readonly scope: readonly Decider[];
};

/** The agenda of a process that only posts. */
export const POSTING_AGENDA: Agenda = { due: new Set(POST_CAUSES), areGatesDue: false, scope: POST_CAUSES };
/** The agenda of the watchdog, which starts watches. */
export const WATCHING_AGENDA: Agenda = { due: new Set([WATCH]), areGatesDue: false, scope: [WATCH] };

/** The deciders that declared one of the causes, in addition to those that are already due. */
export function buildAgenda(causes: readonly Cause[], before?: Agenda): Agenda {
  const scope = before?.scope ?? DECIDERS;
  const caused = new Set(causes);
  const due = new Set<Decider>();
  for (const one of scope)
    if (before?.due.has(one) === true || !caused.isDisjointFrom(new Set(one.causes))) due.add(one);
  const areGatesDue = before?.areGatesDue === true || causes.includes('facts');
  return { due, areGatesDue, scope };
}

/** The causes that follow from a step. */
export function listCausesOfStep(step: Step): readonly Cause[] {
  switch (step.kind) {
    case 'append':
      return [...step.drafts, ...step.journal].flatMap(({ type }) =>
        ROUTINE_CAUSES.has(type) ? [type] : [type, 'state' as const],
      );
    case 'perform':
      return step.effect.kind === 'post-comment' || step.effect.kind === 'edit-comment' ? ['posted'] : [];
    case 'need':
      return step.facts.map((one) => (one === 'gates' ? 'facts' : typeof one === 'string' ? one : one.fact));
    default:
      return assertNever(step);
  }
}

type Reconciliation = { readonly step: Step | null; readonly agenda: Agenda };

/** The next step, or null if no due decider has one, and the remaining agenda. A decider is due until it has no further step. */
export function reconcile(input: ReconcileInput, agenda: Agenda = buildAgenda(['facts'])): Reconciliation {
  const turn = buildTurn(input, agenda);
  const deciders = isOver(input.state) ? POST_CAUSES.filter((one) => agenda.due.has(one)) : [...agenda.due];
  for (const [index, { decide }] of deciders.entries()) {
    const step = decide(turn);
    if (step !== null) return { step, agenda: { ...agenda, due: new Set(deciders.slice(index)) } };
  }
  return { step: null, agenda: { ...agenda, due: new Set() } };
}

function buildTurn(input: ReconcileInput, { areGatesDue }: Agenda): ReconcileTurn {
  const turn: ReconcileTurn = {
    ...input,
    judge: memoizeOnce(() => evaluateGatesNow(input)),
    command: memoizeOnce(() => decideCommandOutcome(turn, areGatesDue)),
  };
  return turn;
}

function evaluateGatesNow(input: ReconcileInput): GateEvaluation {
  const { state, facts, config, now } = input;
  return gateRun({
    ...input,
    run: state.run,
    proposal: state.proposal,
    holds: state.holds,
    contract: state.contract,
    description: jobAfterFix(state),
    failed: lastFailure(state),
    rollback: activeRollback(state),
    owner: state.watch.owner,
    ownFix: findBotFix(state),
    approvals: known(gatherApprovalFacts(state, facts, config, now)),
    approved: findApprovedManifest(state),
  });
}

/** The order of the first attempt or of the next one. */
function decideOrderOrRelaunch(turn: ReconcileTurn): Step | null {
  const input: RelaunchInput = {
    ...turn,
    runs: turn.facts.recordedRuns,
    unread: listUnreadFacts(turn.facts),
    // Judges the gates.
    get gated() {
      return turn.judge();
    },
  };
  return decideOrder(input) ?? decideRelaunch(input);
}

function judgeGates({ state, facts, config, judge }: ReconcileTurn): Step | null {
  return decideImage(config, facts) ?? decideGates(state, facts, judge);
}

function answerCommands(turn: ReconcileTurn): Step | null {
  const command = turn.command();
  if (command.kind === 'step') return command.step;
  return command.kind === 'staged' ? decideStaged(turn, command.command) : null;
}

/** Decides an expired offer of the watch, but first reads the comments: an unread one may accept the offer. */
function decideExpiredOffer(turn: ReconcileTurn): Step | null {
  const due = decideOffer(turn.state, turn.now);
  if (due === null || isNotAsked(turn.facts.comments)) return due === null ? null : request('comments');
  return turn.command().kind === 'wait' ? null : due;
}

/** Notifies people before the later deciders start machines. */
function decidePagesOnCall({ state, config, now }: ReconcileTurn): Step | null {
  const drafts = [...decidePages(state, config, now), ...listLostDeliveries(state, now)];
  return drafts.length === 0 ? null : append(...drafts);
}

function decideStaged(input: ReconcileInput, { decision, item, actor }: StagedCommand): Step | null {
  const said = { item, actor };
  return decision.kind === 'milestone'
    ? decideMilestone(input, decision, said)
    : decideClosure({ ...input, command: { decision, staged: said }, verdict: currentVerdict(input) });
}

/** Decides reminders and the automatic close. An open command suppresses both. */
function decideReminderOrClosing(turn: ReconcileTurn): Step | null {
  const { state, config, now, facts } = turn;
  const due = closeUnconfirmed(state, config, now) ?? decideReminder(state, config, now);
  const closing = due === null ? closeUnsealed(state, config, now) : null;
  if (due === null && closing === null) return null;
  if (isNotAsked(facts.comments)) return request('comments');
  if (turn.command().kind !== 'nothing') return null;
  if (due !== null) return append(due);
  return closing === null ? null : decideClosure({ ...turn, command: closing, verdict: currentVerdict(turn) });
}

/** Ends a proposal if its thread is closed or loses its label before an order. */
function decideWithdrawal({ state, facts }: ReconcileInput): Step | null {
  if (state.end !== null || isLive(state)) return null;
  const reason = findWithdrawalReason(state.proposal, facts);
  if (reason === null) return null;
  const before =
    state.attempts.length === 0 ? 'before a launch' : `before attempt ${state.attempts.length + 1} was launched`;
  return append(buildWithdrawal(`${reason} ${before}`));
}

/** Closes an adoption that is impossible. The closing comment gives the reason. */
function declineAdoption({ state }: ReconcileInput): Step | null {
  const told = awaitsAdoption(state) ? state.description : null;
  if (told === null || told.found === 'described' || told.found === 'unknown') return null;
  return append(buildWithdrawal(explainNotAdopted(told, state.proposal.adopts)));
}

/** How its thread was closed or lost the label that asked for the run; null while neither happened. An issue's branch may be deleted. */
function findWithdrawalReason(proposal: RunState['proposal'], { pull, issue }: RunFacts): string | null {
  const thread = isIssueFirst(proposal) ? issue : pull;
  if (thread.kind === 'unknown') return null;
  const label = proposal.own?.label ?? null;
  if (thread.value.state === 'open')
    return label === null || hasLabel(thread.value.labels, label) ? null : `the label ${label} was taken off`;
  if (!('merged' in thread.value)) return 'the issue was closed';
  return `the pull request was ${thread.value.merged ? 'merged' : 'closed'}`;
}

function decideCommandOutcome(turn: ReconcileTurn, areGatesDue: boolean): CommandOutcome {
  return decideCommand({
    ...turn,
    get gates() {
      return buildGateView(turn);
    },
    areGatesDue,
    shownSince: (digest) =>
      isCardHistoryUnread(turn.state, turn.facts)
        ? request('cardHistory')
        : shownSince(withConfirmedShowing(turn.state, turn.facts), digest),
    get verdict() {
      return currentVerdict(turn)?.result ?? 'unknown';
    },
  });
}

/** The gates as a command sees them; null while the proposal's text is unreadable. */
function buildGateView({ facts, judge }: ReconcileTurn): GateView | null {
  if (facts.body.kind === 'unknown') return null;
  const { bound, verdicts, approvals } = judge();
  return {
    digest: bound.kind === 'known' ? bound.value.digest : null,
    body: facts.body.value.fingerprint,
    verdicts,
    approvals,
    commit: facts.change.kind === 'known' ? facts.change.value.headSha : null,
  };
}

function currentVerdict({ state, facts, config }: ReconcileInput): RunVerdict | null {
  return facts.recordedRuns.kind === 'unknown' ? null : judgeSealedRun(state, config, facts.recordedRuns.value);
}

/** Edits the comment about an open wait. Its text gives the duration of the wait, and finally how the wait ended. */
function editOpenWait(turn: ReconcileTurn): Step | null {
  const { state, facts, memory, now } = turn;
  const isDue = state.incidents.some((one) => isWaitOpen(state, one, now) || isWaitEditPending(memory, one));
  return isDue || !isNotAsked(facts.comments) ? decideOpenWait(turn) : null;
}

/** Whether this process has edited the incident's comment, but not for the last time. */
function isWaitEditPending({ outcomes }: AttemptCache, { seq }: Incident): boolean {
  const own = [...outcomes.keys()].filter((key) => key.startsWith(`wait:${seq}:`));
  return own.length > 0 && !own.includes(`wait:${seq}:closed`);
}
