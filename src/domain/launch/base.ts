/** What a run starts from: the configuration of its lane's last sealed pass, and what of a change is new against it. */

import type { RunId, Sha } from '../ids.ts';
import type { Delta } from './delta.ts';
import type { Manifest, ManifestChange } from './manifest.ts';

/** The pass: the run, and the commit that it was launched from. */
export type RunBase = { readonly run: RunId; readonly commit: Sha };

/**
 * Why a setting of the pass is not taken over. `moved`: the target branch set it since. `gone`: the target branch has no
 * such knob any more. `no-value`: the pass added or removed the setting, and only values are written into a file that has
 * changed. `unclear`: what the target branch did to it cannot be told.
 */
export const NOT_TAKEN = ['moved', 'gone', 'no-value', 'unclear'] as const;

/** A knob that runs as the target branch has it, though the pass ran it otherwise; null = absent. */
export type NotTaken = {
  readonly knob: string;
  readonly path: string;
  readonly ran: string | null;
  readonly target: string | null;
  readonly why: (typeof NOT_TAKEN)[number];
};

/** The file that a run starts from. */
export type CarriedOver = { readonly text: string; readonly notTaken: readonly NotTaken[] };

/** A pass under a change: `delta` leads from the configuration that the run starts from to what is proposed. */
export type BaseFacts = RunBase & { readonly delta: Delta; readonly notTaken: readonly NotTaken[] };

/** What a change brings that the lane has not run and passed with. */
export function newDelta({ delta, base }: { readonly delta: Delta; readonly base: BaseFacts | null }): Delta {
  return base === null ? delta : base.delta;
}

/** The same of what is approved. */
export function newChanges({ base, delta }: Pick<Manifest, 'base' | 'delta'>): readonly ManifestChange[] {
  return base === undefined ? delta : base.changes;
}
