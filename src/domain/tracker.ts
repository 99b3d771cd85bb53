/** An experiment tracker's report about a run. It is only one witness: trackers report live runs as crashed and dead runs as running. */

import type { Instant } from './values.ts';

/** All text comes from the job. */
export type TrackedRun = {
  /** The requested name: W&B's run id, MLflow's run name. */
  readonly identity: string;
  /** Display name; the identity if there is none. */
  readonly name: string;
  readonly url: string;
  /** The tracker's own word, for example `running` or `crashed`. */
  readonly state: string;
  /** The trainer's last heartbeat; null if the tracker has none. */
  readonly heartbeatAt: Instant | null;
  /** Time of the newest metrics row, by the trainer's clock. */
  readonly rowAt: Instant | null;
  readonly step: number | null;
  /** Memory use of the fullest accelerator, if reported. */
  readonly memoryPercent?: number;
  /** Newest value per metric: decimal text, `NaN`, `Infinity` or `-Infinity`. */
  readonly metrics: { readonly [key: string]: string };
};

/** `absent`: no such run, or not visible for this key. `limited`: rate limit. `unknown`: no usable answer. */
export const TRACKER_SILENCES = ['absent', 'denied', 'limited', 'unknown'] as const;
export type TrackerSilence = { readonly kind: (typeof TRACKER_SILENCES)[number]; readonly message: string };
export type TrackerAnswer = { readonly kind: 'found'; readonly run: TrackedRun } | TrackerSilence;

/** `none`: this tracker keeps no log. */
export type TrackedLog =
  | { readonly kind: 'lines'; readonly lines: readonly { readonly at: Instant | null; readonly text: string }[] }
  | { readonly kind: 'none' }
  | TrackerSilence;

/** Read-only access to one tracker project. */
export type Tracker = {
  readonly describe: (identity: string) => Promise<TrackerAnswer>;
  /** The last printed lines, oldest first. */
  readonly logTail: (identity: string, linesMax: number) => Promise<TrackedLog>;
};

/** Executors append a content hash: `daily-5bbb39` is `daily`. */
const HASH = /^-[\da-f]{6}$/;
/** Generated ids (W&B's eight characters, MLflow's 32, UUIDs) cannot be compared with a name. */
const MADE_UP = /^(?:[a-z\d]{8}|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Whether the tracker run is the intended one; generated ids are undecidable. */
export function compareIdentity(intended: string, seen: string): 'same' | 'other' | 'made-up' {
  if (seen === intended) return 'same';
  if (seen.startsWith(intended) && HASH.test(seen.slice(intended.length))) return 'same';
  return MADE_UP.test(seen) ? 'made-up' : 'other';
}

/** The newest identity in the log, unless it belongs to another run. */
export function identityToAsk(intended: string, logged: readonly string[]): string {
  // rule HR-27
  return logged.findLast((id) => compareIdentity(intended, id) !== 'other') ?? intended;
}
