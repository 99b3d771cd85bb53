/** A slip that a program puts right (policy ML-26): on the run's own branch, once a run, approved as any fix is. */

import { isSha, type Sha } from '../ids.ts';
import { type IncidentOf, incidentsWith } from '../incidents.ts';
import type { PastAttempt, RunState } from '../logbook/run-state.ts';
import { mayBeFixed } from './next-attempt.ts';

/** What the files say to it: the file as it would be with the difference, or why nothing is put right. */
export type SmallFix =
  | { readonly kind: 'fix'; readonly path: string; readonly text: string; readonly diff: string }
  | { readonly kind: 'none'; readonly reason: string };

/** What it would put right, and on which commit; null where nothing is to be tried. */
export type SlipOfAttempt = {
  readonly attempt: number;
  readonly commit: Sha;
  readonly file: string;
  readonly line: number;
  readonly error: string;
  readonly endedAt: string;
};

/** Where the fix goes: on the run's own branch, or for a job that somebody launched by hand, which has none, on a new one. */
export function fixBranch({ run, proposal }: Pick<RunState, 'run' | 'proposal'>): {
  readonly name: string;
  readonly isNew: boolean;
} {
  return proposal.adopts === undefined
    ? { name: proposal.headBranch, isNew: false }
    : { name: `ferrybot/fix/${run}`, isNew: true };
}

/** What the cluster said of a job that was taken over, at the commit of its fix once there is one. */
export function jobAsMended(state: Pick<RunState, 'description' | 'incidents'>): RunState['description'] {
  const { description } = state;
  const fix = ownFix(state);
  return description === null || fix === null ? description : { ...description, commit: fix.commit };
}

/** The slip that the newest attempt died of, where nobody has tried to put one right in this run. */
export function openSlip(state: RunState): SlipOfAttempt | null {
  const { end, submission } = state;
  if (submission === null || end === null || !mayBeFixed(state) || fixTried(state) !== null) return null;
  return slipOf({ submission, end });
}

/** The slip that an attempt died of, by what the watch recorded of its end; null where it was none. */
export function slipOf({ submission, end }: Pick<PastAttempt, 'submission' | 'end'>): SlipOfAttempt | null {
  if (end.diagnosis === undefined) return null;
  const { class: kind, place, error } = end.diagnosis;
  if (kind !== 'code-small' || place === null || error === null) return null;
  const { attempt, commit } = submission;
  return { attempt, commit, file: place.file, line: place.line, error, endedAt: end.at };
}

/** What came of the one try of a run: by control alone, since every role writes incidents. */
export function fixTried({ incidents }: RunState): IncidentOf<'fix-made' | 'fix-not-made'> | null {
  const tried = [...incidentsWith(incidents, 'fix-made'), ...incidentsWith(incidents, 'fix-not-made')];
  return tried.find(({ role }) => role === 'control') ?? null;
}

/** The fix that stands on the branch for this run, as control recorded it. */
export function fixMade({ incidents }: Pick<RunState, 'incidents'>): IncidentOf<'fix-made'> | null {
  return incidentsWith(incidents, 'fix-made').find(({ role }) => role === 'control') ?? null;
}

/** Whether a program of the lab's own wrote the fix, which nobody can work out again. */
export function isExternal({ detail }: IncidentOf<'fix-made'>): boolean {
  return detail.by !== undefined;
}

/** The commit of the program's own fix, and the entry whose comment tells of it: nobody has to be named for it. */
export type OwnFix = { readonly commit: Sha; readonly seq: number };

/** The fix that a program made in this run, or null. */
export function ownFix(state: Pick<RunState, 'incidents'>): OwnFix | null {
  const made = fixMade(state);
  if (made === null || !isSha(made.detail.commit)) return null;
  return { commit: made.detail.commit, seq: made.seq };
}
