/** Puts a slip right on the run's own branch: a commit on top of what ran, which nobody is asked about before it is shown. */

import type { RunFacts } from '../domain/facts.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { holdsOn } from '../domain/launch/hold.ts';
import { preApproves } from '../domain/launch/pre-approval.ts';
import { fixBranch, openSlip, type SlipOfAttempt } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { fixCommitMessage } from '../render/fix-words.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, append, mayTry, perform, type Step } from './step.ts';

export type FixInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly memory: AttemptCache;
};

/** The slip that is to be looked at in the files, where the lane names some that a fix may change. */
export function wantsSmallFix(
  state: RunState,
  { kind, lane, pinned }: LaneScopedConfig,
): SlipOfAttempt | null {
  const slip = kind.mends?.(lane) == null ? null : openSlip(state);
  // What a job says that it ran is believed where a branch of the repository has it.
  return slip !== null && isAdopted(state) && pinned?.commit !== slip.commit ? null : slip;
}

/** The commit, or the record of what came of it; null while a fact is missing, somebody holds the run, or its thread is closed. */
export function decideFix({ state, facts, config, memory }: FixInput): Step | null {
  const slip = wantsSmallFix(state, config);
  const { smallFix: found, pull, journalHolds } = facts;
  if (slip === null || found === undefined || found.kind === 'unknown') return null;
  if (pull.kind === 'unknown' || pull.value.state === 'closed' || isHeld(state, journalHolds)) return null;
  const { attempt, commit: base, line } = slip;
  const fix = found.value;
  if (fix.kind === 'none') return notMade(attempt, fix.reason);
  const key = `fix:${attempt}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') return notMade(attempt, outcome.code);
  if (outcome?.kind === 'done' && outcome.sha !== undefined) {
    const { path, diff } = fix;
    const made = {
      attempt,
      commit: outcome.sha,
      base,
      place: `${path}:${line}`,
      diff,
      ...namedBy(state, path),
    };
    return append(incidentDraft('control', 'fix-made', made));
  }
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  const branch = fixBranch(state);
  return perform(key, {
    kind: 'push-branch',
    branch: branch.name,
    base,
    files: { [fix.path]: fix.text },
    message: fixCommitMessage(fix.path, state.run, attempt),
    // The same commit whoever makes it: of two processes the second finds its own there.
    onto: { atMs: fromRfc3339(slip.endedAt) ?? 0, ...(branch.isNew ? { isNewBranch: true } : {}) },
  });
}

/** The digest of the manifest that has approved a fix of this file beforehand: for people to read. */
function namedBy({ order }: RunState, path: string): { readonly beforehand?: string } {
  if (order === null || !preApproves(order.manifest, path)) return {};
  return { beforehand: order.order.digest.slice('sha256:'.length, 'sha256:'.length + 12) };
}

function notMade(attempt: number, reason: string): Step {
  return append(incidentDraft('control', 'fix-not-made', { attempt, reason }));
}

function isHeld(state: RunState, journal: RunFacts['journalHolds']): boolean {
  if (journal.kind === 'unknown') return true;
  return state.holds.length > 0 || holdsOn(journal.value, state.proposal).length > 0;
}
