/** Proposes the deletion of a run's checkpoints: the exact list, and what protects the others (policy HR-63). */

import { type ActionDraft, proposeAction } from '../care/action-approval.ts';
import { fillCheckpointRoots } from '../config/lane-of-file.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import { type ActionRecord, areSameSteps, type CheckpointDeletion } from '../domain/actions/action.ts';
import type { Actor } from '../domain/actor.ts';
import {
  type CheckpointSize,
  deletionStep,
  type FoundCheckpoints,
  namedStep,
  REMAINS_IDENTITY,
  type SearchedRoot,
  type StoredCheckpoint,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import { lastEnded } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type DigestOf, known, type Observed, unknown } from '../domain/values.ts';
import { findUnlistedRoot, isEligibleCheckpoint, type JudgedCheckpoint, judgeCheckpoints } from './choose.ts';
import { buildLineage, buildRecordedLineage, type Lineage, listStartCheckpoints } from './lineage.ts';
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

/** What must be kept according to the record. */
export type CheckpointNeeds = {
  readonly lineage: Lineage;
  /** Checkpoints that attempts started from; a job's own path may be relative. */
  readonly sources: readonly StorePath[];
  /** Other recorded runs; their possible checkpoints are protected in every root. */
  readonly otherRuns: readonly RunState[];
  /** Checkpoints that other runs use, if below these roots. */
  readonly otherRunsSources: readonly StorePath[];
  /** Folders whose consented deletion was started. */
  readonly startedDeletions: readonly StorePath[];
  readonly finalSteps: readonly number[];
  readonly milestones: readonly number[];
  /** No job writes steps up to this one; null if any step may be written. */
  readonly writtenUpTo: number | null;
};

type KeptCheckpoint = { readonly checkpoint: JudgedCheckpoint; readonly protections: readonly Protection[] };

export type Retention = {
  /** Oldest first. */
  readonly candidates: readonly JudgedCheckpoint[];
  readonly kept: readonly KeptCheckpoint[];
};

/** What this run and the other `runs` need, from the record. */
export function findCheckpointNeeds(state: RunState, runs: readonly RunState[] = []): CheckpointNeeds {
  const { attempts } = buildRecordedLineage(state);
  const others = runs.filter(({ run }) => run !== state.run);
  const ends = [...state.attempts, lastEnded(state)].flatMap((past) => past?.end ?? []);
  const policy = state.order?.manifest?.policy['lane.finalStep'] ?? '';
  const configured = /^\d+$/.test(policy) ? [Number(policy)] : [];
  return {
    lineage: buildLineage(state),
    sources: listStartCheckpoints(state),
    otherRuns: others,
    otherRunsSources: others.flatMap(listStartCheckpoints),
    startedDeletions: state.actions.flatMap(({ claim: begun, proposal }) =>
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
    writtenUpTo: highestWrittenStep(attempts),
  };
}

/** A running job may write any step after its newest checkpoint, or after its start. */
function highestWrittenStep(attempts: ReturnType<typeof buildRecordedLineage>['attempts']): number | null {
  const running = attempts.filter(({ until }) => until === null);
  const passed = running.map(({ newestStep, startStep }) => newestStep ?? startStep);
  return passed.reduce<number | null>(
    (least, one) => (least === null || one === null ? null : Math.min(least, one)),
    Number.MAX_SAFE_INTEGER,
  );
}

/** Unknown if a root could not be listed; then nothing is deleted. */
export function decideRetention(
  roots: readonly SearchedRoot[],
  needs: CheckpointNeeds,
  keep: number,
): Observed<Retention> {
  const blind = findUnlistedRoot(roots);
  if (blind !== null) return unknown(blind);
  const all = judgeCheckpoints({ roots, lineage: needs.lineage });
  const newest = newestDistinctSteps(all, Math.max(1, keep));
  const others = needs.otherRunsSources.filter((path) => roots.some(({ root }) => path.startsWith(`${root}/`)));
  const withOthers = { ...needs, sources: [...needs.sources, ...others] };
  const judged = all.map((checkpoint) => ({
    checkpoint,
    protections: findProtections(checkpoint, withOthers, newest),
  }));
  return known({
    // rule HR-63
    candidates: judged.filter(({ protections }) => protections.length === 0).map(({ checkpoint }) => checkpoint),
    kept: judged.filter(({ protections }) => protections.length > 0),
  });
}

/** Only `same` may be deleted. */
export type RecheckResult = 'same' | 'gone' | 'changed' | 'protected';

/** Rechecks a listed checkpoint by path and content on a new listing. */
export function recheckCandidate(now: Retention, path: StorePath, identity: string): RecheckResult {
  const candidate = now.candidates.find(({ stored }) => stored.path === path);
  if (candidate !== undefined) return checkpointIdentity(candidate.stored) === identity ? 'same' : 'changed';
  return now.kept.some(({ checkpoint }) => checkpoint.stored.path === path) ? 'protected' : 'gone';
}

/** The store's version id of `metadata.json`, or `REMAINS`; null if unreadable. */
export function checkpointIdentity({ metadata }: StoredCheckpoint): string | null {
  return metadata.kind === 'known' ? (metadata.value?.identity ?? REMAINS_IDENTITY) : null;
}

/** The newest usable steps; both roots may contain the same step. */
function newestDistinctSteps(all: readonly JudgedCheckpoint[], keep: number): ReadonlySet<number> {
  const steps = new Set(all.filter(isEligibleCheckpoint).map(({ metadata }) => metadata.step));
  return new Set([...steps].toSorted((a, b) => b - a).slice(0, keep));
}

function findProtections(
  one: JudgedCheckpoint,
  needs: CheckpointNeeds,
  newest: ReadonlySet<number>,
): readonly Protection[] {
  const { stored, metadata, status } = one;
  const step = metadata?.step ?? namedStep(stored.path);
  const isLeft = status === 'no-metadata' && needs.startedDeletions.includes(stored.path);
  const matchesAnyStep = (steps: readonly number[]): boolean => step !== null && steps.includes(step);
  const rows: readonly (readonly [Protection, boolean])[] = [
    ['root', stored.path === stored.root],
    ['unreadable', status === 'unreadable'],
    ['incomplete', (status === 'no-metadata' && !isLeft) || status === 'bad-metadata'],
    ['misnamed', status === 'misnamed'],
    ['foreign', status === 'foreign'],
    ['shared', isWrittenBy(needs.otherRuns, stored, step)],
    ['unvalidated', status === 'unvalidated'],
    ['newest', status === 'eligible' && step !== null && newest.has(step)],
    ['final', matchesAnyStep(needs.finalSteps)],
    // rule HR-62
    ['source', needs.sources.some((source) => isStartedFrom(stored.path, step, source))],
    ['milestone', matchesAnyStep(needs.milestones)],
    ['being-written', step !== null && (needs.writtenUpTo === null || step > needs.writtenUpTo)],
  ];
  return rows.filter(([, holds]) => holds).map(([protection]) => protection);
}

/** Jobs may print shortened paths, so an equal step counts too. */
function isStartedFrom(path: StorePath, step: number | null, source: StorePath): boolean {
  return path === source || (step !== null && namedStep(source) === step);
}

/** Roots that attempts wrote to or the next one would, from manifests or the lane; empty before the first gating. */
export function rootsOfRun(
  { run, proposal, gate, order, attempts }: RunState,
  lane: Pick<LaneConfig, 'checkpointRoots'>,
): readonly StorePath[] {
  const manifests = [...attempts.map((past) => past.order), order, gate].flatMap((one) => one?.manifest ?? []);
  const { date } = proposal;
  return [
    ...new Set(
      manifests.flatMap(
        ({ runName, outputRoot, resume }) =>
          resume.roots ?? fillCheckpointRoots(lane, { run, date, runName, outputRoot }),
      ),
    ),
  ];
}

/**
 * Number of newest steps to keep, at least the approved one. Null if the contract must choose it and has not; an ordinary run keeps its
 * last checkpoint (policy HR-61).
 */
export function stepsToKeep({ gate, order, contract }: RunState, requested: number | null): number | null {
  const approved = [order, gate].flatMap((one) => one?.manifest?.retention.keepTemporary ?? []);
  const all = requested === null ? approved : [...approved, requested];
  // rule HR-61
  if (all.length === 0) return contract === null ? 1 : null;
  return Math.max(...all);
}

/** Deletable checkpoints according to all records; unknown if a root could not be listed. */
export function decideCleanup(
  state: RunState,
  runs: readonly RunState[],
  roots: readonly SearchedRoot[],
  keep: number,
): Observed<Retention> {
  return decideRetention(roots, findCheckpointNeeds(state, runs), keep);
}

/** The oldest ones that fit into one list. */
export function candidatesInOneProposal({ candidates }: Retention): readonly JudgedCheckpoint[] {
  let characters = 0;
  return candidates.slice(0, limits.cleanupCheckpointsMax).filter(({ stored }) => {
    characters += stored.path.length + (checkpointIdentity(stored)?.length ?? 0);
    return characters <= limits.cleanupListCharactersMax;
  });
}

export type CleanupInput = {
  readonly state: RunState;
  readonly repository: string;
  readonly keep: number;
  readonly requestedBy: Actor;
  readonly found: FoundCheckpoints;
  readonly retention: Retention;
  readonly digestOf: DigestOf;
};

/** Throws if nothing can be deleted. */
function proposeCleanup(input: CleanupInput): ActionDraft {
  const { state, repository, keep, requestedBy, found, retention, digestOf } = input;
  const list = candidatesInOneProposal(retention);
  const { kept, candidates } = retention;
  const evidence = {
    facts: {
      'checkpoints that could go': candidates.length,
      'checkpoints in this list': list.length,
      'checkpoints that stay': kept.length,
      'newest steps that stay': keep,
      'asked by': requestedBy.login,
    },
    lines: [
      ...list.map((one) => formatDeletedLine(one, found.sizes.get(one.stored.path))),
      ...kept.slice(-limits.cleanupKeptShown).map(formatKeptLine),
    ],
  };
  const change: CheckpointDeletion = {
    kind: 'delete-checkpoint',
    run: state.run,
    roots: found.roots.map(({ root }) => root),
    keep,
    requestedBy,
  };
  const what = {
    record: state.run,
    repository,
    cluster: state.submission?.cluster ?? '',
    change,
    steps: list.map(({ stored }) => deletionStep(stored.path, checkpointIdentity(stored) ?? '')),
    thread: state.proposal.issue,
    round: state.actions.length + 1,
  };
  return proposeAction('control', what, evidence, digestOf);
}

function formatDeletedLine({ stored, metadata }: JudgedCheckpoint, size: Observed<CheckpointSize> | undefined): string {
  const { objects, bytes } = size?.kind === 'known' ? size.value : { objects: '?', bytes: '?' };
  const kind = metadata?.isTemporary === true ? 'temporary' : metadata === null ? 'remains' : 'permanent';
  return `goes  ${stored.path}  ${kind}  objects ${objects}  bytes ${bytes}`;
}

function formatKeptLine({ checkpoint, protections }: KeptCheckpoint): string {
  return `stays ${checkpoint.stored.path}  ${protections.join(', ')}`;
}

/** `more`: further candidates that do not fit. */
export type CleanupPlan =
  | { readonly kind: 'no-depth' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'nothing'; readonly kept: number }
  | { readonly kind: 'open'; readonly record: ActionRecord }
  | { readonly kind: 'list'; readonly draft: ActionDraft; readonly more: number; readonly kept: number };

/** The deletion plan, as the answer to a request. */
export function planCleanup(
  {
    state,
    runs,
    found,
    ...rest
  }: Pick<CleanupInput, 'state' | 'repository' | 'requestedBy' | 'digestOf'> & {
    readonly runs: Observed<readonly RunState[]>;
    readonly found: Observed<FoundCheckpoints>;
  },
  asked: number | null,
): CleanupPlan {
  const keep = stepsToKeep(state, asked);
  if (keep === null) return { kind: 'no-depth' };
  if (runs.kind === 'unknown') return { kind: 'unreadable', why: runs.why };
  if (found.kind === 'unknown') return { kind: 'unreadable', why: found.why };
  const retention = decideCleanup(state, runs.value, found.value.roots, keep);
  if (retention.kind === 'unknown') return { kind: 'unreadable', why: retention.why };
  const { candidates, kept } = retention.value;
  if (candidatesInOneProposal(retention.value).length === 0) return { kind: 'nothing', kept: kept.length };
  const draft = proposeCleanup({ ...rest, state, found: found.value, retention: retention.value, keep });
  const record = findOpenProposal(state, draft, rest.requestedBy);
  const more = candidates.length - draft.data.proposal.steps.length;
  return record === null ? { kind: 'list', draft, more, kept: kept.length } : { kind: 'open', record };
}

/** An open proposal of the same checkpoints by the same person. */
function findOpenProposal(
  { actions }: RunState,
  { data: { proposal } }: ActionDraft,
  askedBy: Actor,
): ActionRecord | null {
  const isSame = ({ proposal: { change, steps }, claim: begun, ended }: ActionRecord): boolean =>
    begun === null &&
    ended === null &&
    change.kind === 'delete-checkpoint' &&
    change.requestedBy.id === askedBy.id &&
    areSameSteps(steps, proposal.steps);
  return actions.find(isSame) ?? null;
}
