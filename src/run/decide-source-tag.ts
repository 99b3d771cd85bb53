/** A source outside the target branch could be moved or deleted, so its commit is tagged as soon as the job runs (policy HR-69). */

import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { saidIn } from '../domain/launch/contract.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { cutText } from '../domain/text.ts';
import { renderSourceTag } from '../render/ended.ts';
import { sealTagOf } from './begun-seal.ts';
import { type AttemptCache, append, isDone, mayTry, perform, type Step } from './step.ts';

/** Pushes the tag, then reports it; null if the source is on the target branch, was reported, or cannot be tagged now. */
export function decideSourceTag(state: RunState, memory: AttemptCache): Step | null {
  const { submission, contract, order } = state;
  const branch = saidIn(contract, 'branch');
  const target = order?.manifest?.policy['lane.targetBranch'];
  if (submission === null || branch === null || target === undefined || branch === target) return null;
  const { attempt, commit } = submission;
  if (isTold(state, commit)) return null;
  const tag = `${sealTagOf(state)}.source-${attempt}`;
  const key = `tag:${tag}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') {
    const message = cutText(outcome.message, limits.messageCharactersMax);
    return append(incidentDraft('control', 'source-not-kept', { attempt, commit, branch, message }));
  }
  if (isDone(memory, key))
    return append(incidentDraft('control', 'source-kept', { attempt, commit, branch, tag }));
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, { kind: 'push-tag', tag, commit, message: renderSourceTag(state, branch) });
}

/** A commit is tagged once, even if several attempts use it. */
function isTold({ incidents }: RunState, commit: string): boolean {
  const told = [...incidentsWith(incidents, 'source-kept'), ...incidentsWith(incidents, 'source-not-kept')];
  return told.some(({ detail }) => detail.commit === commit);
}
