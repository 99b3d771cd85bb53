/** How a run ended for people, and what went wrong on the way: what each event of it carries. */

import type { Sha } from '../../ids.ts';
import type { Detail } from '../../payload.ts';
import type { SealedCheckpoint } from './checkpoint-events.ts';
import type { Metrics } from './job-events.ts';

export type ClosureEventData = {
  readonly sealed: {
    readonly tag: string;
    readonly commit: Sha;
    readonly verdict: 'pass' | 'accepted';
    readonly accept: string | null;
    /** Null where the kind of run opens none. */
    readonly closurePull: number | null;
    readonly metrics: Metrics;
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
