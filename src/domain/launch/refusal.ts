/** Why the runner does not carry out an order (architecture, D5): a closed list of reason codes. */

import type { GateId } from './verdict.ts';

/**
 * The gates that the runner evaluates again on its own reading (docs/decisions, *what the runner judges again*). Left out
 * are the checks, which need a right that a launch has for nothing else, and what has refusals of its own: holds and approvals.
 */
export const RUNNER_GATES = [
  'target-branch',
  'head-repository',
  'authors-known',
  'freshness',
  'config-valid',
  'scope',
  'delta-readable',
  'delta-declared',
  'budget',
  'scale-stable',
  'identical-rerun',
  'run-name-dated',
  'risk-present',
  'last-ferry-linked',
  'preconditions',
  'issue-updated',
  'cluster-matches',
  'cost-budget',
  'lane-free',
  'manifest-complete',
] as const satisfies readonly GateId[];
export type RunnerGate = (typeof RUNNER_GATES)[number];

/** Whether the runner evaluates this gate again. */
export function isRunnerGate(gate: GateId): gate is RunnerGate {
  return (RUNNER_GATES as readonly GateId[]).includes(gate);
}

/** A gate that blocks on the runner refuses under its own name. */
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
  'approval-too-old',
  'approval-used',
  'approval-spent',
  'approval-other-commit',
  'approval-by-author',
  'order-forged',
  'pull-closed',
  'base-changed',
  'body-edited',
  'wrong-event',
  'wrong-workflow',
  'head-moved',
  'fork',
  'manifest-changed',
  'tree-differs',
  'files-left-out',
  'build-files-changed',
  'held',
  'held-in-thread',
  'lift-unproven',
  'wrong-ref',
  'unreadable',
  ...RUNNER_GATES,
] as const;
export type RefusalCode = (typeof REFUSALS)[number];
