/** What a launch gate is: data with a why. It looks at facts, never at the world; unknown never passes. */

import type { ResumePoint, RootContents, StartPoint } from '../checkpoints/start.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import type { Actor, Authors } from '../domain/actor.ts';
import type { RootHolder } from '../domain/checkpoint/stored.ts';
import type { ConfigHealth, IssueFacts } from '../domain/facts.ts';
import { type FactsArgument, type Fields, recordedFacts } from '../domain/incidents.ts';
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

/** What became of an approval since it was recorded. */
export type ApprovalStanding = 'counts' | ApprovalFaultCode;

/** One approval that was recorded and not dropped. `body`: fingerprint of the text that it was given to. */
export type GivenApproval = {
  readonly actor: Actor;
  readonly digest: Digest;
  readonly body: Digest;
  readonly at: string;
  readonly standing: Observed<ApprovalStanding>;
};

/** `needed`: distinct people that the run's cost demands. `lastDrop`: the newest approval that fell. */
export type ApprovalFacts = {
  readonly needed: number;
  /** The manifest whose envelope has approved what would be launched; left out where approvals have to name that itself. */
  readonly beforehand?: Digest;
  readonly given: readonly GivenApproval[];
  readonly lastDrop: { readonly reason: DropReason; readonly digest: Digest } | null;
};

/** Those that were given to this very manifest, or to the one that has approved it, and to this very text (architecture, D4). */
export function givenTo(
  { given, beforehand }: ApprovalFacts,
  now: { readonly digest: Digest; readonly body: Digest },
): readonly GivenApproval[] {
  const named = beforehand ?? now.digest;
  return given.filter((one) => one.digest === named && one.body === now.body);
}

/** What is compared with what would run now. */
export type RanBefore = {
  readonly manifest: Manifest;
  /** It is the run that this one goes on from under an identity of its own. */
  readonly isOfAnotherRun: boolean;
};

/** Everything that the gates of one run look at, at one moment. */
export type GateFacts = {
  readonly repository: string;
  readonly now: Instant;
  readonly proposal: EventDataByType['proposed'];
  /** The attempt that has failed and that the change may mend; null before one has. */
  readonly fixOf: number | null;
  /** The settings of the run's lane, and the gates that only its kind has. */
  readonly lane: LaneConfig;
  readonly own: readonly Gate[];
  readonly onePersonIsEnough: boolean;
  /** What the run's issue asks for, as it is recorded and as it says now; left out for a run that began from none. */
  readonly contract?: { readonly recorded: Contract; readonly read: Observed<Contract> };
  /** Whether the machine that the contract asks for is rented here; left out where it asks for none. */
  readonly machine?: MachineFit;
  /** What the cluster says of the job that was taken over; left out for a run that launched its own. */
  readonly adopts?: Description;
  /** Where the run begins; left out for one whose contract says nothing of it. */
  readonly start?: Observed<StartPoint>;
  /** What the attempt after the one that failed goes on from; left out before one has, and where a person named another. */
  readonly resume?: Observed<ResumePoint>;
  /** The container that the contract names; left out where it names none. */
  readonly container?: ContainerFacts;
  /** Who has said that the watch of the run is theirs; left out where nobody has. */
  readonly owner?: Actor | null;
  /** What the attempt that has failed ran, or the last one of the run that this one goes on from; null where nothing ran before. */
  readonly ranBefore?: Observed<RanBefore> | null;
  readonly pull: Observed<TargetFacts>;
  readonly issue: Observed<IssueFacts>;
  readonly change: Observed<ChangeFacts>;
  readonly body: Observed<BodyFacts>;
  /** Who had a hand in the proposal besides the bot. */
  readonly authors: Observed<Authors>;
  /** Checks on the head, ours among them. */
  readonly checks: Observed<readonly CheckFacts[]>;
  readonly configHealth: Observed<ConfigHealth>;
  /** When a person or the proposal last wrote in the ferry issue: its text or a comment; ferrybot's own comments do not count. */
  readonly issueToldAt: Observed<Instant>;
  /** Ids of other runs that hold the lane. */
  readonly liveRuns: Observed<readonly string[]>;
  /** Another run that the record knows to write where this one would; null: none does. */
  readonly rootHolder: Observed<RootHolder | null>;
  /** What lies where it would write; left out once an attempt was there, and for a run that has no plan of its checkpoints. */
  readonly rootContents?: Observed<RootContents>;
  /** Paths in the command below which, by the record, another run writes; left out where the record or the manifest is unknown. */
  readonly othersPaths?: readonly string[];
  /** Another run that the record knows under this one's identity in the tracker; null: none is. */
  readonly trackerHolder: Observed<string | null>;
  readonly holds: Observed<readonly Hold[]>;
  /** Runs of the lane that were sealed as passes. */
  readonly passes: Observed<readonly string[]>;
  /** What the lane has launched as far back as any budget reaches, this run's earlier attempts too. */
  readonly launches: Observed<readonly Launch[]>;
  /** What other runs have rented, on whichever cluster, as far back as a budget reaches; left out where nobody asks. */
  readonly rentals?: Observed<readonly RentalSpending[]>;
  /** The approved-to-be manifest, or what keeps it from being built. */
  readonly manifest: Observed<Manifest>;
  /** What the standing approvals were given to, as the record has it; null while none stands. */
  readonly approved: Manifest | null;
  readonly approvals: Observed<ApprovalFacts>;
  /** What an approval binds to now: the manifest's digest and the fingerprint of the text. */
  readonly bound: Observed<{ readonly digest: Digest; readonly body: Digest }>;
};

/** What is asked before anybody has approved anything, and again on the runner, which looks at approvals by itself. */
export type ChangeGateFacts = Omit<GateFacts, 'approvals'>;

export type Gate = {
  readonly id: GateId;
  readonly evaluate: (facts: ChangeGateFacts) => Judgement;
  /** For one that reads settings and no facts but those that are recorded with its answer: `backtest` asks it again. */
  readonly readsSettings?: true;
};

/** What the gates over the approvals look at, and nothing else: the card has it from the record alone. */
export type ApprovalGateFacts = Pick<GateFacts, 'approvals' | 'bound'>;
export type ApprovalGate = {
  readonly id: GateId;
  readonly evaluate: (facts: ApprovalGateFacts) => Judgement;
};

/** A verdict without the gate's own name. */
export type Judgement = Omit<Verdict, 'gate'>;

type FactsOf<Gate extends GateId, Code extends keyof Verdicts[Gate]> = Verdicts[Gate][Code] extends Fields
  ? FactsArgument<Verdicts[Gate][Code]>
  : never;

type Says<Gate extends GateId, By extends readonly RemedyActor[]> = <
  Code extends keyof Verdicts[Gate] & string,
>(
  code: Code,
  ...rest: [...by: By, ...facts: FactsOf<Gate, Code>]
) => Judgement;

/**
 * How one gate answers: with its own codes alone, and the facts of each. A warning lets the run through; `unknown` holds it back, and its
 * facts have a `why`.
 */
type Judging<Gate extends GateId> = {
  readonly pass: Says<Gate, []>;
  readonly warn: Says<Gate, [RemedyActor]>;
  readonly block: Says<Gate, [RemedyActor]>;
  readonly unknown: Says<Gate, [RemedyActor]>;
};

const says =
  (outcome: Judgement['outcome']) =>
  (code: string, remedyBy: RemedyActor, found: object = {}): Judgement => ({
    outcome,
    code,
    found: recordedFacts(found),
    remedyBy,
  });

const JUDGING = {
  pass: (code: string, found: object = {}): Judgement => says('pass')(code, 'anyone', found),
  warn: says('warn'),
  block: says('fail'),
  unknown: says('unknown'),
};

/** The answers of this gate. */
export function judging<Gate extends GateId>(_gate: Gate): Judging<Gate> {
  return JUDGING;
}

/** A gate: `evaluate` gets the facts and the answers of this gate. */
export function defineGate<Id extends GateId>(
  id: Id,
  evaluate: (facts: ChangeGateFacts, answer: Judging<Id>) => Judgement,
  options: Pick<Gate, 'readsSettings'> = {},
): Gate {
  return { id, evaluate: (facts) => evaluate(facts, JUDGING), ...options };
}

/** The gate cannot tell: it holds the run back until the fact can be read. */
export function cannotTell(why: string): Judgement {
  return { outcome: 'unknown', code: 'unreadable', found: { why }, remedyBy: 'time' };
}

/** What the run's issue says now. Unknown without a contract, which `contract-complete` asks for. */
export function contractNow(contract: GateFacts['contract'] | undefined): Observed<Contract> {
  return contract?.read ?? unknown('the run has no contract');
}

/** Evaluates over a fact that may be unreadable. */
export function given<Value>(fact: Observed<Value>, judge: (value: Value) => Judgement): Judgement {
  return fact.kind === 'known' ? judge(fact.value) : cannotTell(fact.why);
}

const allowed = judging('approver-allowed');

const approverAllowed: ApprovalGate = {
  id: 'approver-allowed',
  evaluate: ({ approvals, bound }) =>
    given(approvals, (facts) => given(bound, (now) => judgeApprovers(givenTo(facts, now), facts))),
};

function judgeApprovers(current: readonly GivenApproval[], { needed, beforehand }: ApprovalFacts): Judgement {
  const now = current.map((one) => ({
    ...one,
    is: one.standing.kind === 'known' ? one.standing.value : null,
  }));
  // One person counts once, however often they approved.
  const counting = new Map(
    now.filter(({ is }) => is === 'counts').map(({ actor }) => [actor.id, actor.login]),
  );
  const found = { count: counting.size, needed, who: [...counting.values()] };
  const lost = now.find(({ is }) => is !== null && is !== 'counts');
  if (lost !== undefined)
    return allowed.block('not-counting', 'approver', { ...found, by: lost.actor.login, why: lost.is ?? '' });
  if (counting.size >= needed) return allowed.pass(beforehand === undefined ? 'enough' : 'beforehand', found);
  const unread = current.find((one) => one.standing.kind === 'unknown');
  if (unread?.standing.kind === 'unknown') return cannotTell(unread.standing.why);
  return allowed.block('too-few', 'approver', { ...found, missing: needed - counting.size });
}

const { block, pass } = judging('manifest-unchanged');

/** Gate: what would be launched is what was approved: the same manifest, and the same text around it (architecture, D4). */
const manifestUnchanged: ApprovalGate = {
  id: 'manifest-unchanged',
  evaluate: ({ approvals, bound }) => given(approvals, (facts) => given(bound, (now) => judge(facts, now))),
};

type Bound = { readonly digest: Digest; readonly body: Digest };

/** Nothing approved, nothing changed; an approval that fell because of a change is told until there is a new one. */
function judge(facts: ApprovalFacts, now: Bound): Judgement {
  const digest = now.digest.slice(7, 19);
  const last = facts.given.at(-1)?.digest ?? null;
  if (givenTo(facts, now).length > 0)
    return facts.beforehand === undefined
      ? pass('as-approved', { digest })
      : pass('fix-beforehand', { digest, approved: facts.beforehand.slice(7, 19) });
  const before = last ?? facts.lastDrop?.digest ?? now.digest;
  const isChanged = before !== now.digest || last !== null || facts.lastDrop?.reason === 'manifest-changed';
  return isChanged
    ? block('changed', 'approver', { approved: before.slice(7, 19), digest })
    : pass('not-approved-yet', { digest });
}

const OVER_APPROVALS = [approverAllowed, manifestUnchanged] as const;

/** The verdicts over the approvals, on the two facts that they look at. */
export function approvalVerdicts(facts: ApprovalGateFacts): readonly Verdict[] {
  return OVER_APPROVALS.map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}
