/** How a run ended for people, and what went wrong on the way: what each event of it carries. */

import type { Sha } from '../../ids.ts';
import type { IncidentCode } from '../../reasons.ts';
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
};
