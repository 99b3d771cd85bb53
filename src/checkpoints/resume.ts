/** The checkpoint for the next attempt after a failure, by the rule in docs/checkpoints.md. */

import type { SearchedRoot, StorePath } from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, takesCheckpoint } from '../domain/launch/contract.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import { type AskCode, type CompleteCheckpoint, chooseCheckpoint, type Search } from './choose.ts';
import { lineageFor } from './lineage.ts';
import { isWrittenBy, rootOf, type StartRefusal, startPoint } from './start.ts';

export type ResumePoint =
  /** Only the job's machine can read the roots, so the job chooses. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'from'; readonly path: StorePath; readonly step: number }
  | { readonly kind: 'ask'; readonly code: AskCode | StartRefusal }
  /** The job chooses itself and would take another checkpoint. */
  | { readonly kind: 'takes-other'; readonly path: StorePath; readonly takes: StorePath };

/** `command`: the next command, which may differ from the last one. */
export type ResumeInput = {
  readonly plan: CheckpointPlan;
  readonly searched: readonly SearchedRoot[];
  readonly runs: readonly RunState[];
  readonly command: readonly string[];
};

/** Unknown if a root or possibly newest checkpoint is unreadable. Null before a failed attempt. */
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
  // Without an own usable checkpoint, restart from the original one.
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

/** The run's own roots and lineage; unlisted roots count as unreadable. Null if only the job's machine can read them. */
export function ownSearch(
  state: RunState,
  plan: CheckpointPlan | null,
  searched: readonly SearchedRoot[],
): Search | null {
  const roots = (plan?.roots ?? []).map(
    (root) => searched.find((one) => one.root === root) ?? { root, found: unknown('it was not listed') },
  );
  return roots.length === 0 ? null : { roots, lineage: lineageFor(state) };
}

/** If another run writes there too, the time does not identify the writer. */
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

/** Rechecks the original checkpoint, which may be deleted or rejected by now. */
function again(
  { run }: RunState,
  begun: StorePath,
  { plan, searched, runs }: ResumeInput,
): Observed<ResumePoint> {
  const asked = plan.from !== null && rootOf(plan.from.path) === rootOf(begun) ? plan.from.run : run;
  const start = startPoint({ path: begun, run: asked }, searched, known(runs));
  if (start.kind === 'unknown') return start;
  const { value: point } = start;
  // The approved root may have a newer checkpoint by now.
  if (point.kind === 'proven' && point.path === begun)
    return known({ kind: 'from', path: point.path, step: point.step });
  return known({ kind: 'ask', code: point.kind === 'refused' ? point.code : 'not-there' });
}
