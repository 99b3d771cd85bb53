/** The outcome of a sequence: broken promises, the number of launches or deletions, and its moves. */
export type Outcome = {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly starts: number;
  readonly moves: readonly string[];
};
