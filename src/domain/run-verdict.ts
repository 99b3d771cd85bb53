/** Evaluation of an ended run. */

export type MetricRow = {
  readonly key: string;
  readonly value: string | null;
  readonly median: string | null;
  /** Percent; positive = worse than the median. */
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
