/**
 * Which checkpoints of a run can be deleted, and what protects the others (policy HR-62, HR-63). Unknown means protected. Each candidate is
 * checked again on a new listing before its deletion.
 */

import {
  namedStep,
  REMAINS,
  type SearchedRoot,
  type StoredCheckpoint,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { pastAttempt } from '../domain/launch/next-attempt.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { isEligible, type JudgedCheckpoint, judgeAll, unlisted } from './choose.ts';
import { lineageFor, lineageOf, sourcesOf } from './lineage.ts';
import type { Lineage } from './standing.ts';
import { isWrittenBy } from './start.ts';

export type Protection =
  | 'newest'
  | 'final'
  | 'source'
  | 'milestone'
  | 'being-written'
  | 'incomplete'
  | 'unreadable'
  | 'foreign'
  | 'shared'
  | 'unvalidated'
  | 'misnamed'
  | 'root';

/** What the record requires to keep. */
export type Needs = {
  readonly lineage: Lineage;
  /** Checkpoints that attempts started from; a job's own path may be relative. */
  readonly sources: readonly StorePath[];
  /** Other recorded runs; their possible checkpoints are protected in every root. */
  readonly others: readonly RunState[];
  /** Checkpoints that other runs use, if below these roots. */
  readonly othersSources: readonly StorePath[];
  /** Folders whose consented deletion was started. */
  readonly begun: readonly StorePath[];
  readonly finalSteps: readonly number[];
  readonly milestones: readonly number[];
  /** No job writes steps up to this one; null if any step may be written. */
  readonly writtenUpTo: number | null;
};

export type Wishes = {
  /** Number of newest steps to keep, at least one. */
  readonly keep: number;
  /** Steps that people want to keep. */
  readonly milestones: readonly number[];
};

export type KeptCheckpoint = {
  readonly checkpoint: JudgedCheckpoint;
  readonly because: readonly Protection[];
};

export type Retention = {
  /** Oldest first. */
  readonly candidates: readonly JudgedCheckpoint[];
  readonly kept: readonly KeptCheckpoint[];
};

/** What this run and the other `runs` need, from the record. */
export function needsOf(state: RunState, runs: readonly RunState[] = []): Needs {
  const { attempts } = lineageOf(state);
  const others = runs.filter(({ run }) => run !== state.run);
  const ends = [...state.attempts, pastAttempt(state)].flatMap((past) => past?.end ?? []);
  const policy = state.order?.manifest?.policy['lane.finalStep'] ?? '';
  const configured = /^\d+$/.test(policy) ? [Number(policy)] : [];
  return {
    lineage: lineageFor(state),
    sources: sourcesOf(state),
    others,
    othersSources: others.flatMap(sourcesOf),
    begun: state.actions.flatMap(({ claim: begun, proposal }) =>
      begun !== null && proposal.change.kind === 'delete-checkpoint'
        ? proposal.steps.flatMap(({ command }) => command[1] ?? [])
        : [],
    ),
    finalSteps: [
      ...configured,
      ...ends.flatMap(({ status, checkpointStep }) => (status === 'SUCCEEDED' ? (checkpointStep ?? []) : [])),
    ],
    // rule HR-76
    milestones: state.milestones.map(({ checkpoint }) => checkpoint.step),
    writtenUpTo: writtenUpTo(attempts),
  };
}

/** A running job may write any step after its newest checkpoint, or after its start. */
function writtenUpTo(attempts: ReturnType<typeof lineageOf>['attempts']): number | null {
  const running = attempts.filter(({ until }) => until === null);
  const passed = running.map(({ newestStep, startStep }) => newestStep ?? startStep);
  return passed.reduce<number | null>(
    (least, one) => (least === null || one === null ? null : Math.min(least, one)),
    Number.MAX_SAFE_INTEGER,
  );
}

/** Unknown if a root could not be listed; then nothing is deleted. */
export function retentionOf(
  roots: readonly SearchedRoot[],
  needs: Needs,
  wishes: Wishes,
): Observed<Retention> {
  const blind = unlisted(roots);
  if (blind !== null) return unknown(blind);
  const all = judgeAll({ roots, lineage: needs.lineage });
  const newest = newestSteps(all, Math.max(1, wishes.keep));
  const others = needs.othersSources.filter((path) => roots.some(({ root }) => path.startsWith(`${root}/`)));
  const withOthers = { ...needs, sources: [...needs.sources, ...others] };
  const judged = all.map((checkpoint) => ({
    checkpoint,
    because: protectionsOf(checkpoint, withOthers, wishes, newest),
  }));
  return known({
    // rule HR-63
    candidates: judged.filter(({ because }) => because.length === 0).map(({ checkpoint }) => checkpoint),
    kept: judged.filter(({ because }) => because.length > 0),
  });
}

/** Only `same` may be deleted. */
export type SecondLook = 'same' | 'gone' | 'changed' | 'protected';

/** Rechecks a listed checkpoint by path and content on a new listing. */
export function secondLook(now: Retention, path: StorePath, identity: string): SecondLook {
  const candidate = now.candidates.find(({ stored }) => stored.path === path);
  if (candidate !== undefined) return identityOf(candidate.stored) === identity ? 'same' : 'changed';
  return now.kept.some(({ checkpoint }) => checkpoint.stored.path === path) ? 'protected' : 'gone';
}

/** The store's version id of `metadata.json`, or `REMAINS`; null if unreadable. */
export function identityOf({ metadata }: StoredCheckpoint): string | null {
  return metadata.kind === 'known' ? (metadata.value?.identity ?? REMAINS) : null;
}

/** The newest usable steps; both roots may contain the same step. */
function newestSteps(all: readonly JudgedCheckpoint[], keep: number): ReadonlySet<number> {
  const steps = new Set(all.filter(isEligible).map(({ metadata }) => metadata.step));
  return new Set([...steps].toSorted((a, b) => b - a).slice(0, keep));
}

function protectionsOf(
  one: JudgedCheckpoint,
  needs: Needs,
  { milestones }: Wishes,
  newest: ReadonlySet<number>,
): readonly Protection[] {
  const { stored, metadata, standing } = one;
  const step = metadata?.step ?? namedStep(stored.path);
  const isLeft = standing === 'no-metadata' && needs.begun.includes(stored.path);
  const isAny = (steps: readonly number[]): boolean => step !== null && steps.includes(step);
  const rows: readonly (readonly [Protection, boolean])[] = [
    ['root', stored.path === stored.root],
    ['unreadable', standing === 'unreadable'],
    ['incomplete', (standing === 'no-metadata' && !isLeft) || standing === 'bad-metadata'],
    ['misnamed', standing === 'misnamed'],
    ['foreign', standing === 'foreign'],
    ['shared', isWrittenBy(needs.others, stored, step)],
    ['unvalidated', standing === 'unvalidated'],
    ['newest', standing === 'eligible' && step !== null && newest.has(step)],
    ['final', isAny(needs.finalSteps)],
    // rule HR-62
    ['source', needs.sources.some((source) => isSource(stored.path, step, source))],
    ['milestone', isAny(milestones) || isAny(needs.milestones)],
    ['being-written', step !== null && (needs.writtenUpTo === null || step > needs.writtenUpTo)],
  ];
  return rows.filter(([, holds]) => holds).map(([protection]) => protection);
}

/** Jobs may print shortened paths, so an equal step counts too. */
function isSource(path: StorePath, step: number | null, source: StorePath): boolean {
  return path === source || (step !== null && namedStep(source) === step);
}
