/** Evidence for a seal or milestone besides the engine's status: a complete checkpoint and the tracker's identity (policy HR-65, HR-66). */

import type { LaneConfig } from '../config/lane-schema.ts';
import { type FoundCheckpoints, namedStep, type SearchedRoot, type StorePath } from '../domain/checkpoint/stored.ts';
import { limits } from '../domain/limits.ts';
import type { SealedCheckpoint } from '../domain/logbook/events/checkpoint-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import type { StoredCheckpoints } from '../watch/poll.ts';
import { type CheckpointSearch, chooseCheckpoint, judgeCheckpoints } from './choose.ts';
import { rootsOfRun } from './cleanup.ts';
import { buildLineage } from './lineage.ts';

/** `unseen`: not verifiable here, which the seal states. `unproven`: not as expected after a success; a person may accept it. */
export type SealArtefactReport = {
  readonly missing: readonly string[];
  readonly unproven: readonly string[];
  readonly unseen: readonly string[];
  readonly checkpoint: SealedCheckpoint | null;
};

/** Reads the evidence from the record, the log and the store. */
export function sealArtefacts(
  state: RunState,
  lane: LaneConfig,
  found: Observed<FoundCheckpoints>,
): SealArtefactReport {
  const tracker = compareTrackerLink(state);
  const other = tracker === 'other' ? ['tracker: its log names another run than the one that was approved'] : [];
  // rule HR-13
  const finalStep = lane.finalStep ?? state.end?.totalSteps ?? null;
  const said = judgeTrackerEnd(state, finalStep);
  const unproven = said.kind === 'open' ? [`tracker: ${said.why}`] : [];
  const unseen = [
    ...(said.kind === 'unseen' ? ['state in the tracker'] : []),
    ...(tracker === 'unseen' ? ['identity in the tracker'] : []),
  ];
  // Paths of the job's machine are not readable here.
  if (rootsOfRun(state, lane).some((root) => !/^(gs:\/\/|s3:\/\/|\/)/.test(root)))
    return { missing: other, unproven, unseen: [...unseen, 'checkpoints'], checkpoint: null };
  const newest = findSealedCheckpoint(state, found);
  if (newest.kind === 'unknown')
    return { missing: [`checkpoint: ${newest.why}`, ...other], unproven, unseen, checkpoint: null };
  const { step } = newest.value;
  const short = isBeforeFinalStep(state, finalStep, step)
    ? [`final checkpoint: the newest complete one is of step ${step}, and the last step is ${finalStep ?? 'not known'}`]
    : [];
  return { missing: [...short, ...other], unproven, unseen, checkpoint: { ...newest.value, unseen } };
}

type TrackerFinality = { readonly kind: 'final' | 'unseen' } | { readonly kind: 'open'; readonly why: string };

/** The tracker at the final observation must be finished or have reached the last step, and have metrics. */
function judgeTrackerEnd({ observation, end }: RunState, finalStep: number | null): TrackerFinality {
  const seen = observation?.tracker;
  if (seen === undefined || end?.status !== 'SUCCEEDED') return { kind: 'unseen' };
  const { last } = seen;
  if (seen.result !== 'found' || last === undefined)
    return { kind: 'open', why: `asked about the run at its end it said ${seen.result}` };
  const { state, step, loss } = last;
  const isWhole = finalStep !== null && step !== null && step >= finalStep - limits.finalStepSlack;
  // rule HR-65
  if (state !== 'finished' && !isWhole)
    return { kind: 'open', why: `the run is ${state} there, with its newest row at step ${step ?? 'none'}` };
  return loss === null && Object.keys(end.metrics).length === 0
    ? { kind: 'open', why: 'it has no metrics of the run' }
    : { kind: 'final' };
}

/** Only a success requires a checkpoint of the last step. */
function isBeforeFinalStep({ end }: RunState, finalStep: number | null, step: number): boolean {
  // rule HR-66
  return end?.status === 'SUCCEEDED' && (finalStep === null || step < finalStep - limits.finalStepSlack);
}

/** The checkpoint to resume from. While the job runs, only a permanent one, because training deletes temporary ones. */
function findSealedCheckpoint(
  state: RunState,
  found: Observed<FoundCheckpoints>,
): Observed<Omit<SealedCheckpoint, 'unseen'>> {
  if (found.kind === 'unknown') return found;
  const search = { roots: found.value.roots, lineage: buildLineage(state) };
  const temporary = state.end === null ? listTemporaryCheckpoints(search) : [];
  const choice = chooseCheckpoint({ ...search, excludePaths: temporary });
  if (choice.kind === 'ask')
    return unknown(
      choice.code === 'none-of-lineage' && temporary.length > 0
        ? 'what is complete is temporary, and the training deletes it by itself'
        : `${choice.code} (${choice.why})`,
    );
  const { stored, metadata } = choice.checkpoint;
  const identity = stored.metadata.kind === 'known' ? (stored.metadata.value?.identity ?? '') : '';
  return { kind: 'known', value: { path: stored.path, step: metadata.step, identity } };
}

function listTemporaryCheckpoints(search: CheckpointSearch): readonly StorePath[] {
  return judgeCheckpoints(search)
    .filter(({ metadata, status }) => status === 'eligible' && metadata?.isTemporary === true)
    .map(({ stored }) => stored.path);
}

/** Compares the log's tracker link; the tracker itself is not asked here. */
function compareTrackerLink(state: RunState): 'same' | 'other' | 'unseen' {
  const wanted = state.order?.manifest?.tracker ?? null;
  const seen = (state.end ?? state.observation)?.trackers ?? [];
  if (wanted === null || wanted.kind === 'none' || seen.length === 0) return 'unseen';
  return seen.some(({ id }) => id === wanted.runId) ? 'same' : 'other';
}

/** The roots that the watch can list; none if one is readable only on the job's machine. */
export function listWatchedRoots(state: RunState, lane: Pick<LaneConfig, 'checkpointRoots'>): readonly StorePath[] {
  const roots = rootsOfRun(state, lane);
  return roots.every((root) => /^(gs:\/\/|s3:\/\/|\/)/.test(root)) ? roots : [];
}

/** The newest usable checkpoint and the newest incomplete folder, by the rule in docs/checkpoints.md, over each root's newest entries. */
export function findStored(state: RunState, roots: readonly SearchedRoot[]): Observed<StoredCheckpoints> {
  const choice = chooseCheckpoint({ roots, lineage: buildLineage(state) });
  if (choice.kind === 'ask') {
    const { code, why } = choice;
    if (code === 'root-unreadable' || code === 'checkpoint-unreadable') return unknown(why);
  }
  const all = roots.flatMap(({ found }) => (found.kind === 'known' ? found.value : []));
  const newest = choice.kind === 'chosen' ? choice.checkpoint : null;
  // Older entries were not read.
  if (newest === null && roots.some(({ found }) => isListingCut(found)))
    return unknown(`of the newest ${limits.storeLookReads} none is of this run's lineage`);
  const writtenAt = newest?.stored.metadata.kind === 'known' ? newest.stored.metadata.value?.writtenAt : null;
  const partial = all
    .filter(({ metadata }) => metadata.kind === 'known' && metadata.value === null)
    .map(({ path }) => namedStep(path) ?? -1)
    .filter((step) => step > (newest?.metadata.step ?? -1));
  return known({
    newest: newest === null || writtenAt == null ? null : { step: newest.metadata.step, writtenAt },
    partial: partial.length === 0 ? null : Math.max(...partial),
  });
}

function isListingCut(found: SearchedRoot['found']): boolean {
  return found.kind === 'known' && found.value.length >= limits.storeLookReads;
}
