/**
 * The closed list of changes ferrybot can make to a cluster and its stores. Each is proposed in full before
 * anyone can consent (policy ML-02, HR-63).
 */

import * as z from 'zod';
import { actorSchema, digest, integer, type Parsed, scalars, sha, text } from '../logbook/parts.ts';

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
  askedBy: actorSchema,
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
  does: z.enum(CHANGE_STEPS),
  command: z.array(text),
  instead: z.array(text).exactOptional(),
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
export function targetName(change: ClusterChange): string {
  if (change.kind === 'delete-checkpoint') return change.run;
  return change.kind === 'start-cleanup-cron' ? change.head : change.vm.name;
}

export type ActionStep = {
  readonly does: ChangeStepKind | 'submit-job' | 'stop-job' | 'destroy-machine';
  readonly command: readonly string[];
  /** Fallback, used only if the program of `command` could not be started. */
  readonly instead?: readonly string[];
};

/** Equal in all arguments, including the fallback. */
export function isSameStep(a: ActionStep, b: ActionStep): boolean {
  const callsOf = ({ command, instead }: ActionStep): string => JSON.stringify([command, instead ?? null]);
  return a.does === b.does && callsOf(a) === callsOf(b);
}

/** Equal steps in equal order. */
export function areSameSteps(a: readonly ActionStep[], b: readonly ActionStep[]): boolean {
  const isSame = (one: ActionStep, other: ActionStep | undefined): boolean =>
    other !== undefined && isSameStep(one, other);
  return a.length === b.length && a.every((step, index) => isSame(step, b[index]));
}
