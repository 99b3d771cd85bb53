/** The state of one run as the fold of its events: what happened, never what somebody wishes. */

import type { Actor } from '../actor.ts';
import type { MutationRecord } from '../care/mutation-state.ts';
import type { StorePath } from '../checkpoint/stored.ts';
import type { Surface } from '../command.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Digest, Instant, RunId } from '../ids.ts';
import type { Incident } from '../incidents.ts';
import type { Contract } from '../launch/contract.ts';
import type { Hold } from '../launch/hold.ts';
import type { Manifest } from '../launch/manifest.ts';
import type { Order } from '../launch/order.ts';
import { fromRfc3339 } from '../time.ts';
import type { EventDataByType, EventOf } from './event.ts';
import type { RentalState } from './events/rental-events.ts';
import type { WatchState } from './events/watch-events.ts';
import type { Role } from './role.ts';

/** Points of loss, and of pace, that a run's state keeps; thinned by half when there are more. */
export const TRACE_POINTS_MAX = 60;

/** The newest event that was folded: `seq:hash` is the anchor that cards, check runs and tags carry. */
export type Head = { readonly seq: number; readonly hash: string; readonly at: string };

export type Approval = EventDataByType['approved'] & {
  readonly actor: Actor;
  readonly seq: number;
  readonly at: string;
};

/** `open` waits for the runner; `void` fell before it was claimed; `failed` was claimed and positively started nothing. */
export type OrderStatus = 'open' | 'void' | 'claimed' | 'submitted' | 'failed';
export type IssuedOrder = {
  readonly order: Order;
  readonly digest: Digest;
  readonly status: OrderStatus;
  /** What it launches: the manifest that the gates had passed. */
  readonly manifest: Manifest | null;
  readonly at: string;
  readonly seq: number;
  readonly claim: (EventDataByType['claimed'] & { readonly at: string }) | null;
};

/** The attempt that the next order is for: one that was never claimed keeps its number, since nothing ran under its id. */
export function nextAttempt(order: IssuedOrder | null): number {
  if (order === null) return 1;
  return order.claim === null ? order.order.attempt : order.order.attempt + 1;
}

/** The newest answer of the gates. */
export type Gate = EventDataByType['gated'] & { readonly at: string; readonly seq: number };

/** The manifest and body text that are on show: those of the gate, on a card that was read back from GitHub. */
export type Showing = EventDataByType['shown'] & { readonly at: string; readonly seq: number };

/** What a cluster said last of a job that is to be taken over. */
export type Description = EventDataByType['described'] & { readonly at: string; readonly seq: number };
export type Submission = EventDataByType['submitted'] & { readonly at: string; readonly seq: number };
export type Observation = EventDataByType['observed'] & { readonly at: string; readonly seq: number };
export type Ending = EventDataByType['ended'] & { readonly at: string; readonly seq: number };
/** An attempt that failed and was followed by another order: what it was, for what is still told of it. */
export type PastAttempt = {
  readonly order: IssuedOrder;
  readonly submission: Submission;
  readonly observation: Observation | null;
  readonly firstEval: Observation | null;
  readonly firstTracker: Observation | null;
  readonly end: Ending;
  /** Of the loss, where its steps are exact; what the next attempt makes anew is held against it. */
  readonly trace: readonly TracePoint[];
};

/** A person's `/relaunch`, which the runner reads again. */
export type RelaunchAsked = {
  readonly attempt: number;
  readonly actor: Actor;
  readonly comment: number;
  readonly surface: 'comment' | 'review';
  readonly bodyDigest: Digest;
  readonly seq: number;
};

/** A person's `/rollback`, after this attempt: what the next manifest begins from. */
export type RolledBack = {
  readonly attempt: number;
  /** Null: from nothing. */
  readonly checkpoint: { readonly path: StorePath; readonly step: number } | null;
  readonly actor: Actor;
  readonly seq: number;
};

/** Training loss at a step, as the log printed it. */
export type TracePoint = { readonly step: number; readonly loss: string };

/** How fast the job went when it was seen at a step, as its log printed it, and the newest checkpoint that was complete by then. */
export type CoursePoint = {
  readonly step: number;
  readonly tokensPerSecond: string | null;
  readonly secondsPerStep: string | null;
  readonly checkpointStep: number | null;
};

/** A person took a step, and what was made from it, out of the lineage. */
export type RejectedCheckpoint = EventDataByType['checkpoint-rejected'] & {
  readonly actor: Actor;
  readonly at: string;
  readonly seq: number;
};

export type Milestone = EventDataByType['milestone'] & {
  readonly actor: Actor;
  readonly at: string;
  readonly seq: number;
};

export type SeenCommand = EventDataByType['command-seen'] & {
  readonly actor: Actor;
  readonly at: string;
  readonly seq: number;
  readonly answer: {
    readonly code: string;
    readonly detail: EventDataByType['command-answered']['detail'];
    readonly at: string;
    readonly seq: number;
  } | null;
};

/** One notice that stands in the record. */
export type Notice = EventDataByType['notified'] & {
  readonly at: string;
  readonly seq: number;
  readonly role: Role;
};

export type RunState = {
  readonly run: RunId;
  readonly head: Head;
  readonly proposal: EventDataByType['proposed'];
  readonly proposedAt: string;
  /** What the issue asks for that it began from, as it was recorded last; null for a run that began from none. */
  readonly contract: Contract | null;
  /** What the cluster last said of the job that is to be taken over; null before it did, and where there is none. */
  readonly description: Description | null;
  readonly gate: Gate | null;
  /** Null while nobody has been shown what the gates know, or somebody else edited the card that showed it. */
  readonly shown: Showing | null;
  /** The newest edit of the card by somebody else: only a card that was written after it shows anything. */
  readonly cardEdit: { readonly seq: number; readonly comment: number } | null;
  /** Everything that was ever approved and not explicitly dropped; `standingApprovals` says which still count. */
  readonly approvals: readonly Approval[];
  readonly drops: readonly EventOf<'approval-dropped'>[];
  readonly order: IssuedOrder | null;
  /** Workflow runs that control started for this run, oldest first. */
  readonly dispatches: readonly Dispatch[];
  readonly submission: Submission | null;
  readonly observation: Observation | null;
  /** The first observation that carried an eval: a moment a person must see. */
  readonly firstEval: Observation | null;
  /** The first that named where to follow this attempt, unless an earlier one was followed there. */
  readonly firstTracker: Observation | null;
  /** The course of the loss for people to see, oldest first: at most `TRACE_POINTS_MAX` points; older ones are thinned. */
  readonly trace: readonly TracePoint[];
  /** Its pace and its checkpoints in the same way. */
  readonly paces: readonly CoursePoint[];
  readonly fence: number;
  readonly stop: {
    readonly actor: Actor;
    readonly at: string;
    readonly comment: number;
    readonly seq: number;
  } | null;
  readonly end: Ending | null;
  /** Attempts before the one that `order`, `submission`, `observation` and `end` tell of, oldest first. */
  readonly attempts: readonly PastAttempt[];
  /** Who said last that the same is to be started again after this attempt, and where. */
  readonly relaunchAsked: RelaunchAsked | null;
  readonly rollback: RolledBack | null;
  readonly acknowledged: { readonly actor: Actor; readonly at: string } | null;
  readonly seal:
    | (EventDataByType['sealed'] & { readonly at: string; readonly seq: number; readonly actor: Actor })
    | null;
  readonly closed: (EventDataByType['closed'] & { readonly at: string; readonly seq: number }) | null;
  readonly incidents: readonly Incident[];
  /** Holds on this run alone; those of the lane stand in the journal. */
  readonly holds: readonly Hold[];
  readonly commands: ReadonlyMap<string, SeenCommand>;
  /** Changes of the cluster that were proposed for this run, oldest first. */
  readonly mutations: readonly MutationRecord[];
  /** Oldest first; src/checkpoints/standing.ts says what each is worth. */
  readonly rejections: readonly RejectedCheckpoint[];
  /** Moments that people have sealed, oldest first: their checkpoints stay. */
  readonly milestones: readonly Milestone[];
  /** What people were told because the run waits for them, oldest first. */
  readonly notices: readonly Notice[];
  /** What came of sending them to channels, oldest first. */
  readonly deliveries: readonly (EventDataByType['delivered'] & {
    readonly at: string;
    readonly seq: number;
    readonly role: Role;
  })[];
  /** Who said last that they took what had happened until then. */
  readonly taken: { readonly actor: Actor; readonly at: string; readonly seq: number } | null;
  readonly watch: WatchState;
  readonly rental: RentalState;
};

/** How often people were told of the incident at this entry. */
export function pagesOf({ notices }: Pick<RunState, 'notices'>, incident: number): readonly Notice[] {
  return notices.filter(({ reason, about }) => reason === 'incident' && about.startsWith(`${incident}-`));
}

/** Channels to which a notice was to go and of which nothing is recorded. */
export function undelivered({
  notices,
  deliveries,
}: RunState): readonly (Notice & { readonly channel: string })[] {
  return notices.flatMap((notice) =>
    (notice.channels ?? [])
      .filter((name) => !deliveries.some((one) => one.notice === notice.seq && one.channel === name))
      .map((channel) => ({ ...notice, channel })),
  );
}

/** Incidents that stand in the thread, and that nobody has said to have taken. */
export function incidentsSinceTaken({ incidents, taken }: RunState): readonly Incident[] {
  return incidents.filter(({ seq }) => seq > (taken?.seq ?? -1));
}

/** Incidents that people were told of and nobody took. */
export function untakenIncidents(state: RunState): readonly Incident[] {
  return incidentsSinceTaken(state).filter(({ seq }) => pagesOf(state, seq).length > 0);
}

/** Whether people were told of this occasion already. */
export function isNotified({ notices }: RunState, { reason, about }: EventDataByType['notified']): boolean {
  return notices.some((one) => one.reason === reason && one.about === about);
}

/** Key of one command: GitHub numbers comments, reviews and review comments separately. */
export function commandKey(command: {
  readonly surface: Surface;
  readonly comment: number;
  readonly index: number;
}): string {
  return `${command.surface}:${command.comment}:${command.index}`;
}

/**
 * Since when people have been shown this manifest, with the text beside it, by GitHub's time of the card; null where it is
 * not what the card shows. The one place that says what *shown* means.
 */
export function shownAtOf({ gate, shown }: RunState, digest: Digest): Instant | null {
  const isOnShow = shown?.digest === digest && gate?.digest === digest && gate.body === shown.body;
  return isOnShow ? fromRfc3339(shown.shownAt) : null;
}

/** Approvals that still mean what is proposed now: of this very digest and this very body text. */
export function standingApprovals(state: RunState): readonly Approval[] {
  const gate = state.gate;
  if (gate === null || gate.digest === null) return [];
  return state.approvals.filter((a) => a.digest === gate.digest && a.body === gate.body);
}

/** What the standing approvals were given to; null while none stands. */
export function approvedManifest(state: RunState): Manifest | null {
  return standingApprovals(state).length === 0 ? null : (state.gate?.manifest ?? null);
}

/** Whether nothing more will be recorded for this run. */
export function isOver(state: Pick<RunState, 'seal' | 'closed'>): boolean {
  return state.seal !== null || state.closed !== null;
}

/** The runs of one lane: lanes never block each other, and none enters the history of another. */
export function runsOfLane(runs: readonly RunState[], lane: string): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.lane === lane);
}

/** The state with a change of its order, if it has one. */
export function withOrder(state: RunState, change: Partial<IssuedOrder>): RunState {
  return state.order === null ? state : { ...state, order: { ...state.order, ...change } };
}

/** The state without an open order: what the order rested on is gone. A claimed order stays. */
export function voided(state: RunState): RunState {
  return state.order?.status === 'open' ? withOrder(state, { status: 'void' }) : state;
}
