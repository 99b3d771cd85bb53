/** A past run as the chooser's memory: what it changed and what came of it (policy DF-02). */

import { newChanges } from '../../domain/launch/base.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { RecentFerry } from './candidates.ts';

/** What of a run is remembered. */
export type PastRun = Pick<RunState, 'proposal' | 'gate' | 'seal' | 'submission' | 'end'>;

/** The memory of one run; what it changed is what its manifest says was new in it, so a run that was never gated changed nothing. */
export function pastFerry(run: PastRun): RecentFerry {
  const manifest = run.gate?.manifest ?? null;
  return {
    date: run.proposal.date,
    candidate: run.proposal.candidate,
    changes: manifest === null ? [] : newChanges(manifest),
    outcome: outcomeOf(run),
  };
}

/** A run that a person accepted is none that passed: nobody says that its values are good. */
function outcomeOf(run: PastRun): RecentFerry['outcome'] {
  if (run.submission === null) return 'not-launched';
  if (run.end?.status === 'FAILED') return 'failed';
  if (run.end?.status === 'STOPPED') return 'stopped';
  if (run.seal === null) return 'unknown';
  return run.seal.verdict === 'pass' ? 'passed' : 'accepted';
}
