/**
 * A source that stands on no target branch is what a person would have had uncommitted: its branch may be moved or deleted
 * tomorrow. What a job runs of that is tagged as soon as it runs, and not at the seal alone (policy HR-69).
 */

import { cutText } from '../domain/cut-text.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { saidIn } from '../domain/launch/contract.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { renderSourceTag } from '../render/ended.ts';
import { sealTagOf } from './begun-seal.ts';
import { type AttemptCache, append, isDone, mayTry, perform, type Step } from './step.ts';

/** The tag, and then the word of it; null where the source is on its branch, was told of, or cannot be tagged for a moment. */
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

/** The next attempt of the same commit has its tag. */
function isTold({ incidents }: RunState, commit: string): boolean {
  const told = [...incidentsWith(incidents, 'source-kept'), ...incidentsWith(incidents, 'source-not-kept')];
  return told.some(({ detail }) => detail.commit === commit);
}
