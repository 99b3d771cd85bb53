/**
 * `concurrency:` as documented: one member runs and one waits (or up to 100 with `queue: max`). An older waiting member
 * is cancelled without a message.
 */

import { actions } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import { evaluateText, evaluateValue, isTrue, type Scope } from '../expressions/evaluate.ts';
import type { PlanNode, Run, RunPlan } from '../state-actions.ts';
import type { Concurrency } from '../workflow/shared-schema.ts';

/** A run, or one job of a run, that belongs to a concurrency group. */
export type Member = {
  readonly runId: number;
  /** Key of the job; null for a whole run. */
  readonly key: string | null;
  /** Entered the group in this order. */
  readonly order: number;
};

export type Group = { readonly active: readonly Member[]; readonly pending: readonly Member[] };

export type Evaluated = {
  readonly group: string;
  readonly cancelInProgress: boolean;
  readonly queue: 'single' | 'max';
};

export function evaluateConcurrency(given: Concurrency, scope: Scope): Evaluated {
  const cancel = given.cancelInProgress;
  return {
    group: evaluateText(given.group, scope),
    cancelInProgress: typeof cancel === 'boolean' ? cancel : isTrue(evaluateValue(cancel, scope)),
    queue: given.queue,
  };
}

/** What happens to a new member and to the members before it. */
export type Admission = { readonly newcomer: 'start' | 'wait' | 'cancel'; readonly cancel: readonly Member[] };

/** Decides from the group's members only. */
export function decideAdmission(group: Group, wanted: Evaluated): Admission {
  const free = group.active.length === 0 && group.pending.length === 0;
  if (free) return { newcomer: 'start', cancel: [] };
  if (wanted.cancelInProgress) return { newcomer: 'wait', cancel: [...group.active, ...group.pending] };
  if (wanted.queue === 'single') return { newcomer: 'wait', cancel: group.pending };
  const full = group.pending.length >= actions.concurrencyPending;
  return { newcomer: full ? 'cancel' : 'wait', cancel: [] };
}

/** The members of a repository's group; names are case-insensitive. */
export function findGroup(world: World, repoId: number, name: string): Group {
  const wanted = name.toLowerCase();
  const active: Member[] = [];
  const pending: Member[] = [];
  const addMember = (waits: boolean, member: Member): void => {
    (waits ? pending : active).push(member);
  };
  for (const [run, plan] of listOpenRuns(world)) {
    if (run.repoId !== repoId) continue;
    if (plan.group?.toLowerCase() === wanted) {
      addMember(run.status === 'pending', { runId: run.id, key: null, order: run.id });
    }
    for (const node of plan.nodes) {
      if (node.group?.toLowerCase() !== wanted || !isNodeUnfinished(node)) continue;
      addMember(node.state === 'pending', { runId: run.id, key: node.key, order: node.jobId ?? run.id });
    }
  }
  return { active, pending: pending.sort((a, b) => a.order - b.order) };
}

/** Runs that have not ended and have a plan, oldest first. */
export function listOpenRuns(world: World): readonly (readonly [Run, RunPlan])[] {
  const open: [Run, RunPlan][] = [];
  for (const run of Object.values(world.state.runs)) {
    const plan = world.state.runPlans[run.id];
    if (run.status === 'completed' || plan === undefined || plan.attempt !== run.runAttempt) continue;
    open.push([run, plan]);
  }
  return open.sort(([a], [b]) => a.id - b.id);
}

function isNodeUnfinished(node: PlanNode): boolean {
  return node.state === 'pending' || node.state === 'queued' || node.state === 'running';
}
