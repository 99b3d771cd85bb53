/** Who owns the watch of a run and until when it goes on: what each event of it carries. */

import type { Actor } from '../../actor.ts';
import type { Surface } from '../../command.ts';
import type { JobStatus } from '../../engine.ts';
import type { Sha } from '../../ids.ts';

export const HANDOFF_STATES = ['offered', 'accepted', 'expired'] as const;
/** `person`: somebody ended it. `step`, `time`: a stopping point that somebody named was reached. */
export const WATCH_END_CAUSES = ['person', 'step', 'time'] as const;
export type WatchEndCause = (typeof WATCH_END_CAUSES)[number];

/** What somebody took: what has gone wrong so far, the end of a watch, or the end of the job. */
export const TAKEN = ['incidents', 'watch-end', 'end'] as const;
export type Taken = (typeof TAKEN)[number];

/**
 * `absent`: the cluster has no such job. `cannot`: it cannot be followed there, or the config does not let it be. `taken`: it
 * is a job of the run in `why`. `unknown`: no usable answer, and it is asked on.
 */
export const DESCRIPTIONS = ['described', 'absent', 'cannot', 'taken', 'unknown'] as const;

export type WatchEventData = {
  /** What a cluster says of a job that somebody wants taken over; claims of whoever launched it, without secrets. */
  readonly described: {
    readonly found: (typeof DESCRIPTIONS)[number];
    readonly why: string;
    readonly engine: string;
    readonly status: JobStatus | null;
    /** Since when it runs, RFC 3339. */
    readonly since: string | null;
    readonly submitter: string | null;
    readonly entrypoint: string | null;
    /** The job's GIT_COMMIT, and whether a branch of the repository has it. */
    readonly commit: Sha | null;
    readonly commitIsHere: boolean;
    /** The engine's session when it said so. */
    readonly session: string | null;
    readonly urls: { readonly [name: string]: string };
  };
  /** A person has taken the job over, as the entry `described` tells of it. */
  readonly adopted: { readonly described: number };
  /** `until`: RFC 3339; from then on nobody can accept the offer. */
  readonly handoff: {
    readonly state: (typeof HANDOFF_STATES)[number];
    readonly to: Actor;
    readonly until: string;
  };
  /** Where the watch ends, whichever comes first; it replaces what was named before. `time`: RFC 3339. */
  readonly 'watch-bounded': { readonly step: number | null; readonly time: string | null };
  /** The job goes on. `reason`: in the words of the person who ended it. */
  readonly 'watch-ended': {
    readonly attempt: number;
    readonly cause: WatchEndCause;
    readonly reason: string | null;
  };
  /** A person wants the same attempt watched again, to its end. */
  readonly 'watch-resumed': { readonly attempt: number };
  /** A person took it in a comment of another thread; what is taken in the run's own thread its answer says. */
  readonly taken: { readonly what: Taken; readonly comment: number; readonly surface: Surface };
};
