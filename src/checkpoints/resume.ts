/** What the next attempt of a run goes on from, after one that failed: the rule of docs/checkpoints.md over its own roots and its own record. */

import type { SearchedRoot, StorePath } from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, takesCheckpoint } from '../domain/launch/contract.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { type AskCode, type CompleteCheckpoint, chooseCheckpoint, type Search } from './choose.ts';
import { lineageFor } from './lineage.ts';
import { isWrittenBy, rootOf, type StartRefusal, startPoint } from './start.ts';

export type ResumePoint =
  /** Only the job's own machine can look: it goes on as it finds things. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'from'; readonly path: StorePath; readonly step: number }
  | { readonly kind: 'ask'; readonly code: AskCode | StartRefusal }
  /** The job looks for itself, and would take another one than the rule. */
  | { readonly kind: 'takes-other'; readonly path: StorePath; readonly takes: StorePath };

/** What is looked at; `command`: what would be started, which need not be what ran. */
export type ResumeInput = {
  readonly plan: CheckpointPlan;
  readonly searched: readonly SearchedRoot[];
  readonly runs: readonly RunState[];
  readonly command: readonly string[];
};

/** Unknown where a root or a checkpoint that may be the newest cannot be read. Null before an attempt has failed. */
export function resumePoint(state: RunState, input: ResumeInput): Observed<ResumePoint> | null {
  const last = failedAttempt(state);
  if (last === null) return null;
  const { plan, searched, runs, command } = input;
  const search = ownSearch(state, plan, searched);
  if (search === null) return known({ kind: 'unseen' });
  const choice = chooseCheckpoint(search);
  if (choice.kind === 'ask' && (choice.code === 'root-unreadable' || choice.code === 'checkpoint-unreadable'))
    return unknown(choice.why);
  const begun = last.order.manifest?.resume.initializeFrom ?? null;
  // Where nothing of its own may be used, the run begins again from where it was launched.
  const chosen: Observed<ResumePoint> =
    choice.kind === 'chosen'
      ? known(pointOf(state, choice.checkpoint, runs))
      : begun === null
        ? known({ kind: 'ask', code: choice.code })
        : again(state, begun, input);
  if (chosen.kind === 'unknown' || chosen.value.kind !== 'from') return chosen;
  const point = chosen.value;
  if (takesCheckpoint({ command, resume: plan })) return chosen;
  const own = chooseCheckpoint({ ...search, lineage: null });
  const takes = own.kind === 'chosen' ? own.checkpoint.stored.path : begun;
  return takes === null || takes === point.path
    ? chosen
    : known({ kind: 'takes-other', path: point.path, takes });
}

/** What lies in the run's own roots, by its own lineage: a root that was not listed is one that cannot be read. Null where only its own machine can look. */
export function ownSearch(
  state: RunState,
  plan: CheckpointPlan | null,
  searched: readonly SearchedRoot[],
): Search | null {
  const roots = (plan?.roots ?? []).map(
    (root) => searched.find((one) => one.root === root) ?? { root, found: unknown('it was not listed') },
  );
  return roots.length === 0 ? null : { roots, lineage: lineageFor(state), maxStep: null, excludePaths: [] };
}

/** Of a place that another run writes to as well, the time of writing does not say whose it is. */
function pointOf(
  { run }: RunState,
  { stored, metadata }: CompleteCheckpoint,
  runs: readonly RunState[],
): ResumePoint {
  const { step } = metadata;
  const others = runs.filter((other) => other.run !== run);
  const isOthers = isWrittenBy(others, stored, step);
  return isOthers ? { kind: 'ask', code: 'several-runs' } : { kind: 'from', path: stored.path, step };
}

/** What it was launched from is looked at as it was then: it may be gone by now, or rejected. */
function again(
  { run }: RunState,
  begun: StorePath,
  { plan, searched, runs }: ResumeInput,
): Observed<ResumePoint> {
  const asked = plan.from !== null && rootOf(plan.from.path) === rootOf(begun) ? plan.from.run : run;
  const start = startPoint({ path: begun, run: asked }, searched, known(runs));
  if (start.kind === 'unknown') return start;
  const { value: point } = start;
  // A root that held one checkpoint when it was approved may hold a newer one by now.
  if (point.kind === 'proven' && point.path === begun)
    return known({ kind: 'from', path: point.path, step: point.step });
  return known({ kind: 'ask', code: point.kind === 'refused' ? point.code : 'not-there' });
}
