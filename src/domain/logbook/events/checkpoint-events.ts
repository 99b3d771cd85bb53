/** Checkpoints of a run: what each event about them carries. */

import type { Surface } from '../../command.ts';
import type { Sha } from '../../ids.ts';
import type { Metrics } from './job-events.ts';

export type CheckpointEventData = {
  /** A person takes this step, and what was made from it, out of the lineage of the run. */
  readonly 'checkpoint-rejected': {
    readonly step: number;
    readonly reason: string;
    readonly comment: number;
    readonly surface: Surface;
  };
  /** A person has sealed a moment of the run: its checkpoint is deleted no more. */
  readonly milestone: {
    readonly name: string;
    readonly tag: string;
    /** What the tag is on: the commit that was launched. */
    readonly commit: Sha;
    readonly checkpoint: SealedCheckpoint;
    /** As the job's log told them last. */
    readonly metrics: Metrics;
    readonly comment: number;
    readonly surface: Surface;
  };
};

/** The checkpoint that a seal names. `identity`: what the store calls the content of its `metadata.json`; `unseen`: what nobody could look at. */
export type SealedCheckpoint = {
  readonly path: string;
  readonly step: number;
  readonly identity: string;
  readonly unseen: readonly string[];
};
