/** Small code failures that a program may fix. */

import type { Fixer } from '../domain/launch/fixer.ts';
import { openSlip, type SlipOfAttempt } from '../domain/launch/small-fix.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** The small code failure to fix, if the lane allows fixes. */
export function slipToMend(state: RunState, { kind, lane, pinned }: LaneScopedConfig): SlipOfAttempt | null {
  // rule ML-26
  const slip = kind.fixes?.(lane).mends == null ? null : openSlip(state);
  // A job's claimed commit counts only if a branch of the repository has it.
  return slip !== null && isAdopted(state) && pinned?.commit !== slip.commit ? null : slip;
}

export type FixerAsked = { readonly fixer: Fixer; readonly slip: SlipOfAttempt };

/** The failure for the lab's own fixer, or null. */
export function fixerAsked(state: RunState, config: LaneScopedConfig): FixerAsked | null {
  const slip = slipToMend(state, config);
  const fixer = config.kind.fixes?.(config.lane).fixer ?? null;
  return slip === null || fixer === null ? null : { fixer, slip };
}
