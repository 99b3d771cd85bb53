/** The events of the logbook, the only authoritative record (docs/logbook.md). Numbers in `data` are integers, decimals strings. */

import type { Actor } from './actor.ts';
import type { AnswerCode, Surface } from './command.ts';
import type { DiskScan } from './disk-scan.ts';
import type { JobStatus } from './engine.ts';
import type { HoldKind, HoldScope } from './hold.ts';
import type { Digest, RunId, Sha } from './ids.ts';
import type { Manifest } from './manifest.ts';
import type { ConsentSource, MutationEvidence, MutationOutcome, MutationProposal } from './mutation.ts';
import type { Order } from './order.ts';
import type { DropReason, IncidentCode } from './reasons.ts';
import type { Verdict } from './verdict.ts';

/** Who signs: control decides, the runner submits, the watch observes. */
export const ROLES = ['control', 'runner', 'watch'] as const;
export type Role = (typeof ROLES)[number];

/** A public key as the config lists it: raw Ed25519 in base64, valid from/until (RFC 3339). */
export type PublicKey = {
  readonly id: string;
  readonly role: Role;
  readonly public: string;
  readonly from: string;
  readonly until: string;
};

export type Objective = { readonly kind: 'integration' | 'regression'; readonly text: string };

/** Where the interval of this ferry begins: the last ferry's launch commit, or a date when there is none. */
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

/** A run in the experiment tracker, as its link in the log names it. */
export type TrackerRun = { readonly id: string; readonly url: string };

/** Metric or eval name → decimal text as the source printed it. */
export type Metrics = { readonly [key: string]: string };

/** The watch's claim to be the only one; a later fence refuses an earlier one's late writes. */
export type Lease = { readonly holder: string; readonly fence: number; readonly until: string };

export type EventDataByType = {
  readonly proposed: {
    readonly lane: string;
    readonly date: string;
    readonly runName: string;
    readonly repository: string;
    readonly issue: number;
    readonly pull: number;
    readonly baseBranch: string;
    readonly headBranch: string;
    readonly experiment: string;
    readonly objective: Objective;
    readonly interval: IntervalStart;
    readonly candidate: string | null;
    readonly author: Actor;
    readonly requestedBy: Actor | null;
    /** The `/propose` that this run came from; missing where nobody asked for it. */
    readonly request?: ProposalRequest;
    readonly keys: readonly PublicKey[];
  };
  readonly gated: {
    readonly digest: Digest | null;
    readonly manifest: Manifest | null;
    readonly commit: Sha;
    readonly body: Digest;
    readonly verdicts: readonly Verdict[];
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
  readonly observed: {
    readonly attempt: number;
    readonly status: JobStatus | 'UNKNOWN';
    readonly message: string;
    readonly step: number | null;
    readonly stepIsExact: boolean;
    readonly totalSteps: number | null;
    readonly loss: string | null;
    readonly firstStepCompleted: boolean;
    readonly trackers: readonly TrackerRun[];
    readonly evals: Metrics;
    readonly checkpointStep: number | null;
    readonly signatures: readonly string[];
    readonly logOffset: number;
    readonly cadenceMs: number;
    readonly lease: Lease;
  };
  readonly 'stop-requested': { readonly comment: number; readonly surface: Surface };
  readonly ended: {
    readonly attempt: number;
    readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED';
    readonly message: string;
    readonly errorType: string | null;
    readonly exitCode: number | null;
    /** What else the engine said of the job, such as the node of Ray's driver. */
    readonly engineDetails?: Readonly<Record<string, string>>;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly lastStep: number | null;
    readonly totalSteps: number | null;
    readonly metrics: Metrics;
    readonly trackers: readonly TrackerRun[];
    readonly signatures: readonly string[];
    readonly checkpointStep: number | null;
    readonly fence: number;
  };
  readonly sealed: {
    readonly tag: string;
    readonly commit: Sha;
    readonly verdict: 'pass' | 'accepted';
    readonly accept: string | null;
    readonly closurePull: number;
    readonly metrics: Metrics;
  };
  readonly closed: {
    readonly outcome: 'failed' | 'stopped' | 'rejected' | 'withdrawn' | 'lost';
    readonly reason: string;
    readonly closurePull: number | null;
  };
  readonly incident: {
    readonly code: IncidentCode;
    readonly detail: { readonly [name: string]: string | number };
  };
  /** `date`: the day that a skip leaves out; null for a hold and a freeze, which last until they are released. */
  readonly held: {
    readonly kind: HoldKind;
    readonly scope: HoldScope;
    readonly reason: string;
    readonly date: string | null;
  };
  readonly released: {
    readonly kind: HoldKind;
    readonly scope: HoldScope;
    readonly date: string | null;
  };
  readonly 'command-seen': {
    readonly comment: number;
    readonly surface: Surface;
    readonly index: number;
    readonly name: string;
    readonly args: { readonly [name: string]: string };
    readonly thread: number;
    readonly bodyDigest: Digest;
  };
  readonly 'command-answered': {
    readonly comment: number;
    readonly surface: Surface;
    readonly index: number;
    readonly thread: number;
    readonly code: AnswerCode;
    readonly detail: { readonly [name: string]: string | number };
  };
  /** A change of the cluster, shown to people before anybody may consent (docs/decisions/0014-consent-as-a-type.md). */
  readonly 'mutation-proposed': {
    readonly proposal: MutationProposal;
    readonly digest: Digest;
    readonly evidence: MutationEvidence;
  };
  /** `proposal` is the digest of what was consented to. */
  readonly consented: { readonly proposal: Digest; readonly source: ConsentSource };
  /** The runner's claim: pushed before it calls anything, and never twice. `consent` is the entry that it rests on. */
  readonly 'mutation-begun': {
    readonly proposal: Digest;
    readonly consent: number;
    readonly workflowRun: number;
  };
  readonly 'mutation-ended': {
    readonly proposal: Digest;
    readonly outcome: MutationOutcome;
    readonly code: string;
    readonly detail: { readonly [name: string]: string | number };
  };
  /** What a scan of a cluster's worker disks found (policy/agent-guidelines.md, Prevention & Maintenance). */
  readonly 'disk-scanned': DiskScan;
};

export const EVENT_TYPES = [
  'proposed',
  'gated',
  'approved',
  'approval-dropped',
  'ordered',
  'claimed',
  'submitted',
  'observed',
  'stop-requested',
  'ended',
  'sealed',
  'closed',
  'incident',
  'held',
  'released',
  'command-seen',
  'command-answered',
  'mutation-proposed',
  'consented',
  'mutation-begun',
  'mutation-ended',
  'disk-scanned',
] as const satisfies readonly (keyof EventDataByType)[];
export type EventType = (typeof EVENT_TYPES)[number];

/** Which role may write an event of each type: the chain shows that nothing changed, the signature shows who wrote it. */
export const WRITERS = {
  proposed: ['control'],
  gated: ['control'],
  approved: ['control'],
  'approval-dropped': ['control'],
  ordered: ['control'],
  claimed: ['runner'],
  submitted: ['runner'],
  observed: ['watch'],
  'stop-requested': ['control'],
  ended: ['watch'],
  sealed: ['control'],
  closed: ['control'],
  incident: ['control', 'runner', 'watch'],
  held: ['control'],
  released: ['control'],
  'command-seen': ['control'],
  'command-answered': ['control'],
  'mutation-proposed': ['control', 'watch'],
  consented: ['control'],
  'mutation-begun': ['runner'],
  'mutation-ended': ['runner'],
  'disk-scanned': ['watch'],
} as const satisfies { readonly [Type in EventType]: readonly Role[] };

/** What the writer decides; sequence, time, chain and signature are added when it is appended. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
  };
}[EventType];

/** One line of `events.jsonl`. `prev` and `hash` are 64 hex digits, `sig` is base64, `at` RFC 3339 UTC. */
export type LogbookEvent = {
  readonly [Type in EventType]: {
    readonly v: 1;
    readonly run: string;
    readonly seq: number;
    readonly at: string;
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
    readonly prev: string;
    readonly keyId: string;
    readonly hash: string;
    readonly sig: string;
  };
}[EventType];

/** The events of one type. */
export type EventOf<Type extends EventType> = Extract<LogbookEvent, { readonly type: Type }>;
