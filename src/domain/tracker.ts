/**
 * What a tracker of experiments says of one run. It is a witness among others and never the verdict: trackers call runs
 * crashed that go on, and running that have been dead for weeks.
 */

import type { Instant } from './ids.ts';

/** A run as the tracker describes it. All of it but the moments is text of the job. */
export type TrackedRun = {
  /** What was asked for by name, as the tracker has it: W&B's id of the run, MLflow's name of it. */
  readonly identity: string;
  /** The name that people read; the identity again where there is no other. */
  readonly name: string;
  /** Where a person follows it. */
  readonly url: string;
  /** The tracker's own word, such as `running` or `crashed`. */
  readonly state: string;
  /** When the trainer was last heard of; null where the tracker does not listen for that. */
  readonly heartbeatAt: Instant | null;
  /** When the newest row of metrics was made, by the trainer's clock. */
  readonly rowAt: Instant | null;
  readonly step: number | null;
  /** Of the accelerators' memory, on the one that is fullest; left out where the tracker does not say. */
  readonly memoryPercent?: number;
  /** The newest value of each metric: decimal texts, or `NaN`, `Infinity`, `-Infinity`. */
  readonly metrics: { readonly [key: string]: string };
};

/** `absent`: it has no such run, or hides it from this key. `limited`: asked too often. `unknown`: no answer that can be used. */
export const TRACKER_SILENCES = ['absent', 'denied', 'limited', 'unknown'] as const;
export type TrackerSilence = {
  readonly kind: (typeof TRACKER_SILENCES)[number];
  readonly message: string;
};
export type TrackerAnswer = { readonly kind: 'found'; readonly run: TrackedRun } | TrackerSilence;

/** `none`: this tracker keeps no log. */
export type TrackedLog =
  | {
      readonly kind: 'lines';
      readonly lines: readonly { readonly at: Instant | null; readonly text: string }[];
    }
  | { readonly kind: 'none' }
  | TrackerSilence;

/** Asks one project of one tracker. Nothing here changes anything there. */
export type Tracker = {
  readonly describe: (identity: string) => Promise<TrackerAnswer>;
  /** The last lines that the run printed, oldest first. */
  readonly logTail: (identity: string, linesMax: number) => Promise<TrackedLog>;
};

/** Executors add a hash of the content to the name: `daily-5bbb39` is `daily`. */
const HASH = /^-[\da-f]{6}$/;
/** Ids that a tracker makes up where nobody chose one (W&B's eight characters, MLflow's 32, UUIDs): no name to compare. */
const MADE_UP = /^(?:[a-z\d]{8}|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Whether a run of the tracker is the one that was meant; of an id that the tracker made up nobody can say. */
export function compareIdentity(intended: string, seen: string): 'same' | 'other' | 'made-up' {
  if (seen === intended) return 'same';
  if (seen.startsWith(intended) && HASH.test(seen.slice(intended.length))) return 'same';
  return MADE_UP.test(seen) ? 'made-up' : 'other';
}

/** Which run to ask for: the newest that the log says is written to, unless that is another run than the one meant. */
export function identityToAsk(intended: string, logged: readonly string[]): string {
  // rule HR-27
  return logged.findLast((id) => compareIdentity(intended, id) !== 'other') ?? intended;
}
