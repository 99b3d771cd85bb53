/** How a run ended for people, and what went wrong on the way: what each event of it carries. */

import type { Digest, Sha } from '../../ids.ts';
import type { Detail } from '../../payload.ts';
import type { SealedCheckpoint } from './checkpoint-events.ts';
import type { Metrics } from './job-events.ts';

/** What a seal vouches for, from what was asked for to how it ended: each part by its digest, or by the entry that holds it. */
export type Attestation = {
  /** The text that was approved with the manifest: where a run began from an issue, its contract. */
  readonly body: Digest;
  readonly manifest: Digest;
  /** With the approvals that it cites, and the checkpoint that it goes on from. */
  readonly order: Digest;
  /** Numbers of entries. */
  readonly submitted: number;
  readonly ended: number;
};

export type ClosureEventData = {
  readonly sealed: {
    readonly tag: string;
    readonly commit: Sha;
    readonly verdict: 'pass' | 'accepted';
    readonly accept: string | null;
    /** Null where the kind of run opens none. */
    readonly closurePull: number | null;
    readonly metrics: Metrics;
    /** Left out by versions that did not say it. */
    readonly attests?: Attestation;
    /** Left out where none was looked for, or nobody could see one. */
    readonly checkpoint?: SealedCheckpoint;
  };
  readonly closed: {
    readonly outcome: 'failed' | 'stopped' | 'rejected' | 'withdrawn' | 'lost' | 'unsealed';
    readonly reason: string;
    readonly closurePull: number | null;
  };
  readonly incident: {
    /** Of the version that wrote it (`readIncident`). */
    readonly code: string;
    readonly detail: Detail;
  };
};
