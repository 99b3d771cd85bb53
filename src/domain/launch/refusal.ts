/** Why the runner rejects an order (architecture, D5): a closed list of codes. */

import { APPROVAL_GATES, GATES, type GateId } from './verdict.ts';

/**
 * Gates that the runner does not repeat (docs/decisions, *what the runner judges again*): checks need a permission that launches otherwise
 * lack; holds and approvals have their own refusals.
 */
const NOT_ON_RUNNER = ['checks-green', 'not-held', ...APPROVAL_GATES] as const satisfies readonly GateId[];
export type RunnerGate = Exclude<GateId, (typeof NOT_ON_RUNNER)[number]>;

/** Whether the runner evaluates this gate again. */
export function isRunnerGate(gate: GateId): gate is RunnerGate {
  return !(NOT_ON_RUNNER as readonly GateId[]).includes(gate);
}

export const RUNNER_GATES: readonly RunnerGate[] = GATES.filter(isRunnerGate);

/** A gate that blocks on the runner refuses under its own id, which is not listed here. */
export const REFUSALS = [
  'order-unknown',
  'order-void',
  'order-used',
  'order-expired',
  'other-repository',
  'stop-requested',
  'approval-invalid',
  'approver-not-permitted',
  'too-few-approvals',
  'approval-outdated',
  'second-card',
  'order-forged',
  'attempt-live',
  'attempt-otherwise',
  'relaunch-not-due',
  'fix-not-approved',
  'pull-closed',
  'wrong-origin',
  'fork',
  'manifest-changed',
  'tree-differs',
  'secret-missing',
  'no-state-directory',
  'files-left-out',
  'build-files-changed',
  'held',
  'unreadable',
] as const;
export type OrderRefusal = (typeof REFUSALS)[number];
export type RefusalCode = OrderRefusal | RunnerGate;

/** False for gate ids and for codes of other versions. */
export function isOrderRefusal(reason: string): reason is OrderRefusal {
  return (REFUSALS as readonly string[]).includes(reason);
}
