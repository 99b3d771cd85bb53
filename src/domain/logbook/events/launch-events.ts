/** A run from its proposal to the job: what each event of it carries. */

import type { Actor } from '../../actor.ts';
import type { Surface } from '../../command.ts';
import type { Digest, RunId, Sha } from '../../ids.ts';
import type { RunBase } from '../../launch/base.ts';
import type { GatedFacts } from '../../launch/change-facts.ts';
import type { Contract } from '../../launch/contract.ts';
import type { Manifest } from '../../launch/manifest.ts';
import type { Order } from '../../launch/order.ts';
import type { Verdict } from '../../launch/verdict.ts';
import type { DropReason } from '../../reasons.ts';
import type { PublicKey } from '../role.ts';

export type Objective = { readonly kind: 'integration' | 'regression' | 'production'; readonly text: string };

/** Where the interval of this run begins: the last run's launch commit, or a date when there is none. */
export type IntervalStart = {
  readonly sinceCommit: Sha | null;
  readonly sinceDate: string;
  readonly fallback: boolean;
  readonly lastRun: RunId | null;
};

/** The command that asked for a run, and the knobs that it named with the values that they got. */
export type ProposalRequest = {
  readonly surface: Surface;
  readonly comment: number;
  readonly index: number;
  readonly thread: number;
  readonly knobs: readonly { readonly path: string; readonly after: string }[];
};

/**
 * The attempt that failed, what it launched, and the files that differ from that, a bounded number of them; null where
 * that commit cannot be read any more.
 */
export type FixedAttempt = {
  readonly attempt: number;
  readonly commit: Sha;
  readonly files: readonly string[] | null;
  readonly more: number;
};

export type LaunchEventData = {
  readonly proposed: {
    readonly lane: string;
    /** Left out for the kind that a lane is of which does not say. */
    readonly kind?: string;
    readonly date: string;
    readonly runName: string;
    readonly repository: string;
    readonly issue: number;
    readonly pull: number;
    readonly baseBranch: string;
    readonly headBranch: string;
    /** The commit that this very process pushed; missing where it found the branch begun, and in older records. */
    readonly head?: Sha;
    /** Fingerprints of the texts as the bot wrote them; missing for what somebody else wrote, and in older records. */
    readonly texts?: { readonly pull?: Digest; readonly issue?: Digest };
    /** The pull request was somebody's own, and the bot wrote nothing of its change. `label`: what made it a run, null = a command. */
    readonly own?: { readonly label: string | null };
    /** The job that somebody wants taken over; missing where the run launches its own. */
    readonly adopts?: { readonly jobId: string; readonly cluster: string };
    readonly experiment: string;
    readonly objective: Objective;
    readonly interval: IntervalStart;
    readonly candidate: string | null;
    /** The pass that it starts from; missing where it starts from the target branch, and in older records. */
    readonly base?: RunBase;
    readonly author: Actor;
    readonly requestedBy: Actor | null;
    /** The `/propose` that this run came from; missing where nobody asked for it. */
    readonly request?: ProposalRequest;
    /** The run that goes on as this one under another identity, and why; missing where none does. */
    readonly continues?: { readonly run: string; readonly reason: string };
    readonly keys: readonly PublicKey[];
  };
  /** What the issue asks for that the run began from; the newest one counts. */
  readonly contracted: { readonly contract: Contract };
  readonly gated: {
    readonly digest: Digest | null;
    readonly manifest: Manifest | null;
    readonly commit: Sha;
    readonly body: Digest;
    readonly verdicts: readonly Verdict[];
    /** For `backtest`; left out where one of them could not be read, or they are too many. */
    readonly facts?: GatedFacts;
    /** Left out before a first attempt has failed: the attempt that this goes on from. */
    readonly fix?: FixedAttempt;
  };
  /** The card was read back from GitHub, as control wrote it, with this manifest on it. */
  readonly shown: {
    readonly digest: Digest;
    readonly body: Digest;
    readonly thread: number;
    readonly comment: number;
    /** SHA-256 of the card's text below its marker (docs/logbook.md, Markers). */
    readonly text: string;
    /** When GitHub last changed the card, RFC 3339. */
    readonly shownAt: string;
  };
  readonly approved: {
    readonly digest: Digest;
    readonly comment: number;
    readonly surface: 'comment' | 'review';
    readonly bodyDigest: Digest;
    readonly body: Digest;
  };
  readonly 'approval-dropped': {
    readonly reason: DropReason;
    readonly digest: Digest;
    readonly users: readonly number[];
  };
  readonly ordered: { readonly order: Order; readonly orderDigest: Digest };
  readonly claimed: {
    readonly orderDigest: Digest;
    readonly attempt: number;
    readonly workflowRun: number;
    readonly engineSession: string;
  };
  readonly submitted: {
    readonly orderDigest: Digest;
    readonly attempt: number;
    readonly engine: string;
    readonly jobId: string;
    readonly cluster: string;
    readonly command: readonly string[];
    readonly commit: Sha;
    readonly adopted: boolean;
    readonly urls: { readonly [name: string]: string };
    readonly details: { readonly [name: string]: string | number };
  };
};
