/** Why a failed job ended, and the first response. */

/** Failure signature: the loss or one of its inputs is not a finite number. */
export const LOSS_NOT_FINITE = 'loss-not-finite';

export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * `retry-bounded`: launch the same manifest again, within the approved envelope. `small-fix-once`: a small fix, approved like any change.
 * `propose-node`: propose to delete the node, which needs an approval. `wait`: nothing failed yet. `escalate`: a person decides. `none`: no
 * action.
 */
export const FIRST_RESPONSES = ['retry-bounded', 'small-fix-once', 'propose-node', 'wait', 'escalate', 'none'] as const;
export type FirstResponse = (typeof FIRST_RESPONSES)[number];

/**
 * The first response per class (monitoring policy, *Error handling*). The list is closed, with one class per cause that needs its own
 * response. A person decides about failures that the same manifest would repeat, and about failures of a whole cluster.
 */
export const FIRST_RESPONSE = {
  'oom-hbm': 'escalate',
  'oom-host': 'escalate',
  'bad-node': 'propose-node',
  preempted: 'retry-bounded',
  capacity: 'wait',
  network: 'retry-bounded',
  storage: 'escalate',
  data: 'escalate',
  nan: 'escalate',
  'code-small': 'small-fix-once',
  'code-other': 'escalate',
  config: 'escalate',
  auth: 'escalate',
  dependency: 'escalate',
  // rule DF-28
  'infra-cluster': 'escalate',
  stalled: 'retry-bounded',
  benign: 'none',
  unknown: 'escalate',
} as const satisfies Readonly<Record<string, FirstResponse>>;
export type FailureClass = keyof typeof FIRST_RESPONSE;
export const FAILURE_CLASSES = Object.keys(FIRST_RESPONSE) as readonly FailureClass[];

/** How an attempt ended: a class, or `stopped` if the engine reports a stop without a known request. */
export type Failure = FailureClass | 'stopped';
export const FAILURES: readonly Failure[] = [...FAILURE_CLASSES, 'stopped'];

/**
 * Responses per kind of run. `retry-bounded`: the same manifest. `propose-node`: the same manifest after the machine was
 * replaced. `reduce`: the next approved smaller config. `repair`: the next approved packages and variables.
 * `other-machine`: exclude the failed machine. `ask`: a person decides.
 */
export type Responses = Readonly<
  Record<Failure, 'retry-bounded' | 'propose-node' | 'reduce' | 'repair' | 'other-machine' | 'ask'>
>;

/** Default responses: relaunch if a relaunch can help, otherwise ask a person (policy, job monitoring loop). */
export const USUAL_RESPONSES = Object.fromEntries(
  FAILURES.map((failure) => {
    const first = failure === 'stopped' ? 'retry-bounded' : FIRST_RESPONSE[failure];
    return [failure, first === 'retry-bounded' || first === 'propose-node' ? first : 'ask'];
  }),
) as Responses;

/** Steps of the recovery ladder, smallest change first. */
export const RUNGS = ['rerun', 'repair', 'reduce', 'other-machine'] as const;
export type Rung = (typeof RUNGS)[number];

/** The same manifest would fail again or do harm, so even a person cannot retry these. */
const NEVER_AGAIN: readonly Failure[] = ['oom-hbm', 'oom-host', 'nan', 'data'];

/** Whether a person may retry the same manifest. */
export function isRetryableByPerson(failure: Failure): boolean {
  // rule ML-27
  return !NEVER_AGAIN.includes(failure);
}

/** Whether only a smaller config can succeed. */
export function isOutOfMemory(failure: Failure): boolean {
  return failure === 'oom-hbm' || failure === 'oom-host';
}

/** Whether the same manifest can succeed at all; neither a kind of run nor an envelope can override this. */
export function isTransient(failure: Failure): boolean {
  // rule ML-34
  return failure === 'stopped' || FIRST_RESPONSE[failure] === 'retry-bounded';
}

export const DETECTOR_IDS = [
  'stalled-steps',
  'stalled-start',
  'throughput-collapse',
  'nan',
  'loss-spike',
  'loss-divergence',
  'gradient-norm',
  'router-collapse',
  'z-loss',
  'resume-mismatch',
  'checkpoint-stalled',
  'evals-stalled',
  'checkpoint-missing',
  'pending-long',
  'partial-allocation',
  'wrong-topology',
  'tracker-drift',
  'tracker-frozen',
  'config-drift',
  'flapping',
  'low-utilisation',
  'regression',
  'monitor-disk',
  'green-no-op',
] as const;
export type DetectorId = (typeof DETECTOR_IDS)[number];
