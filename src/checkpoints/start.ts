/** Verifies the checkpoint that a run is to start from, against the store and the producing run's record. */

import {
  namedStep,
  type SearchedRoot,
  type StoredCheckpoint,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, OUTSIDE } from '../domain/launch/contract.ts';
import { ordersOf, type RunState } from '../domain/logbook/run-state.ts';
import { withoutEndSlashes } from '../domain/text.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import {
  type AskCode,
  askedCheckpoint,
  chooseCheckpoint,
  judgeAll,
  type RefusalCode,
  type Search,
} from './choose.ts';
import { lineageFor, standingIn } from './lineage.ts';

/** Unusable, missing, or of unclear origin. */
export type StartRefusal =
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
export function rootOf(path: StorePath): StorePath {
  const whole = withoutEndSlashes(path);
  return namedStep(whole) === null ? whole : whole.slice(0, whole.lastIndexOf('/'));
}

/** Unknown if the store or the record is unreadable. */
export function startPoint(
  from: CheckpointPlan['from'],
  searched: readonly SearchedRoot[],
  runs: Observed<readonly RunState[]>,
): Observed<StartPoint> {
  if (from === null) return known({ kind: 'anew' });
  const path = withoutEndSlashes(from.path);
  const root = searched.find((one) => one.root === rootOf(path));
  if (root === undefined) return unknown(`${rootOf(path)} was not listed`);
  if (root.found.kind === 'unknown') return unknown(`${root.root}: ${root.found.why}`);
  if (runs.kind === 'unknown') return runs;
  const source = sourceOf({ ...from, path }, runs.value);
  if (typeof source === 'string') return known({ kind: 'refused', code: source, path });
  const search: Search = { roots: [root], lineage: source === null ? null : lineageFor(source) };
  const found = namedStep(path) === null ? chooseCheckpoint(search) : askedCheckpoint(search, { path });
  if (found.kind !== 'chosen') {
    const { code } = found;
    if (code === 'unreadable' || code === 'root-unreadable' || code === 'checkpoint-unreadable')
      return unknown(found.why);
    return known({ kind: 'refused', code, path });
  }
  const { stored, metadata, attempt } = found.checkpoint;
  // The named root may contain another run's folder.
  const owner = sourceOf({ ...from, path: stored.path }, runs.value);
  if (owner !== source)
    return known({
      kind: 'refused',
      code: typeof owner === 'string' ? owner : 'other-run',
      path: stored.path,
    });
  return known({
    kind: 'proven',
    path: stored.path,
    step: metadata.step,
    run: source?.run ?? null,
    attempt,
  });
}

/** The producing run; null if the contract states that it is outside the record. */
function sourceOf(
  { path, run }: NonNullable<CheckpointPlan['from']>,
  runs: readonly RunState[],
): RunState | null | StartRefusal {
  const writers = writersOf(path, runs);
  if (run === OUTSIDE) return writers.length === 0 ? null : 'other-run';
  const meant = run === null ? writers : writers.filter((one) => one.run === run);
  const [only] = meant;
  if (only === undefined) return run === null || writers.length === 0 ? 'no-run' : 'other-run';
  return meant.length === 1 ? only : 'several-runs';
}

/** Runs with an attempt that wrote to the path. */
export function writersOf(path: StorePath, runs: readonly RunState[]): readonly RunState[] {
  return runs.filter((one) => rootsOf(one).some((root) => isWithin(path, root)));
}

/** Whether one of these runs may have written it, by path and time. */
export function isWrittenBy(
  runs: readonly RunState[],
  { path, metadata }: StoredCheckpoint,
  step: number | null,
): boolean {
  const writtenAt = metadata.kind === 'known' ? (metadata.value?.writtenAt ?? null) : null;
  return writersOf(path, runs).some(
    (one) =>
      writtenAt === null || standingIn(lineageFor(one), { step: step ?? 0, writtenAt }).attempt !== null,
  );
}

function rootsOf(state: RunState): readonly StorePath[] {
  return ordersOf(state).flatMap(({ manifest }) =>
    manifest === null ? [] : [manifest.outputRoot, ...(manifest.resume.roots ?? [])],
  );
}

/** A relative root matches as a path suffix. */
function isWithin(path: StorePath, root: StorePath): boolean {
  const whole = withoutEndSlashes(root);
  if (path === whole || path.startsWith(`${whole}/`)) return true;
  return !/^([a-z0-9]+:\/)?\//.test(whole) && `${path}/`.includes(`/${whole}/`);
}

/** `looked`: number of listed roots. `foreign`: a checkpoint outside the run's lineage. */
export type RootContents = { readonly looked: number; readonly foreign: StorePath | null };

/**
 * Whether the run's roots are empty or contain only its lineage, because a job resumes from any checkpoint in its root. `lineage`: runs
 * that may have written there. Unknown if a root could not be listed.
 */
export function rootContents(
  { from, roots }: CheckpointPlan,
  searched: readonly SearchedRoot[],
  lineage: readonly RunState[],
): Observed<RootContents> {
  // The contract starts from an unrecorded run's root.
  const begun = from !== null && from.run === OUTSIDE ? rootOf(from.path) : null;
  const found: SearchedRoot[] = [];
  for (const root of roots) {
    const one = searched.find((candidate) => candidate.root === root);
    if (one === undefined) return unknown(`${root} was not listed`);
    if (one.found.kind === 'unknown') return unknown(`${root}: ${one.found.why}`);
    if (root !== begun) found.push(one);
  }
  const all = judgeAll({ roots: found, lineage: null });
  const foreignTo = (state: RunState): ReadonlySet<StorePath> => {
    const search = { roots: found, lineage: lineageFor(state) };
    const foreign = judgeAll(search).filter(({ standing }) => standing === 'foreign');
    return new Set(foreign.map(({ stored }) => stored.path));
  };
  const sets = lineage.map(foreignTo);
  const first = all.find(({ stored }) => sets.every((foreign) => foreign.has(stored.path)));
  return known({ looked: roots.length, foreign: first?.stored.path ?? null });
}
