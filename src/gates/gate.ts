/** Launch gates: each judges the facts that it gets and gives a reason. It reads nothing itself, and an unknown fact never passes. */

import type { ResumePoint, RootContents, StartPoint } from '../checkpoints/start.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import type { Actor, Authors } from '../domain/actor.ts';
import type { RootHolder } from '../domain/checkpoint/stored.ts';
import type { ConfigHealth, IssueFacts } from '../domain/facts.ts';
import { type FactsArgument, type Fields, toRecordedFacts } from '../domain/incidents.ts';
import type { BodyFacts, ChangeFacts, CheckFacts, TargetFacts } from '../domain/launch/change-facts.ts';
import type { ContainerFacts, Contract, MachineFit } from '../domain/launch/contract.ts';
import type { Hold } from '../domain/launch/hold.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { GateId, RemedyActor, Verdict, Verdicts } from '../domain/launch/verdict.ts';
import type { EventDataByType } from '../domain/logbook/define.ts';
import type { ApprovalFaultCode, DropReason } from '../domain/logbook/events/launch-events.ts';
import type { Description } from '../domain/logbook/run-state.ts';
import type { Launch, RentalSpending } from '../domain/past-runs.ts';
import { type Digest, type Instant, type Observed, unknown } from '../domain/values.ts';

/** Whether a recorded approval still counts, and if not, why. */
export type ApprovalStanding = 'counts' | ApprovalFaultCode;

/** One approval that was recorded and not dropped. `body`: fingerprint of the description that the approver saw. */
export type GivenApproval = {
  readonly actor: Actor;
  readonly digest: Digest;
  readonly body: Digest;
  readonly at: string;
  readonly status: Observed<ApprovalStanding>;
};

/** `needed`: how many different people must approve a run of this cost. `lastDrop`: the newest approval that was dropped. */
export type ApprovalFacts = {
  readonly needed: number;
  /** The manifest that approved this fix in advance (its envelope). Left out where approvals must name the launched manifest itself. */
  readonly preApproval?: Digest;
  readonly approvals: readonly GivenApproval[];
  readonly lastDrop: { readonly reason: DropReason; readonly digest: Digest } | null;
};

/** The approvals for this description, and for this manifest or the one that approved it in advance (architecture, D4). */
export function filterCurrentApprovals(
  { approvals, preApproval }: ApprovalFacts,
  now: { readonly digest: Digest; readonly body: Digest },
): readonly GivenApproval[] {
  const named = preApproval ?? now.digest;
  return approvals.filter((one) => one.digest === named && one.body === now.body);
}

/** An earlier manifest, to compare with the one that would run now. */
export type EarlierRun = {
  readonly manifest: Manifest;
  /** True if the manifest belongs to the earlier run that this run continues under its own identity. */
  readonly isOfAnotherRun: boolean;
};

/** All facts for the gates of one run, read at one moment. */
export type GateFacts = {
  readonly repository: string;
  readonly now: Instant;
  readonly proposal: EventDataByType['proposed'];
  /** The failed attempt that this change may fix; null if no attempt has failed. */
  readonly fixOf: number | null;
  /** The settings of the run's lane. `own`: the gates that only this kind of run has. */
  readonly lane: LaneConfig;
  readonly kindGates: readonly Gate[];
  readonly onePersonIsEnough: boolean;
  /** The contract in the run's issue, as recorded and as read now. Left out for a run without a contract. */
  readonly contract?: { readonly recorded: Contract; readonly read: Observed<Contract> };
  /** Whether this lab rents the machine that the contract asks for. Left out if the contract asks for none. */
  readonly machine?: MachineFit;
  /** The cluster's description of an adopted job. Left out for a run that launched its own job. */
  readonly adoptedJob?: Description;
  /** The start point of the run. Left out if its contract names none. */
  readonly start?: Observed<StartPoint>;
  /** What the next attempt resumes from. Left out before an attempt has failed, and where a person named a checkpoint. */
  readonly resume?: Observed<ResumePoint>;
  /** The container that the contract names; left out where it names none. */
  readonly container?: ContainerFacts;
  /** The owner who committed to watching the run. Left out if there is none. */
  readonly owner?: Actor | null;
  /** What the failed attempt ran, or the last attempt of the run that this one continues; null if nothing ran before. */
  readonly ranBefore?: Observed<EarlierRun> | null;
  readonly pull: Observed<TargetFacts>;
  readonly issue: Observed<IssueFacts>;
  readonly change: Observed<ChangeFacts>;
  readonly body: Observed<BodyFacts>;
  /** The authors of the proposal, without the bot. */
  readonly authors: Observed<Authors>;
  /** The checks on the head commit, including ferrybot's own. */
  readonly checks: Observed<readonly CheckFacts[]>;
  readonly configHealth: Observed<ConfigHealth>;
  /** When a person or the proposal last changed the ferry issue's text or commented on it. ferrybot's own comments do not count. */
  readonly issueChangedAt: Observed<Instant>;
  /** Ids of other runs that hold the lane. */
  readonly liveRuns: Observed<readonly string[]>;
  /** Another recorded run that writes to this run's output root; null if there is none. */
  readonly rootHolder: Observed<RootHolder | null>;
  /** What the output root contains. Left out once an attempt has run there, and for a run without a checkpoint plan. */
  readonly rootContents?: Observed<RootContents>;
  /** Paths in the command where another recorded run writes. Left out if the record or the manifest is unknown. */
  readonly othersPaths?: readonly string[];
  /** Another recorded run with this run's identity in the tracker; null if there is none. */
  readonly trackerHolder: Observed<string | null>;
  readonly holds: Observed<readonly Hold[]>;
  readonly sealedPasses: Observed<readonly string[]>;
  /** The lane's launches as far back as any budget reaches, including this run's earlier attempts. */
  readonly launches: Observed<readonly Launch[]>;
  /** What other runs rented, on any cluster, as far back as a budget reaches. Left out if no gate needs it. */
  readonly rentals?: Observed<readonly RentalSpending[]>;
  /** The manifest to approve, or why it cannot be built. */
  readonly manifest: Observed<Manifest>;
  /** The recorded manifest that the current approvals are for; null if there are none. */
  readonly approved: Manifest | null;
  readonly approvals: Observed<ApprovalFacts>;
  /** What an approval binds to now: the manifest's digest and the fingerprint of the text. */
  readonly bound: Observed<{ readonly digest: Digest; readonly body: Digest }>;
};

/** The facts before any approval. The runner, which checks approvals itself, evaluates these gates again. */
export type ChangeGateFacts = Omit<GateFacts, 'approvals'>;

export type Gate = {
  readonly id: GateId;
  readonly evaluate: (facts: ChangeGateFacts) => Judgement;
  /** Set on a gate that reads only settings and facts recorded with its verdict: `backtest` evaluates it again. */
  readonly readsSettings?: true;
};

/** The only facts that the approval gates need. The card takes them from the record. */
export type ApprovalGateFacts = Pick<GateFacts, 'approvals' | 'bound'>;
export type ApprovalGate = { readonly id: GateId; readonly evaluate: (facts: ApprovalGateFacts) => Judgement };

/** A verdict without the gate's own name. */
export type Judgement = Omit<Verdict, 'gate'>;

type FactsOf<Gate extends GateId, Code extends keyof Verdicts[Gate]> = Verdicts[Gate][Code] extends Fields
  ? FactsArgument<Verdicts[Gate][Code]>
  : never;

type JudgementBuilder<Gate extends GateId, By extends readonly RemedyActor[]> = <
  Code extends keyof Verdicts[Gate] & string,
>(
  code: Code,
  ...rest: [...by: By, ...facts: FactsOf<Gate, Code>]
) => Judgement;

/**
 * The answers that one gate can give: its own codes, each with its facts. A warning does not block the run. `unknown` does, and its
 * facts have a `why`.
 */
type JudgementBuilders<Gate extends GateId> = {
  readonly pass: JudgementBuilder<Gate, []>;
  readonly warn: JudgementBuilder<Gate, [RemedyActor]>;
  readonly block: JudgementBuilder<Gate, [RemedyActor]>;
  readonly unknown: JudgementBuilder<Gate, [RemedyActor]>;
};

const says =
  (outcome: Judgement['outcome']) =>
  (code: string, remedyBy: RemedyActor, found: object = {}): Judgement => ({
    outcome,
    code,
    found: toRecordedFacts(found),
    remedyBy,
  });

const JUDGING = {
  pass: (code: string, found: object = {}): Judgement => says('pass')(code, 'anyone', found),
  warn: says('warn'),
  block: says('fail'),
  unknown: says('unknown'),
};

/** The typed answers of one gate. */
export function judgements<Gate extends GateId>(_gate: Gate): JudgementBuilders<Gate> {
  return JUDGING;
}

/** Defines a gate. `evaluate` gets the facts and the answers of this gate. */
export function defineGate<Id extends GateId>(
  id: Id,
  evaluate: (facts: ChangeGateFacts, answer: JudgementBuilders<Id>) => Judgement,
  options: Pick<Gate, 'readsSettings'> = {},
): Gate {
  return { id, evaluate: (facts) => evaluate(facts, JUDGING), ...options };
}

/** The verdict for an unreadable fact: the run waits until the fact can be read. */
export function cannotTell(why: string): Judgement {
  return { outcome: 'unknown', code: 'unreadable', found: { why }, remedyBy: 'time' };
}

/** The contract in the run's issue as it is now. Unknown without a contract; `contract-complete` reports that case. */
export function requireContract(contract: GateFacts['contract'] | undefined): Observed<Contract> {
  return contract?.read ?? unknown('the run has no contract');
}

/** Judges a fact, or answers `unknown` if it could not be read. */
export function ifKnown<Value>(fact: Observed<Value>, judge: (value: Value) => Judgement): Judgement {
  return fact.kind === 'known' ? judge(fact.value) : cannotTell(fact.why);
}

const isAllowed = judgements('approver-allowed');

const approverAllowed: ApprovalGate = {
  id: 'approver-allowed',
  evaluate: ({ approvals, bound }) =>
    ifKnown(approvals, (facts) => ifKnown(bound, (now) => judgeApprovers(filterCurrentApprovals(facts, now), facts))),
};

function judgeApprovers(current: readonly GivenApproval[], { needed, preApproval }: ApprovalFacts): Judgement {
  const now = current.map((one) => ({ ...one, is: one.status.kind === 'known' ? one.status.value : null }));
  // One person counts once, however often they approved.
  const counting = new Map(now.filter(({ is }) => is === 'counts').map(({ actor }) => [actor.id, actor.login]));
  const found = { count: counting.size, needed, who: [...counting.values()] };
  const lost = now.find(({ is }) => is !== null && is !== 'counts');
  if (lost !== undefined)
    return isAllowed.block('not-counting', 'approver', { ...found, by: lost.actor.login, why: lost.is ?? '' });
  if (counting.size >= needed) return isAllowed.pass(preApproval === undefined ? 'enough' : 'beforehand', found);
  const unread = current.find((one) => one.status.kind === 'unknown');
  if (unread?.status.kind === 'unknown') return cannotTell(unread.status.why);
  return isAllowed.block('too-few', 'approver', { ...found, missing: needed - counting.size });
}

const { block, pass } = judgements('manifest-unchanged');

/** Gate: the approved manifest and description are the ones that would be launched (architecture, D4). */
const manifestUnchanged: ApprovalGate = {
  id: 'manifest-unchanged',
  evaluate: ({ approvals, bound }) => ifKnown(approvals, (facts) => ifKnown(bound, (now) => judgeManifest(facts, now))),
};

type BoundDigests = { readonly digest: Digest; readonly body: Digest };

/** Passes before the first approval. After a change dropped an approval, it blocks until there is a new one. */
function judgeManifest(facts: ApprovalFacts, now: BoundDigests): Judgement {
  const digest = now.digest.slice(7, 19);
  const last = facts.approvals.at(-1)?.digest ?? null;
  if (filterCurrentApprovals(facts, now).length > 0)
    return facts.preApproval === undefined
      ? pass('as-approved', { digest })
      : pass('fix-beforehand', { digest, approved: facts.preApproval.slice(7, 19) });
  const before = last ?? facts.lastDrop?.digest ?? now.digest;
  const isChanged = before !== now.digest || last !== null || facts.lastDrop?.reason === 'manifest-changed';
  return isChanged
    ? block('changed', 'approver', { approved: before.slice(7, 19), digest })
    : pass('not-approved-yet', { digest });
}

const OVER_APPROVALS = [approverAllowed, manifestUnchanged] as const;

/** The verdicts of the approval gates. */
export function approvalVerdicts(facts: ApprovalGateFacts): readonly Verdict[] {
  return OVER_APPROVALS.map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}
