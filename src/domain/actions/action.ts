/**
 * The closed list of changes ferrybot can make to a cluster and its stores. Each is proposed in full before
 * anyone can consent (policy ML-02, HR-63).
 */

import type { Actor } from '../actor.ts';
import type { Surface } from '../command.ts';
import type { Digest, Sha } from '../ids.ts';

/** Restarting a cluster or its head node is deliberately missing: no code does it, so no consent can allow it. */
export const CHANGE_STEPS = [
  'delete-tpu-vm',
  'init-worker',
  'clean-disk',
  'start-cleanup-cron',
  'delete-checkpoint',
] as const;
export type ChangeStepKind = (typeof CHANGE_STEPS)[number];

/** A TPU VM as observed. A replacement reuses the name or address but has a later creation time. */
export type VmIdentity = {
  readonly name: string;
  readonly zone: string;
  /** RFC 3339 as printed by the cloud; a different value means a different machine. */
  readonly createdAt: string;
  /** The worker's address as it appears in the log. */
  readonly address: string;
};

export type ClusterChange =
  | { readonly kind: 'delete-tpu-vm'; readonly vm: VmIdentity }
  | { readonly kind: 'clean-disk'; readonly vm: VmIdentity; readonly mountPoint: string }
  | { readonly kind: 'start-cleanup-cron'; readonly head: string }
  | CheckpointDeletion;

/** Checkpoints of one run; each is a separate step. */
export type CheckpointDeletion = {
  readonly kind: 'delete-checkpoint';
  readonly run: string;
  /** The searched roots; deletions happen only below them. */
  readonly roots: readonly string[];
  /** Number of newest steps to keep. */
  readonly keep: number;
  /** The person who requested the list, who therefore may not consent to it. */
  readonly askedBy: Actor;
};

export type ChangeStep = {
  readonly does: ChangeStepKind;
  readonly command: readonly string[];
  readonly instead?: readonly string[];
};

/** What a person consents to, identified by the digest of its canonical JSON (RFC 8785). */
export type ActionProposal = {
  readonly v: 1;
  /** The run that records it, or `journal`; the same change in another record has another digest. */
  readonly record: string;
  readonly repository: string;
  readonly cluster: string;
  readonly change: ClusterChange;
  /** Executed in this order, each at most once. */
  readonly steps: readonly ChangeStep[];
  /** Digest of the evidence shown with the proposal. */
  readonly evidence: Digest;
  /** The thread that shows it, and the only thread where consent counts. */
  readonly thread: number;
  /** Counts proposals of this target in this record from 1, so a repeated proposal has a new digest. */
  readonly round: number;
};

/** Observed values by name; `lines` are redacted output of the job or the worker. */
export type ActionEvidence = {
  readonly facts: { readonly [name: string]: string | number };
  readonly lines: readonly string[];
};

/** A comment in the proposal's thread, or a config entry on the default branch at that commit. */
export type ApprovalSource =
  | {
      readonly kind: 'comment';
      readonly comment: number;
      readonly surface: Extract<Surface, 'comment' | 'review'>;
      readonly thread: number;
      readonly bodyDigest: Digest;
      /** RFC 3339; the hour counts from here. */
      readonly writtenAt: string;
    }
  | { readonly kind: 'config'; readonly commit: Sha };

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
