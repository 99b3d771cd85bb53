/** What a failed job died of, and what is done first about it. */

/** Closed: one class per cause, by what a person would do about it. */
export const FAILURE_CLASSES = [
  'oom-hbm',
  'oom-host',
  'bad-node',
  'preempted',
  'capacity',
  'network',
  'storage',
  'data',
  'nan',
  'code-small',
  'code-other',
  'config',
  'auth',
  'dependency',
  'infra-cluster',
  'stalled',
  'benign',
  'unknown',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** What an attempt ended with: a class, or `stopped` where the engine says so and nobody who is known asked for it. */
export const FAILURES = [...FAILURE_CLASSES, 'stopped'] as const;
export type Failure = (typeof FAILURES)[number];

export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * `relaunch`: the same manifest again, within the envelope that was approved. `small-fix`: one fix of a line, which is
 * approved like any change. `replace-node`: a person's consent is asked for. `wait`: nothing failed yet. `escalate`: a
 * person decides; the same again would end the same, or nobody can tell. `none`: nothing is to be done.
 */
export const FIRST_RESPONSES = ['relaunch', 'small-fix', 'replace-node', 'wait', 'escalate', 'none'] as const;
export type FirstResponse = (typeof FIRST_RESPONSES)[number];

/**
 * What is done first about a class (monitoring policy, *Error handling*). Whatever the same manifest would meet again
 * (memory, data, numbers, settings, rights) and whatever concerns a whole cluster is a person's.
 */
export const FIRST_RESPONSE: Readonly<Record<FailureClass, FirstResponse>> = {
  'oom-hbm': 'escalate',
  'oom-host': 'escalate',
  'bad-node': 'replace-node',
  preempted: 'relaunch',
  capacity: 'wait',
  network: 'relaunch',
  storage: 'escalate',
  data: 'escalate',
  nan: 'escalate',
  'code-small': 'small-fix',
  'code-other': 'escalate',
  config: 'escalate',
  auth: 'escalate',
  dependency: 'escalate',
  'infra-cluster': 'escalate',
  stalled: 'relaunch',
  benign: 'none',
  unknown: 'escalate',
};

/**
 * What a kind of run does about each: `relaunch` starts the same manifest again, `replace-node` does so once the machine
 * was replaced, `reduce` with the next of the smaller settings that were approved, `repair` with the next of the approved
 * packages and variables, `other-machine` anywhere but where it failed; `ask` leaves it to a person.
 */
export type Responses = Readonly<
  Record<Failure, 'relaunch' | 'replace-node' | 'reduce' | 'repair' | 'other-machine' | 'ask'>
>;

/** Started again where that alone can help, else a person is asked (policy, job monitoring loop): what a kind begins from. */
export const USUAL_RESPONSES: Responses = {
  preempted: 'relaunch',
  network: 'relaunch',
  stalled: 'relaunch',
  stopped: 'relaunch',
  'bad-node': 'replace-node',
  'oom-hbm': 'ask',
  'oom-host': 'ask',
  capacity: 'ask',
  storage: 'ask',
  data: 'ask',
  nan: 'ask',
  'code-small': 'ask',
  'code-other': 'ask',
  config: 'ask',
  auth: 'ask',
  dependency: 'ask',
  'infra-cluster': 'ask',
  benign: 'ask',
  unknown: 'ask',
};

/** Steps of a ladder, from the smallest on: the same again, a package or variable more, a smaller config, another machine. */
export const RUNGS = ['rerun', 'repair', 'reduce', 'other-machine'] as const;
export type Rung = (typeof RUNGS)[number];

/** What the same manifest ends with again, or makes worse: nobody starts it again after these, a person neither. */
const NEVER_AGAIN: readonly Failure[] = ['oom-hbm', 'oom-host', 'nan', 'data'];

/** Whether a person may have the same manifest started again. */
export function mayBeTriedByHand(failure: Failure): boolean {
  // rule ML-27
  return !NEVER_AGAIN.includes(failure);
}

/** Whether something smaller can pass where this ran out of memory: then nothing else is started again. */
export function isOutOfMemory(failure: Failure): boolean {
  return failure === 'oom-hbm' || failure === 'oom-host';
}

/** Whether the same manifest can pass at all; no kind of run and no envelope can say otherwise. */
export function mayPassAgain(failure: Failure): boolean {
  // rule ML-34
  return failure === 'stopped' || FIRST_RESPONSE[failure] === 'relaunch';
}
