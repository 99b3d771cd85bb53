/**
 * The closed list of changes ferrybot can make to a cluster and its stores. Each is proposed in full before
 * anyone can consent (policy ML-02, HR-63).
 */

import * as z from 'zod';
import type { Actor } from '../actor.ts';
import { wasPostedBefore } from '../launch/order.ts';
import type { EventDataByType, EventOf, EventType, LogbookEvent } from '../logbook/define.ts';
import { actorSchema, digest, integer, type Parsed, scalars, sha, text } from '../logbook/parts.ts';
import { type Digest, fromRfc3339, type Instant } from '../values.ts';

/** Restarting a cluster or its head node is deliberately missing: no code does it, so no consent can allow it. */
export const CHANGE_STEPS = [
  'delete-tpu-vm',
  'init-worker',
  'clean-disk',
  'start-cleanup-cron',
  'delete-checkpoint',
] as const;
export type ChangeStepKind = (typeof CHANGE_STEPS)[number];

/**
 * A TPU VM as observed; `address` as in the log. A replacement reuses the name or address but has another `createdAt` (RFC 3339 as printed
 * by the cloud).
 */
export const vmIdentity = z.object({ name: text, zone: text, createdAt: text, address: text });
export type VmIdentity = Parsed<typeof vmIdentity>;

/**
 * Checkpoints of one run, each a separate step below one of `roots`. `keep`: number of newest steps to keep. `askedBy` requested the list
 * and therefore may not consent to it.
 */
const checkpointDeletion = z.object({
  kind: z.literal('delete-checkpoint'),
  run: text,
  roots: z.array(text),
  keep: integer,
  requestedBy: actorSchema,
});
export type CheckpointDeletion = Parsed<typeof checkpointDeletion>;

const change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delete-tpu-vm'), vm: vmIdentity }),
  z.object({ kind: z.literal('clean-disk'), vm: vmIdentity, mountPoint: text }),
  z.object({ kind: z.literal('start-cleanup-cron'), head: text }),
  checkpointDeletion,
]);
export type ClusterChange = Parsed<typeof change>;

const changeStep = z.object({
  kind: z.enum(CHANGE_STEPS),
  command: z.array(text),
  fallback: z.array(text).exactOptional(),
});
export type ChangeStep = Parsed<typeof changeStep>;

/**
 * What a person consents to, identified by the digest of its canonical JSON (RFC 8785). `record`: the run that records it, or `journal`.
 * `steps` are executed in this order, each at most once. Consent counts only in `thread`. `round` counts proposals of this target in this
 * record from 1, so a repeated proposal has a new digest.
 */
export const proposalSchema = z.object({
  v: z.literal(1),
  record: text,
  repository: text,
  cluster: text,
  change,
  steps: z.array(changeStep),
  evidence: digest,
  thread: integer,
  round: integer,
});
export type ActionProposal = Parsed<typeof proposalSchema>;

/** Observed values by name; `lines` are redacted output of the job or the worker. */
export const evidenceSchema = z.object({ facts: scalars, lines: z.array(text) });
export type ActionEvidence = Parsed<typeof evidenceSchema>;

/** A comment in the proposal's thread (`writtenAt`: RFC 3339), or a config entry on the default branch at that commit. */
export const approvalSource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('comment'),
    comment: integer,
    surface: z.enum(['comment', 'review']),
    thread: integer,
    bodyDigest: digest,
    writtenAt: text,
  }),
  z.object({ kind: z.literal('config'), commit: sha }),
]);
export type ApprovalSource = Parsed<typeof approvalSource>;

/**
 * `done`: verified afterwards. `refused`: nothing was called. `failed`: called, and observed to have failed.
 * `unclear`: called, result unknown.
 */
export const ACTION_OUTCOMES = ['done', 'refused', 'failed', 'unclear'] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

/** The name of the changed thing, as shown to people. */
export function describeTarget(change: ClusterChange): string {
  if (change.kind === 'delete-checkpoint') return change.run;
  return change.kind === 'start-cleanup-cron' ? change.head : change.vm.name;
}

export type ActionStep = {
  readonly kind: ChangeStepKind | 'submit-job' | 'stop-job' | 'destroy-machine';
  readonly command: readonly string[];
  /** Fallback, used only if the program of `command` could not be started. */
  readonly fallback?: readonly string[];
};

/** Equal in all arguments, including the fallback. */
export function isSameStep(a: ActionStep, b: ActionStep): boolean {
  const callText = ({ command, fallback }: ActionStep): string => JSON.stringify([command, fallback ?? null]);
  return a.kind === b.kind && callText(a) === callText(b);
}

/** Equal steps in equal order. */
export function areSameSteps(a: readonly ActionStep[], b: readonly ActionStep[]): boolean {
  const isSameAt = (one: ActionStep, other: ActionStep | undefined): boolean =>
    other !== undefined && isSameStep(one, other);
  return a.length === b.length && a.every((step, index) => isSameAt(step, b[index]));
}

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
export function proposalPostedAt({ at }: Pick<ActionRecord, 'at'>): Instant | null {
  return fromRfc3339(at);
}

/** Whether the proposal was shown in this thread and had not ended when the comment was written. */
export function wasPendingAt(
  one: Pick<ActionRecord, 'proposal' | 'at' | 'ended'>,
  { thread, createdAt }: { readonly thread: number; readonly createdAt: Instant },
): boolean {
  const shownAt = proposalPostedAt(one);
  const isLater = shownAt === null || !wasPostedBefore(shownAt, createdAt);
  const isOver = one.ended !== null && (fromRfc3339(one.ended.at) ?? 0) < createdAt;
  return one.proposal.thread === thread && !isLater && !isOver;
}

export type ActionEvent = EventOf<Extract<EventType, `action-${string}`>>;

/** Whether the event is about an action. */
export function isActionEvent(event: LogbookEvent): event is ActionEvent {
  return event.type.startsWith('action-');
}

/** The actions after the event. Callers must not pass events that `findIllegalAction` rejects. */
export function actionsAfter(actions: readonly ActionRecord[], event: ActionEvent): readonly ActionRecord[] {
  const { at, seq } = event;
  if (event.type === 'action-proposed') {
    const { proposal, digest, evidence } = event.data;
    return [...actions, { proposal, digest, evidence, at, seq, approvals: [], claim: null, ended: null }];
  }
  return actions.map((one) => (one.digest === event.data.proposal ? applyToAction(one, event) : one));
}

function applyToAction(one: ActionRecord, event: Exclude<ActionEvent, { type: 'action-proposed' }>): ActionRecord {
  const { at, seq } = event;
  if (event.type === 'action-claimed') return { ...one, claim: { ...event.data, at, seq } };
  if (event.type === 'action-ended') return { ...one, ended: { ...event.data, at, seq } };
  const consent = { source: event.data.source, actor: event.actor ?? null, at, seq };
  return { ...one, approvals: [...one.approvals, consent] };
}

/** The rule that the event breaks, or null. `record` is the run id or `journal`. */
export function findIllegalAction(actions: readonly ActionRecord[], record: string, event: ActionEvent): string | null {
  if (event.type === 'action-proposed') return checkProposed(actions, record, event);
  const one = actions.find(({ digest }) => digest === event.data.proposal);
  if (one === undefined) return `${event.type} of what was not proposed`;
  if (one.ended !== null) return `${event.type} after it ended`;
  if (event.type === 'action-approved') return checkApproved(one, event);
  if (event.type === 'action-claimed') return checkClaimed(one, event);
  return one.claim === null && event.data.outcome !== 'refused' ? 'an action ended that was not begun' : null;
}

function checkProposed(
  actions: readonly ActionRecord[],
  record: string,
  { data }: EventOf<'action-proposed'>,
): string | null {
  if (data.proposal.record !== record) return 'proposed an action for another record';
  if (data.proposal.steps.length === 0) return 'proposed an action without a step';
  return actions.some(({ digest }) => digest === data.digest) ? 'an action is proposed once' : null;
}

/** The executor compares thread, person and age with the comment itself. */
function checkApproved(one: ActionRecord, { data, actor }: EventOf<'action-approved'>): string | null {
  if (one.claim !== null) return 'consented after it was begun';
  if (data.source.kind === 'config')
    return actor === undefined ? null : 'the config consents without a person, and this names one';
  return actor === undefined ? 'consented names no person' : null;
}

function checkClaimed(one: ActionRecord, { data }: EventOf<'action-claimed'>): string | null {
  if (one.claim !== null) return 'an action is begun once';
  return one.approvals.some(({ seq }) => seq === data.consent) ? null : 'begun without a consent';
}

/** Unix ms until which a consent counts: `maxAgeMs` after the earlier of its comment and its record entry. 0 if a time is invalid. */
export function approvalEndsAt({ source, at }: ActionApproval, maxAgeMs: number): number {
  const recordedAt = fromRfc3339(at);
  const writtenAt = source.kind === 'comment' ? fromRfc3339(source.writtenAt) : recordedAt;
  if (recordedAt === null || writtenAt === null) return 0;
  return Math.min(recordedAt, writtenAt) + maxAgeMs;
}

/** Actions that a runner started and has not reported as ended. */
export function listClaimedActions(actions: readonly ActionRecord[]): readonly ActionRecord[] {
  return actions.filter(({ claim: begun, ended }) => begun !== null && ended === null);
}
