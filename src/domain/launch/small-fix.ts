/** A small code fix by a program (policy ML-26): on the run's own branch, once per run, approved like any fix. */

import { isSha, type Sha } from '../ids.ts';
import { type IncidentOf, incidentsWith } from '../incidents.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { mayBeFixed } from './next-attempt.ts';

/** The fixed file and its diff, or why there is no fix. */
export type SmallFix =
  | { readonly kind: 'fix'; readonly path: string; readonly text: string; readonly diff: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A small code failure and the commit it happened on. */
export type SlipOfAttempt = {
  readonly attempt: number;
  readonly commit: Sha;
  readonly file: string;
  readonly line: number;
  readonly error: string;
  readonly endedAt: string;
};

/** The run's own branch; an adopted job has none and gets a new one. */
export function fixBranch({ run, proposal }: Pick<RunState, 'run' | 'proposal'>): {
  readonly name: string;
  readonly isNew: boolean;
} {
  return proposal.adopts === undefined
    ? { name: proposal.headBranch, isNew: false }
    : { name: `ferrybot/fix/${run}`, isNew: true };
}

/** An adopted job's description, at the commit of its fix if there is one. */
export function jobAsMended(state: Pick<RunState, 'description' | 'incidents'>): RunState['description'] {
  const { description } = state;
  const fix = ownFix(state);
  return description === null || fix === null ? description : { ...description, commit: fix.commit };
}

/** The newest attempt's small code failure, if this run has no fix attempt yet. */
export function openSlip(state: RunState): SlipOfAttempt | null {
  const { end, submission } = state;
  if (submission === null || end === null || !mayBeFixed(state) || fixTried(state) !== null) return null;
  return slipOf({ submission, end });
}

/** The small code failure in the recorded diagnosis, or null. */
export function slipOf({ submission, end }: Pick<PastAttempt, 'submission' | 'end'>): SlipOfAttempt | null {
  if (end.diagnosis === undefined) return null;
  const { class: kind, place, error } = end.diagnosis;
  if (kind !== 'code-small' || place === null || error === null) return null;
  const { attempt, commit } = submission;
  return { attempt, commit, file: place.file, line: place.line, error, endedAt: end.at };
}

/** Result of the run's only fix attempt. Every role writes incidents, so only control's count. */
export function fixTried({ incidents }: RunState): IncidentOf<'fix-made' | 'fix-not-made'> | null {
  const tried = [...incidentsWith(incidents, 'fix-made'), ...incidentsWith(incidents, 'fix-not-made')];
  return tried.find(({ role }) => role === 'control') ?? null;
}

/** The fix that control recorded for this run. */
export function fixMade({ incidents }: Pick<RunState, 'incidents'>): IncidentOf<'fix-made'> | null {
  return incidentsWith(incidents, 'fix-made').find(({ role }) => role === 'control') ?? null;
}

/** Whether the lab's program wrote the fix, so that it cannot be recomputed. */
export function isExternal({ detail }: IncidentOf<'fix-made'>): boolean {
  return detail.by !== undefined;
}

/** The commit of ferrybot's own fix, and the record entry whose comment reports it. */
export type OwnFix = { readonly commit: Sha; readonly seq: number };

/** The fix that control recorded, if its commit is valid. */
export function ownFix(state: Pick<RunState, 'incidents'>): OwnFix | null {
  const made = fixMade(state);
  if (made === null || !isSha(made.detail.commit)) return null;
  return { commit: made.detail.commit, seq: made.seq };
}
