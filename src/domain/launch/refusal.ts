/** Why the runner does not carry out an order (architecture, D5): a closed list of reason codes. */

import { APPROVAL_GATES, GATES, type GateId } from './verdict.ts';

/**
 * The runner evaluates every other gate again on its own reading (docs/decisions, *what the runner judges again*): the checks need
 * a right that a launch has for nothing else, and holds and approvals have refusals of their own.
 */
const NOT_ON_RUNNER = ['checks-green', 'not-held', ...APPROVAL_GATES] as const satisfies readonly GateId[];
export type RunnerGate = Exclude<GateId, (typeof NOT_ON_RUNNER)[number]>;

/** Whether the runner evaluates this gate again. */
export function isRunnerGate(gate: GateId): gate is RunnerGate {
  return !(NOT_ON_RUNNER as readonly GateId[]).includes(gate);
}

export const RUNNER_GATES: readonly RunnerGate[] = GATES.filter(isRunnerGate);

/** A gate that blocks on the runner refuses under its own name, which is not in this list. */
export const REFUSALS = [
  'order-unknown',
  'order-void',
  'order-used',
  'order-expired',
  'other-repository',
  'stop-requested',
  'approval-gone',
  'approval-edited',
  'approval-hidden',
  'approval-by-another',
  'approver-lost-permission',
  'too-few-approvals',
  'approval-not-given',
  'approval-elsewhere',
  'approval-before-shown',
  'second-card',
  'approval-too-old',
  'approval-other-commit',
  'approval-by-author',
  'order-forged',
  'attempt-live',
  'attempt-otherwise',
  'relaunch-not-due',
  'fix-not-approved',
  'fix-otherwise',
  'pull-closed',
  'base-changed',
  'body-edited',
  'wrong-event',
  'wrong-workflow',
  'head-moved',
  'fork',
  'manifest-changed',
  'tree-differs',
  'secret-missing',
  'no-state-directory',
  'files-left-out',
  'build-files-changed',
  'held',
  'held-in-thread',
  'wrong-ref',
  'unreadable',
] as const;
export type OrderRefusal = (typeof REFUSALS)[number];
export type RefusalCode = OrderRefusal | RunnerGate;

/** Whether a reason is in that list; every other one is a gate's name, or of another version. */
export function isOrderRefusal(reason: string): reason is OrderRefusal {
  return (REFUSALS as readonly string[]).includes(reason);
}
