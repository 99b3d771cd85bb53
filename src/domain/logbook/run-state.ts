/** A run's state as the fold of its events. */

import type { ActionRecord } from '../actions/action.ts';
import type { Actor } from '../actor.ts';
import type { StorePath } from '../checkpoint/stored.ts';
import type { Dispatch } from '../effect.ts';
import type { Incident } from '../incidents.ts';
import type { Contract } from '../launch/contract.ts';
import type { Hold } from '../launch/hold.ts';
import type { Manifest } from '../launch/manifest.ts';
import type { Order } from '../launch/order.ts';
import { type Digest, fromRfc3339, type Instant, type RunId } from '../values.ts';
import type { EventDataByType, EventOf, EventType } from './define.ts';
import type { RentalState } from './events/rental-events.ts';
import type { WatchState } from './events/watch-events.ts';
import type { Role } from './parts.ts';

/** Maximum number of kept loss points and pace points. */
export const TRACE_POINTS_MAX = 60;

/** The newest folded event; cards, check runs and tags carry it as `seq:hash`. */
export type Head = { readonly seq: number; readonly hash: string; readonly at: string };

/** The data of an event with the time and number of its entry. */
export type Recorded<Type extends EventType> = EventDataByType[Type] & Moment;
type Moment = { readonly at: string; readonly seq: number };
type PersonMoment = Moment & { readonly actor: Actor };

export type Approval = Recorded<'approved'> & PersonMoment;

/** `open`: waits for the runner. `void`: cancelled before a claim. `failed`: claimed, and certainly started nothing. */
export type OrderStatus = 'open' | 'void' | 'claimed' | 'submitted' | 'failed';
export type IssuedOrder = {
  readonly order: Order;
  readonly digest: Digest;
  readonly status: OrderStatus;
  /** The manifest that passed the gates. */
  readonly manifest: Manifest | null;
  readonly at: string;
  readonly seq: number;
  readonly claim: (EventDataByType['claimed'] & { readonly at: string }) | null;
};

/** An order without a claim keeps its attempt number, because nothing ran under its id. */
export function nextAttemptNumber(order: IssuedOrder | null): number {
  if (order === null) return 1;
  return order.claim === null ? order.order.attempt : order.order.attempt + 1;
}

export type Gate = Recorded<'gated'>;

/** The manifest and body on the card, as read back from GitHub. */
export type Showing = Recorded<'shown'>;

/** The cluster's newest description of a job to adopt. */
export type Description = Recorded<'described'>;
export type Submission = Recorded<'submitted'>;
export type Observation = Recorded<'observed'>;
export type Ending = Recorded<'ended'>;
/** An attempt that was followed by another order. */
export type PastAttempt = {
  readonly order: IssuedOrder;
  readonly submission: Submission;
  readonly observation: Observation | null;
  readonly firstEval: Observation | null;
  readonly firstTracker: Observation | null;
  readonly end: Ending;
  /** The loss points, if steps are exact; the next attempt's repeated steps are compared with them. */
  readonly trace: readonly TracePoint[];
};

/** A person's `/relaunch`; the runner reads it again. */
export type RelaunchAsked = {
  readonly attempt: number;
  readonly actor: Actor;
  readonly comment: number;
  readonly surface: 'comment' | 'review';
  readonly bodyDigest: Digest;
  readonly seq: number;
};

/** A person's `/rollback` after this attempt: the start of the next manifest. */
export type RolledBack = {
  readonly attempt: number;
  /** Null: from scratch. */
  readonly checkpoint: { readonly path: StorePath; readonly step: number } | null;
  readonly actor: Actor;
  readonly seq: number;
};

/** Training loss at a step, as printed in the log. */
export type TracePoint = { readonly step: number; readonly loss: string };

/** Speed at a step as printed in the log, and the newest complete checkpoint by then. */
export type CoursePoint = {
  readonly step: number;
  readonly tokensPerSecond: string | null;
  readonly secondsPerStep: string | null;
  readonly checkpointStep: number | null;
};

/** A person rejected the step and everything derived from it. */
export type RejectedCheckpoint = Recorded<'checkpoint-rejected'> & PersonMoment;

export type Milestone = Recorded<'milestone'> & PersonMoment;

export type SeenCommand = Recorded<'command-seen'> &
  PersonMoment & { readonly answer: (Pick<EventDataByType['command-answered'], 'code' | 'detail'> & Moment) | null };

export type Notice = Recorded<'notified'> & { readonly role: Role };

export type RunState = {
  readonly run: RunId;
  readonly head: Head;
  readonly proposal: EventDataByType['proposed'];
  readonly proposedAt: string;
  /** The newest recorded contract; null for a run without one. */
  readonly contract: Contract | null;
  /** The cluster's newest description of the job to adopt, or null. */
  readonly description: Description | null;
  readonly gate: Gate | null;
  /** Null if the gated manifest is not on the card, or a person edited the card. */
  readonly shown: Showing | null;
  /** The newest edit of the card by a person: only a card written later counts. */
  readonly cardEdit: { readonly seq: number; readonly comment: number } | null;
  /** Every approval that was not explicitly dropped; `listCurrentApprovals` filters the valid ones. */
  readonly approvals: readonly Approval[];
  readonly drops: readonly EventOf<'approval-dropped'>[];
  readonly order: IssuedOrder | null;
  /** Oldest first. */
  readonly dispatches: readonly Dispatch[];
  readonly submission: Submission | null;
  readonly observation: Observation | null;
  readonly firstEval: Observation | null;
  /** The first observation with a tracker link, unless an earlier attempt used the same tracker run. */
  readonly firstTracker: Observation | null;
  /** Loss points, oldest first, thinned to `TRACE_POINTS_MAX`. */
  readonly trace: readonly TracePoint[];
  /** More loss points, for the chart: detectors compare the ones of `trace`. Thinned in the same way. */
  readonly losses: readonly TracePoint[];
  /** Pace points, thinned in the same way. */
  readonly paces: readonly CoursePoint[];
  readonly fence: number;
  readonly stop: (PersonMoment & { readonly comment: number }) | null;
  readonly end: Ending | null;
  /** Attempts before the current one, oldest first. */
  readonly attempts: readonly PastAttempt[];
  readonly relaunchRequest: RelaunchAsked | null;
  readonly rollback: RolledBack | null;
  readonly acknowledged: { readonly actor: Actor; readonly at: string } | null;
  readonly seal: (Recorded<'sealed'> & PersonMoment) | null;
  readonly closed: Recorded<'closed'> | null;
  readonly incidents: readonly Incident[];
  /** Holds on this run only; the journal has the others. */
  readonly holds: readonly Hold[];
  readonly commands: ReadonlyMap<string, SeenCommand>;
  /** Cluster changes proposed for this run, oldest first. */
  readonly actions: readonly ActionRecord[];
  /** Oldest first; evaluated by src/checkpoints/lineage.ts. */
  readonly rejections: readonly RejectedCheckpoint[];
  /** Sealed milestones, oldest first; their checkpoints are kept. */
  readonly milestones: readonly Milestone[];
  /** Oldest first. */
  readonly notices: readonly Notice[];
  /** Oldest first. */
  readonly deliveries: readonly (Recorded<'delivered'> & { readonly role: Role })[];
  readonly taken: PersonMoment | null;
  readonly watch: WatchState;
  readonly rental: RentalState;
};

/** Notices about the incident at this entry. */
export function listPages({ notices }: Pick<RunState, 'notices'>, incident: number): readonly Notice[] {
  return notices.filter(({ reason, about }) => reason === 'incident' && about.startsWith(`${incident}-`));
}

/** Notices with a channel that has no recorded delivery yet. */
export function listUndelivered({ notices, deliveries }: RunState): readonly (Notice & { readonly channel: string })[] {
  return notices.flatMap((notice) =>
    (notice.channels ?? [])
      .filter((name) => !deliveries.some((one) => one.notice === notice.seq && one.channel === name))
      .map((channel) => ({ ...notice, channel })),
  );
}

/** Incidents after the newest acknowledgement. */
export function listIncidentsSinceAck({ incidents, taken }: RunState): readonly Incident[] {
  return incidents.filter(({ seq }) => seq > (taken?.seq ?? -1));
}

/** Incidents with a notice but no acknowledgement. */
export function listUnacknowledgedIncidents(state: RunState): readonly Incident[] {
  return listIncidentsSinceAck(state).filter(({ seq }) => listPages(state, seq).length > 0);
}

/** Whether a notice about this occasion is recorded. */
export function isNotified({ notices }: RunState, { reason, about }: EventDataByType['notified']): boolean {
  return notices.some((one) => one.reason === reason && one.about === about);
}

/** GitHub numbers comments, reviews and review comments separately. */
export function commandKey(command: Pick<SeenCommand, 'surface' | 'comment' | 'index'>): string {
  return `${command.surface}:${command.comment}:${command.index}`;
}

/** Instant since which the card has shown this manifest and body, by GitHub's clock, or null. The only definition of *shown*. */
export function shownSince({ gate, shown }: RunState, digest: Digest): Instant | null {
  const isOnShow = shown?.digest === digest && gate?.digest === digest && gate.body === shown.body;
  return isOnShow ? fromRfc3339(shown.shownAt) : null;
}

/** The valid approvals: those of the gated digest and body text. */
export function listCurrentApprovals(state: RunState): readonly Approval[] {
  const gate = state.gate;
  if (gate === null || gate.digest === null) return [];
  return state.approvals.filter((a) => a.digest === gate.digest && a.body === gate.body);
}

/** The gated manifest if it has valid approvals, otherwise null. */
export function findApprovedManifest(state: RunState): Manifest | null {
  return listCurrentApprovals(state).length === 0 ? null : (state.gate?.manifest ?? null);
}

/** Whether the run accepts no more events. */
export function isOver(state: Pick<RunState, 'seal' | 'closed'>): boolean {
  return state.seal !== null || state.closed !== null;
}

/** Lanes do not block each other and have separate histories. */
export function runsInLane(runs: readonly RunState[], lane: string): readonly RunState[] {
  return runs.filter(({ proposal }) => proposal.lane === lane);
}

/** The orders of all attempts, oldest first, with the current one last. */
export function listOrders({ attempts, order }: Pick<RunState, 'attempts' | 'order'>): readonly IssuedOrder[] {
  return [...attempts.map((past) => past.order), ...(order === null ? [] : [order])];
}

/** Changes the order, if there is one. */
export function withOrder(state: RunState, change: Partial<IssuedOrder>): RunState {
  return state.order === null ? state : { ...state, order: { ...state.order, ...change } };
}

/** Voids an open order; a claimed order stays. */
export function voidOrder(state: RunState): RunState {
  return state.order?.status === 'open' ? withOrder(state, { status: 'void' }) : state;
}
