/** Folds one record's cluster actions: proposed, consented, begun once, ended. Used for runs and for the journal. */

import type { Actor } from '../actor.ts';
import { wasShownBefore } from '../approval-binding.ts';
import type { EventDataByType, EventOf, EventType, LogbookEvent } from '../logbook/event.ts';
import { type Digest, fromRfc3339, type Instant } from '../values.ts';
import type { ActionEvidence, ActionProposal, ApprovalSource } from './action.ts';

export type ActionApproval = {
  readonly source: ApprovalSource;
  /** Null if the config consented. */
  readonly actor: Actor | null;
  readonly at: string;
  readonly seq: number;
};

export type ActionRecord = {
  readonly proposal: ActionProposal;
  readonly digest: Digest;
  readonly evidence: ActionEvidence;
  readonly at: string;
  readonly seq: number;
  readonly approvals: readonly ActionApproval[];
  /** The runner's claim, pushed before any call. It can exist only once. */
  readonly claim: (EventDataByType['action-claimed'] & { readonly at: string; readonly seq: number }) | null;
  readonly ended: (EventDataByType['action-ended'] & { readonly at: string; readonly seq: number }) | null;
};

/** When the proposal was recorded. */
export function proposalShownAt({ at }: Pick<ActionRecord, 'at'>): Instant | null {
  return fromRfc3339(at);
}

/** Whether it was shown in this thread, and not over, when somebody wrote there. */
export function waitedAt(
  one: Pick<ActionRecord, 'proposal' | 'at' | 'ended'>,
  { thread, createdAt }: { readonly thread: number; readonly createdAt: Instant },
): boolean {
  const shownAt = proposalShownAt(one);
  const isLater = shownAt === null || !wasShownBefore(shownAt, createdAt);
  const isOver = one.ended !== null && (fromRfc3339(one.ended.at) ?? 0) < createdAt;
  return one.proposal.thread === thread && !isLater && !isOver;
}

export type ActionEvent = EventOf<Extract<EventType, `action-${string}`>>;

/** Whether the event is about an action. */
export function isActionEvent(event: LogbookEvent): event is ActionEvent {
  return event.type.startsWith('action-');
}

/** An event that `illegalAction` rejects changes nothing. */
export function actionsAfter(actions: readonly ActionRecord[], event: ActionEvent): readonly ActionRecord[] {
  const { at, seq } = event;
  if (event.type === 'action-proposed') {
    const { proposal, digest, evidence } = event.data;
    return [...actions, { proposal, digest, evidence, at, seq, approvals: [], claim: null, ended: null }];
  }
  return actions.map((one) => (one.digest === event.data.proposal ? moved(one, event) : one));
}

function moved(one: ActionRecord, event: Exclude<ActionEvent, { type: 'action-proposed' }>): ActionRecord {
  const { at, seq } = event;
  if (event.type === 'action-claimed') return { ...one, claim: { ...event.data, at, seq } };
  if (event.type === 'action-ended') return { ...one, ended: { ...event.data, at, seq } };
  const consent = { source: event.data.source, actor: event.actor ?? null, at, seq };
  return { ...one, approvals: [...one.approvals, consent] };
}

/** The rule that the event breaks, or null. `record` is the run id or `journal`. */
export function illegalAction(
  actions: readonly ActionRecord[],
  record: string,
  event: ActionEvent,
): string | null {
  if (event.type === 'action-proposed') return proposedRule(actions, record, event);
  const one = actions.find(({ digest }) => digest === event.data.proposal);
  if (one === undefined) return `${event.type} of what was not proposed`;
  if (one.ended !== null) return `${event.type} after it ended`;
  if (event.type === 'action-approved') return consentedRule(one, event);
  if (event.type === 'action-claimed') return begunRule(one, event);
  return one.claim === null && event.data.outcome !== 'refused' ? 'an action ended that was not begun' : null;
}

function proposedRule(
  actions: readonly ActionRecord[],
  record: string,
  { data }: EventOf<'action-proposed'>,
): string | null {
  if (data.proposal.record !== record) return 'proposed an action for another record';
  if (data.proposal.steps.length === 0) return 'proposed an action without a step';
  return actions.some(({ digest }) => digest === data.digest) ? 'an action is proposed once' : null;
}

/** The executor compares thread, person and age with the comment itself. */
function consentedRule(one: ActionRecord, { data, actor }: EventOf<'action-approved'>): string | null {
  if (one.claim !== null) return 'consented after it was begun';
  if (data.source.kind === 'config')
    return actor === undefined ? null : 'the config consents without a person, and this names one';
  return actor === undefined ? 'consented names no person' : null;
}

function begunRule(one: ActionRecord, { data }: EventOf<'action-claimed'>): string | null {
  if (one.claim !== null) return 'an action is begun once';
  return one.approvals.some(({ seq }) => seq === data.consent) ? null : 'begun without a consent';
}

/** Until when a consent counts, Unix ms, from when the person wrote, or the config's was recorded; 0 where no time can be read. */
export function approvalEndsAt({ source, at }: ActionApproval, maxAgeMs: number): number {
  const recordedAt = fromRfc3339(at);
  const writtenAt = source.kind === 'comment' ? fromRfc3339(source.writtenAt) : recordedAt;
  if (recordedAt === null || writtenAt === null) return 0;
  return Math.min(recordedAt, writtenAt) + maxAgeMs;
}

/** Actions that a runner started and has not reported as ended. */
export function underWay(actions: readonly ActionRecord[]): readonly ActionRecord[] {
  return actions.filter(({ claim: begun, ended }) => begun !== null && ended === null);
}
