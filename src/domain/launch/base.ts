/** The configuration that a run starts from (its lane's last sealed pass) and the changes against it. */

import type { RunId, Sha } from '../ids.ts';
import type { Delta } from './delta.ts';
import type { Manifest, ManifestChange } from './manifest.ts';

/** The sealed pass and the commit it was launched from. */
export type RunBase = { readonly run: RunId; readonly commit: Sha };

/**
 * Why a setting of the pass is not kept. `moved`: the target branch changed it since. `gone`: the target branch removed the knob.
 * `no-value`: the pass added or removed the setting, and only values can be written into a changed file. `unclear`: the target branch's
 * change could not be determined.
 */
export const NOT_TAKEN = ['moved', 'gone', 'no-value', 'unclear'] as const;

/** A knob that runs with the target branch's value instead of the pass's; null = absent. */
export type NotTaken = {
  readonly knob: string;
  readonly path: string;
  readonly ran: string | null;
  readonly target: string | null;
  readonly why: (typeof NOT_TAKEN)[number];
};

/** The file that a run starts from. */
export type CarriedOver = { readonly text: string; readonly notTaken: readonly NotTaken[] };

/** `delta` is the difference between the starting configuration and the proposal. */
export type BaseFacts = RunBase & { readonly delta: Delta; readonly notTaken: readonly NotTaken[] };

/** Changes that the lane has not yet run successfully. */
export function newDelta({ delta, base }: { readonly delta: Delta; readonly base: BaseFacts | null }): Delta {
  return base === null ? delta : base.delta;
}

/** `newDelta` for an approved manifest. */
export function newChanges({ base, delta }: Pick<Manifest, 'base' | 'delta'>): readonly ManifestChange[] {
  return base === undefined ? delta : base.changes;
}
