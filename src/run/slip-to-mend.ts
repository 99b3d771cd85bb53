/** Whether the newest attempt died of a slip that a program may put right, and which programs are asked. */

import type { Fixer } from '../domain/launch/fixer.ts';
import { openSlip, type SlipOfAttempt } from '../domain/launch/small-fix.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** The slip that is to be looked at in the files, where the lane names some that a fix may change. */
export function slipToMend(state: RunState, { kind, lane, pinned }: LaneScopedConfig): SlipOfAttempt | null {
  // rule ML-26
  const slip = kind.fixes?.(lane).mends == null ? null : openSlip(state);
  // What a job says that it ran is believed where a branch of the repository has it.
  return slip !== null && isAdopted(state) && pinned?.commit !== slip.commit ? null : slip;
}

/** What the fixer of the lane is asked about; null where there is none, or nothing to ask. */
export type FixerAsked = { readonly fixer: Fixer; readonly slip: SlipOfAttempt };

/** Whether the run's slip is one for the lab's fixer as well, once the built-in one knows nothing. */
export function fixerAsked(state: RunState, config: LaneScopedConfig): FixerAsked | null {
  const slip = slipToMend(state, config);
  const fixer = config.kind.fixes?.(config.lane).fixer ?? null;
  return slip === null || fixer === null ? null : { fixer, slip };
}
