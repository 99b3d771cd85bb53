/** What a replay says: each recorded decision, what it was, and what it would be under another config. */

/** `launch` follows from the others; `unknown` as `to` means that the record lacks the fact that the answer needs. */
export type DecisionKind = 'gate' | 'approval' | 'quorum' | 'launch' | 'verdict';

export type ReplayedDecision = {
  readonly decision: DecisionKind;
  /** The gate, the login of the approver, or the run. */
  readonly subject: string;
  /** The event that recorded it. */
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** Why it would be so: a reason code of the gate, or of the replay. */
  readonly why: string;
};

export type ReplayedRun = {
  readonly run: string;
  readonly date: string;
  readonly decisions: readonly ReplayedDecision[];
};

/** `changed` and `unknown` count decisions among `decisions`. */
export type Backtest = {
  readonly runs: readonly ReplayedRun[];
  readonly decisions: number;
  readonly changed: number;
  readonly unknown: number;
};

/** Whether the answer would be another one; an answer that cannot be told is no change, and no sameness either. */
export function isChanged({ from, to }: ReplayedDecision): boolean {
  return to !== 'unknown' && from !== to;
}

/** Whether the record lacks what the answer needs. */
export function isUnclear({ from, to }: ReplayedDecision): boolean {
  return to === 'unknown' && from !== to;
}

/** The decisions of a run that would be others, or cannot be told. */
export function differences({ decisions }: ReplayedRun): readonly ReplayedDecision[] {
  return decisions.filter((decision) => isChanged(decision) || isUnclear(decision));
}
