/** What a detector is: one way in which a run goes wrong, told from what the watch has in hand, or not told at all. */

import type { JobStatus } from '../domain/engine.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';
import type { TrackedRun } from '../domain/tracker.ts';
import type { Instant } from '../domain/values.ts';
import type { Followed, Series } from './series.ts';

/** Who has to have said something before a detector can tell. */
export type Witness =
  | 'engine'
  | 'log'
  | 'progress'
  | 'loss'
  | 'speed'
  | 'measures'
  | 'checkpoints'
  | 'store'
  | 'tracker'
  | 'manifest'
  | 'attempts'
  | 'lane'
  | 'monitor';

/** The facts of an alarm, as its sentence needs them: what was seen, beyond what bound, since which step or for how long. */
export type AlarmFacts = {
  readonly seen: string;
  readonly bound?: string;
  readonly step?: string;
  readonly minutes?: number;
};

/** `since` names the occasion: it is told once. `cannot-tell`: what would have to be known is not, which is no *all is well*. */
export type Finding =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'cannot-tell'; readonly missing: Witness }
  | { readonly kind: 'alarm'; readonly since: string; readonly facts: AlarmFacts };

/** What a detector finds in the evidence of one look. */
export type Judge = (evidence: Evidence) => Finding;

export const MINUTE_MS = 60_000;

export const QUIET: Finding = { kind: 'quiet' };

/** Nobody can tell without this witness. */
export function cannotTell(missing: Witness): Finding {
  return { kind: 'cannot-tell', missing };
}

/** An alarm that is told once for `since`. */
export function alarm(since: string | number, facts: AlarmFacts): Finding {
  return { kind: 'alarm', since: String(since), facts };
}

/** A number as a person reads it, in as many digits as matter. */
export function told(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** A loss at the same step of the run before it was resumed and after; `digits` behind the point of the coarser one. */
export type Replayed = {
  readonly step: number;
  readonly before: number;
  readonly after: number;
  readonly resolution: number;
};

/** An attempt before this one. */
export type PastEnd = {
  readonly status: JobStatus;
  readonly lastStep: number | null;
  readonly endedAt: Instant | null;
};

export type Evidence = {
  readonly at: Instant;
  readonly status: JobStatus | 'UNKNOWN';
  /** False where the log could not be read on: then its silence says nothing. */
  readonly isLogRead: boolean;
  readonly pendingSince: Instant | null;
  readonly runningSince: Instant | null;
  /** The count of steps as shown: from 1,000 on a bar has three digits. */
  readonly step: { readonly value: number; readonly exact: boolean } | null;
  /** A step or a loss was seen. */
  readonly hasTrained: boolean;
  /** When a look saw something move last, and how far apart such looks were at the most. */
  readonly moved: { readonly at: Instant; readonly longestGapMs: number; readonly looks: number } | null;
  readonly secondsPerStep: number | null;
  /** An eval or the writing of a checkpoint is under way: steps wait for it. */
  readonly isBusy: boolean;
  readonly series: { readonly [Name in Followed]?: Series };
  readonly isLossLost: boolean;
  /** Steps or tokens a second, one value a look. */
  readonly speed: Series;
  /** Its value at this look. */
  readonly speedNow: number | null;
  /** The highest trend of it in an attempt before that trained the same; null where none had one. */
  readonly speedBefore: number | null;
  /** The first look of those in a row that were slower than the law allows. */
  readonly slowSince: Instant | null;
  /** Looks in a row in which the accelerators idled, and the middle of the newest in per cent; null where nobody says. */
  readonly use: {
    readonly lowLooks: number;
    readonly lowSince: Instant | null;
    readonly percent: number;
  } | null;
  readonly replayed: readonly Replayed[] | null;
  readonly saved: {
    readonly step: number;
    readonly at: Instant;
    readonly longestGapMs: number | null;
  } | null;
  readonly savingSince: Instant | null;
  /** Whether the stores could tell when they were asked last; null: nobody asks them. */
  readonly isStoreRead: boolean | null;
  /** What the log called saved and the stores did not have whole, at so many of their answers in a row; null: nothing. */
  readonly unstored: {
    readonly step: number;
    readonly newest: number | null;
    readonly since: Instant;
    readonly answers: number;
  } | null;
  readonly saveEveryMs: number | null;
  readonly steppingSince: Instant | null;
  /** Small facts of the engine. */
  readonly engine: { readonly [name: string]: string };
  /**
   * The run that was meant, those that the log says are written to, and what the tracker said at this look: null where nobody
   * asked, or it gave no answer.
   */
  readonly tracker: {
    readonly intended: string;
    readonly logged: readonly string[];
    readonly said: Pick<TrackedRun, 'identity' | 'name' | 'step' | 'rowAt' | 'heartbeatAt'> | null;
  } | null;
  readonly config: readonly {
    readonly name: string;
    readonly launched: string;
    readonly observed: string;
  }[];
  readonly past: readonly PastEnd[];
  /** The course of the loss of the lane's last runs, newest first; null where nobody knows them. */
  readonly lane: readonly (readonly TracePoint[])[] | null;
  /** What the run is for, at its first eval, at the look before and now; null where nobody knows all of it. */
  readonly objective: {
    readonly key: string;
    readonly better: 'lower' | 'higher';
    readonly first: number;
    readonly before: number;
    readonly now: number;
  } | null;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null;
  /** Of a job that succeeded: what it left; null where nobody can say. */
  readonly left: { readonly checkpoint: boolean | null; readonly metrics: boolean | null };
};
