/**
 * What ferrybot may change on a cluster and in its stores, and nothing else: a closed list, each entry with its target,
 * proposed whole before anybody consents (policy ML-02 and HR-63).
 */

import type { Actor } from '../actor.ts';
import type { Surface } from '../command.ts';
import type { Digest, Sha } from '../ids.ts';

/** Restarting a cluster or its head node is not among them: no function does it, so nobody can consent to it. */
export const MUTATIONS = [
  'delete-tpu-vm',
  'init-worker',
  'clean-disk',
  'start-cleanup-cron',
  'delete-checkpoint',
] as const;
export type MutationKind = (typeof MUTATIONS)[number];

/** A TPU VM as it was seen: its replacement has the name or the address again, but was made later. */
export type VmIdentity = {
  readonly name: string;
  readonly zone: string;
  /** As the cloud prints it (RFC 3339); another one means another machine. */
  readonly createdAt: string;
  /** The worker's address as the log names it. */
  readonly address: string;
};

/** What is changed, by kind. */
export type Mutation =
  | { readonly kind: 'delete-tpu-vm'; readonly vm: VmIdentity }
  | { readonly kind: 'init-worker'; readonly vm: VmIdentity }
  | { readonly kind: 'clean-disk'; readonly vm: VmIdentity; readonly mountPoint: string }
  | { readonly kind: 'start-cleanup-cron'; readonly head: string }
  | CheckpointDeletion;

/** Checkpoints of one run, each a step of its own. */
export type CheckpointDeletion = {
  readonly kind: 'delete-checkpoint';
  readonly run: string;
  /** Where it was looked, and below which alone anything is deleted. */
  readonly roots: readonly string[];
  /** How many of the newest steps stay. */
  readonly keep: number;
  /** Who asked for the list, and so does not consent to it. */
  readonly askedBy: Actor;
};

/** One call on the cluster, as exactly as it will be made. */
export type MutationStep = {
  readonly does: MutationKind;
  readonly command: readonly string[];
  /** The same call in other words, made only where the program of `command` could not be started at all. */
  readonly instead?: readonly string[];
};

/** What a person consents to. Its digest is that of its canonical JSON (RFC 8785). */
export type MutationProposal = {
  readonly v: 1;
  /** The run whose record it stands in, or `journal`: bytes from another record are another proposal. */
  readonly record: string;
  readonly repository: string;
  readonly cluster: string;
  readonly mutation: Mutation;
  /** In this order, each at most once. */
  readonly steps: readonly MutationStep[];
  /** Digest of the evidence that was shown with it. */
  readonly evidence: Digest;
  /** Where it was shown, and where alone it can be consented to. */
  readonly thread: number;
  /** 1 for the first proposal of this target in this record: the same again is another proposal. */
  readonly round: number;
};

/** What was seen, by name; `lines` are of the job's or the worker's own output, redacted. */
export type MutationEvidence = {
  readonly facts: { readonly [name: string]: string | number };
  readonly lines: readonly string[];
};

/** Who said yes: a person's comment in that thread, or an entry of the config on the default branch at that commit. */
export type ConsentSource =
  | {
      readonly kind: 'comment';
      readonly comment: number;
      readonly surface: Extract<Surface, 'comment' | 'review'>;
      readonly thread: number;
      readonly bodyDigest: Digest;
      /** When the person wrote it (RFC 3339): the hour counts from there. */
      readonly writtenAt: string;
    }
  | { readonly kind: 'config'; readonly commit: Sha };

/**
 * `done`: verified by looking. `refused`: nothing was called. `failed`: called, and seen not to have worked.
 * `unclear`: called, and nobody can say.
 */
export const MUTATION_OUTCOMES = ['done', 'refused', 'failed', 'unclear'] as const;
export type MutationOutcome = (typeof MUTATION_OUTCOMES)[number];

/** What the person, or the people who look after the cluster, call the thing that is changed. */
export function targetName(mutation: Mutation): string {
  if (mutation.kind === 'delete-checkpoint') return mutation.run;
  return mutation.kind === 'start-cleanup-cron' ? mutation.head : mutation.vm.name;
}
