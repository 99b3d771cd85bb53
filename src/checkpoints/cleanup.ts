/** Proposes the deletion of a run's checkpoints: the exact list, and what protects the others (policy HR-63). */

import { type ActionDraft, proposeAction } from '../care/propose-action.ts';
import { checkpointRoots } from '../config/fill.ts';
import type { LaneConfig } from '../config/lane-schema.ts';
import type { CheckpointDeletion } from '../domain/actions/action.ts';
import type { ActionRecord } from '../domain/actions/action-state.ts';
import { areSameSteps } from '../domain/actions/step.ts';
import type { Actor } from '../domain/actor.ts';
import {
  type CheckpointSize,
  deletionStep,
  type FoundCheckpoints,
  type SearchedRoot,
  type StorePath,
} from '../domain/checkpoint/stored.ts';
import type { DigestOf } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import type { JudgedCheckpoint } from './choose.ts';
import { identityOf, type KeptCheckpoint, needsOf, type Retention, retentionOf } from './retention.ts';

/** Roots that attempts wrote to or the next one would, from manifests or the lane; empty before the first gating. */
export function rootsOf(
  { run, proposal, gate, order, attempts }: RunState,
  lane: Pick<LaneConfig, 'checkpointRoots'>,
): readonly StorePath[] {
  const manifests = [...attempts.map((past) => past.order), order, gate].flatMap(
    (one) => one?.manifest ?? [],
  );
  const { date } = proposal;
  return [
    ...new Set(
      manifests.flatMap(
        ({ runName, outputRoot, resume }) =>
          resume.roots ?? checkpointRoots(lane, { run, date, runName, outputRoot }),
      ),
    ),
  ];
}

/**
 * Number of newest steps to keep, at least the approved one. Null if the contract must choose it and has not; an ordinary run keeps its
 * last checkpoint (policy HR-61).
 */
export function depthOf({ gate, order, contract }: RunState, asked: number | null): number | null {
  const approved = [order, gate].flatMap((one) => one?.manifest?.retention.keepTemporary ?? []);
  const all = asked === null ? approved : [...approved, asked];
  // rule HR-61
  if (all.length === 0) return contract === null ? 1 : null;
  return Math.max(...all);
}

/** Deletable checkpoints according to all records; unknown if a root could not be listed. */
export function cleanupOf(
  state: RunState,
  runs: readonly RunState[],
  roots: readonly SearchedRoot[],
  keep: number,
): Observed<Retention> {
  return retentionOf(roots, needsOf(state, runs), { keep, milestones: [] });
}

/** The oldest ones that fit into one list. */
export function listed({ candidates }: Retention): readonly JudgedCheckpoint[] {
  let characters = 0;
  return candidates.slice(0, limits.cleanupCheckpointsMax).filter(({ stored }) => {
    characters += stored.path.length + (identityOf(stored)?.length ?? 0);
    return characters <= limits.cleanupListCharactersMax;
  });
}

export type CleanupInput = {
  readonly state: RunState;
  readonly repository: string;
  readonly keep: number;
  readonly askedBy: Actor;
  readonly found: FoundCheckpoints;
  readonly retention: Retention;
  readonly digestOf: DigestOf;
};

/** Throws if nothing can be deleted. */
function proposeCleanup(input: CleanupInput): ActionDraft {
  const { state, repository, keep, askedBy, found, retention, digestOf } = input;
  const list = listed(retention);
  const { kept, candidates } = retention;
  const evidence = {
    facts: {
      'checkpoints that could go': candidates.length,
      'checkpoints in this list': list.length,
      'checkpoints that stay': kept.length,
      'newest steps that stay': keep,
      'asked by': askedBy.login,
    },
    lines: [
      ...list.map((one) => goes(one, found.sizes.get(one.stored.path))),
      ...kept.slice(-limits.cleanupKeptShown).map(stays),
    ],
  };
  const change: CheckpointDeletion = {
    kind: 'delete-checkpoint',
    run: state.run,
    roots: found.roots.map(({ root }) => root),
    keep,
    askedBy,
  };
  const what = {
    record: state.run,
    repository,
    cluster: state.submission?.cluster ?? '',
    change,
    steps: list.map(({ stored }) => deletionStep(stored.path, identityOf(stored) ?? '')),
    thread: state.proposal.issue,
    round: state.actions.length + 1,
  };
  return proposeAction('control', what, evidence, digestOf);
}

function goes({ stored, metadata }: JudgedCheckpoint, size: Observed<CheckpointSize> | undefined): string {
  const { objects, bytes } = size?.kind === 'known' ? size.value : { objects: '?', bytes: '?' };
  const kind = metadata?.isTemporary === true ? 'temporary' : metadata === null ? 'remains' : 'permanent';
  return `goes  ${stored.path}  ${kind}  objects ${objects}  bytes ${bytes}`;
}

function stays({ checkpoint, because }: KeptCheckpoint): string {
  return `stays ${checkpoint.stored.path}  ${because.join(', ')}`;
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
  }: Pick<CleanupInput, 'state' | 'repository' | 'askedBy' | 'digestOf'> & {
    readonly runs: Observed<readonly RunState[]>;
    readonly found: Observed<FoundCheckpoints>;
  },
  asked: number | null,
): CleanupPlan {
  const keep = depthOf(state, asked);
  if (keep === null) return { kind: 'no-depth' };
  if (runs.kind === 'unknown') return { kind: 'unreadable', why: runs.why };
  if (found.kind === 'unknown') return { kind: 'unreadable', why: found.why };
  const retention = cleanupOf(state, runs.value, found.value.roots, keep);
  if (retention.kind === 'unknown') return { kind: 'unreadable', why: retention.why };
  const { candidates, kept } = retention.value;
  if (listed(retention.value).length === 0) return { kind: 'nothing', kept: kept.length };
  const draft = proposeCleanup({ ...rest, state, found: found.value, retention: retention.value, keep });
  const record = openList(state, draft, rest.askedBy);
  const more = candidates.length - draft.data.proposal.steps.length;
  return record === null ? { kind: 'list', draft, more, kept: kept.length } : { kind: 'open', record };
}

/** An open proposal of the same checkpoints by the same person. */
function openList(
  { actions }: RunState,
  { data: { proposal } }: ActionDraft,
  askedBy: Actor,
): ActionRecord | null {
  const isSame = ({ proposal: { change, steps }, claim: begun, ended }: ActionRecord): boolean =>
    begun === null &&
    ended === null &&
    change.kind === 'delete-checkpoint' &&
    change.askedBy.id === askedBy.id &&
    areSameSteps(steps, proposal.steps);
  return actions.find(isSame) ?? null;
}
