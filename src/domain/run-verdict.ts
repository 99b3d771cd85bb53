/** How an ended run is judged, and the rows that say why. */

export type MetricRow = {
  readonly key: string;
  readonly value: string | null;
  readonly median: string | null;
  /** Positive = worse than the median, in percent. */
  readonly worsePercent: number | null;
  readonly tolerancePercent: string;
  readonly outcome: 'pass' | 'fail' | 'unknown' | 'no-baseline';
};

export type RunVerdict = {
  readonly result: 'pass' | 'fail' | 'unknown';
  readonly statusOk: boolean;
  readonly expectedStep: number | null;
  readonly lastStep: number | null;
  readonly stepOutcome: 'pass' | 'fail' | 'unknown';
  readonly rows: readonly MetricRow[];
  readonly comparedWith: readonly string[];
};
