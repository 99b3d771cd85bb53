/** Verifies the checkpoint that a run is to start from, against the store and the producing run's record. */

import { namedStep, type SearchedRoot, type StoredCheckpoint, type StorePath } from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, OUTSIDE_SOURCE, startsFromCheckpoint } from '../domain/launch/contract.ts';
import { lastFailure } from '../domain/launch/next-attempt.ts';
import { listOrders, type RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown, withoutEndSlashes } from '../domain/values.ts';
import {
  type AskCode,
  type CheckpointSearch,
  type CompleteCheckpoint,
  chooseCheckpoint,
  chooseNamedCheckpoint,
  judgeCheckpoints,
  type RefusalCode,
} from './choose.ts';
import { buildLineage, judgeLineage } from './lineage.ts';

/** Unusable, missing, or of unclear origin. */
type StartRefusal =
  | Exclude<RefusalCode | AskCode, 'unreadable' | 'root-unreadable' | 'checkpoint-unreadable'>
  | 'no-run'
  | 'other-run'
  | 'several-runs';

export type StartPoint =
  /** From scratch. */
  | { readonly kind: 'anew' }
  | {
      readonly kind: 'proven';
      readonly path: StorePath;
      readonly step: number;
      /** Null: outside the record, according to the contract. */
      readonly run: string | null;
      readonly attempt: number | null;
    }
  | { readonly kind: 'refused'; readonly code: StartRefusal; readonly path: StorePath };

/** The root to list: `step-N` is a checkpoint, any other name a root. */
export function parentRoot(path: StorePath): StorePath {
  const whole = withoutEndSlashes(path);
  return namedStep(whole) === null ? whole : whole.slice(0, whole.lastIndexOf('/'));
}

/** Unknown if the store or the record is unreadable. */
export function findStartPoint(
  from: CheckpointPlan['from'],
  searched: readonly SearchedRoot[],
  runs: Observed<readonly RunState[]>,
): Observed<StartPoint> {
  if (from === null) return known({ kind: 'anew' });
  const path = withoutEndSlashes(from.path);
  const root = searched.find((one) => one.root === parentRoot(path));
  if (root === undefined) return unknown(`${parentRoot(path)} was not listed`);
  if (root.found.kind === 'unknown') return unknown(`${root.root}: ${root.found.why}`);
  if (runs.kind === 'unknown') return runs;
  const source = findSourceRun({ ...from, path }, runs.value);
  if (typeof source === 'string') return known({ kind: 'refused', code: source, path });
  const search: CheckpointSearch = { roots: [root], lineage: source === null ? null : buildLineage(source) };
  const found = namedStep(path) === null ? chooseCheckpoint(search) : chooseNamedCheckpoint(search, { path });
  if (found.kind !== 'chosen') {
    const { code } = found;
    if (code === 'unreadable' || code === 'root-unreadable' || code === 'checkpoint-unreadable')
      return unknown(found.why);
    return known({ kind: 'refused', code, path });
  }
  const { stored, metadata, attempt } = found.checkpoint;
  // The named root may contain another run's folder.
  const owner = findSourceRun({ ...from, path: stored.path }, runs.value);
  if (owner !== source)
    return known({ kind: 'refused', code: typeof owner === 'string' ? owner : 'other-run', path: stored.path });
  return known({ kind: 'proven', path: stored.path, step: metadata.step, run: source?.run ?? null, attempt });
}

/** The producing run; null if the contract states that it is outside the record. */
function findSourceRun(
  { path, run }: NonNullable<CheckpointPlan['from']>,
  runs: readonly RunState[],
): RunState | null | StartRefusal {
  const writers = findWriters(path, runs);
  if (run === OUTSIDE_SOURCE) return writers.length === 0 ? null : 'other-run';
  const meant = run === null ? writers : writers.filter((one) => one.run === run);
  const [only] = meant;
  if (only === undefined) return run === null || writers.length === 0 ? 'no-run' : 'other-run';
  return meant.length === 1 ? only : 'several-runs';
}

/** Runs with an attempt that wrote to the path. */
export function findWriters(path: StorePath, runs: readonly RunState[]): readonly RunState[] {
  return runs.filter((one) => outputRootsOf(one).some((root) => isPathWithin(path, root)));
}

/** Whether one of these runs may have written it, by path and time. */
export function isWrittenBy(
  runs: readonly RunState[],
  { path, metadata }: StoredCheckpoint,
  step: number | null,
): boolean {
  const writtenAt = metadata.kind === 'known' ? (metadata.value?.writtenAt ?? null) : null;
  return findWriters(path, runs).some(
    (one) => writtenAt === null || judgeLineage(buildLineage(one), { step: step ?? 0, writtenAt }).attempt !== null,
  );
}

function outputRootsOf(state: RunState): readonly StorePath[] {
  return listOrders(state).flatMap(({ manifest }) =>
    manifest === null ? [] : [manifest.outputRoot, ...(manifest.resume.roots ?? [])],
  );
}

/** A relative root matches as a path suffix. */
function isPathWithin(path: StorePath, root: StorePath): boolean {
  const whole = withoutEndSlashes(root);
  if (path === whole || path.startsWith(`${whole}/`)) return true;
  return !/^([a-z0-9]+:\/)?\//.test(whole) && `${path}/`.includes(`/${whole}/`);
}

/** `looked`: number of listed roots. `foreign`: a checkpoint outside the run's lineage. */
export type RootContents = { readonly listedRoots: number; readonly foreign: StorePath | null };

/** Whether the roots hold at most the run's lineage: a job resumes from any checkpoint in its root. Unknown if one cannot be listed. */
export function inspectRootContents(
  { from, roots }: CheckpointPlan,
  searched: readonly SearchedRoot[],
  lineage: readonly RunState[],
): Observed<RootContents> {
  // The contract starts from an unrecorded run's root.
  const begun = from !== null && from.run === OUTSIDE_SOURCE ? parentRoot(from.path) : null;
  const found: SearchedRoot[] = [];
  for (const root of roots) {
    const one = searched.find((candidate) => candidate.root === root);
    if (one === undefined) return unknown(`${root} was not listed`);
    if (one.found.kind === 'unknown') return unknown(`${root}: ${one.found.why}`);
    if (root !== begun) found.push(one);
  }
  const all = judgeCheckpoints({ roots: found, lineage: null });
  const listForeignPaths = (state: RunState): ReadonlySet<StorePath> => {
    const search = { roots: found, lineage: buildLineage(state) };
    const foreign = judgeCheckpoints(search).filter(({ status }) => status === 'foreign');
    return new Set(foreign.map(({ stored }) => stored.path));
  };
  const sets = lineage.map(listForeignPaths);
  const first = all.find(({ stored }) => sets.every((foreign) => foreign.has(stored.path)));
  return known({ listedRoots: roots.length, foreign: first?.stored.path ?? null });
}

export type ResumePoint =
  /** Only the job's machine can read the roots, so the job chooses. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'from'; readonly path: StorePath; readonly step: number }
  | { readonly kind: 'ask'; readonly code: AskCode | StartRefusal }
  /** The job chooses itself and would take another checkpoint. */
  | { readonly kind: 'takes-other'; readonly path: StorePath; readonly wouldTake: StorePath };

/** `command`: the next command, which may differ from the last one. */
export type ResumeInput = {
  readonly plan: CheckpointPlan;
  readonly roots: readonly SearchedRoot[];
  readonly runs: readonly RunState[];
  readonly command: readonly string[];
};

/** Unknown if a root or possibly newest checkpoint is unreadable. Null before a failed attempt. */
export function findResumePoint(state: RunState, input: ResumeInput): Observed<ResumePoint> | null {
  const last = lastFailure(state);
  if (last === null) return null;
  const { plan, roots, runs, command } = input;
  const search = searchOfRun(state, plan, roots);
  if (search === null) return known({ kind: 'unseen' });
  const choice = chooseCheckpoint(search);
  if (choice.kind === 'ask' && (choice.code === 'root-unreadable' || choice.code === 'checkpoint-unreadable'))
    return unknown(choice.why);
  const begun = last.order.manifest?.resume.initializeFrom ?? null;
  // Without an own usable checkpoint, restart from the original one.
  const chosen: Observed<ResumePoint> =
    choice.kind === 'chosen'
      ? known(toResumePoint(state, choice.checkpoint, runs))
      : begun === null
        ? known({ kind: 'ask', code: choice.code })
        : recheckStart(state, begun, input);
  if (chosen.kind === 'unknown' || chosen.value.kind !== 'from') return chosen;
  const point = chosen.value;
  if (startsFromCheckpoint({ command, resume: plan })) return chosen;
  const own = chooseCheckpoint({ ...search, lineage: null });
  const takes = own.kind === 'chosen' ? own.checkpoint.stored.path : begun;
  return takes === null || takes === point.path
    ? chosen
    : known({ kind: 'takes-other', path: point.path, wouldTake: takes });
}

/** The run's own roots and lineage; unlisted roots count as unreadable. Null if only the job's machine can read them. */
export function searchOfRun(
  state: RunState,
  plan: CheckpointPlan | null,
  searched: readonly SearchedRoot[],
): CheckpointSearch | null {
  const roots = (plan?.roots ?? []).map(
    (root) => searched.find((one) => one.root === root) ?? { root, found: unknown('it was not listed') },
  );
  return roots.length === 0 ? null : { roots, lineage: buildLineage(state) };
}

/** If another run writes there too, the time does not identify the writer. */
function toResumePoint(
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
function recheckStart({ run }: RunState, begun: StorePath, { plan, roots, runs }: ResumeInput): Observed<ResumePoint> {
  const asked = plan.from !== null && parentRoot(plan.from.path) === parentRoot(begun) ? plan.from.run : run;
  const start = findStartPoint({ path: begun, run: asked }, roots, known(runs));
  if (start.kind === 'unknown') return start;
  const { value: point } = start;
  // The approved root may have a newer checkpoint by now.
  if (point.kind === 'proven' && point.path === begun)
    return known({ kind: 'from', path: point.path, step: point.step });
  return known({ kind: 'ask', code: point.kind === 'refused' ? point.code : 'not-there' });
}
