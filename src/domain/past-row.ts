/** One run of the past in a row: what it changed, what came of it, and what it cost. */

import type { EventDataByType } from './logbook/event.ts';
import type { Metrics } from './logbook/events/job-events.ts';

export type PastRow = {
  readonly run: string;
  readonly lane: string;
  readonly date: string;
  /** The pass that it started from; null where it started from the target branch. */
  readonly base: string | null;
  /** What was new against that; none for an identical rerun, and for a run that never had a manifest. */
  readonly changes: readonly {
    readonly knob: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED' | null;
  /** As a person or the verdict settled it; `open` = nobody has yet. */
  readonly verdict: EventDataByType['sealed']['verdict'] | EventDataByType['closed']['outcome'] | 'open';
  readonly metrics: Metrics;
  /** What one launch of it was approved to cost, in accelerator-hours; null where nothing was launched. */
  readonly acceleratorHours: string | null;
  readonly issue: number;
  readonly pull: number;
  readonly tracker: string | null;
};
