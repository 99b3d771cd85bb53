/** What came of a sequence: the promises that it broke, how many launches or deletions there were, and what happened in it. */
export type Outcome = {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly starts: number;
  readonly moves: readonly string[];
};
