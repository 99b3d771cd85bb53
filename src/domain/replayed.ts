/** Replay result: each recorded decision and its outcome under another config. */

/** `launch` follows from the others. `unknown` in `to`: the record lacks a needed fact. */
type DecisionKind = 'gate' | 'quorum' | 'launch' | 'verdict';

export type ReplayedDecision = {
  readonly decision: DecisionKind;
  /** The gate or the run. */
  readonly subject: string;
  /** The recording event. */
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** Reason code of the gate or of the replay. */
  readonly why: string;
};

export type ReplayedRun = {
  readonly run: string;
  readonly date: string;
  readonly decisions: readonly ReplayedDecision[];
};

/** `changed` and `unknown` count decisions. */
export type Backtest = {
  readonly runs: readonly ReplayedRun[];
  readonly decisions: number;
  readonly changed: number;
  readonly unknown: number;
};

/** An unknown outcome counts as neither changed nor equal. */
export function isChanged({ from, to }: ReplayedDecision): boolean {
  return to !== 'unknown' && from !== to;
}

/** Whether the record lacks a needed fact. */
export function isUnclear({ from, to }: ReplayedDecision): boolean {
  return to === 'unknown' && from !== to;
}

/** Decisions that would change or cannot be determined. */
export function differences({ decisions }: ReplayedRun): readonly ReplayedDecision[] {
  return decisions.filter((decision) => isChanged(decision) || isUnclear(decision));
}
