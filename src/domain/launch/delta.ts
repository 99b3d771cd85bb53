/** Changes of a configuration: against the target branch, and against the lane's last sealed pass. */

import type { RunId, Sha } from '../ids.ts';
import type { Manifest, ManifestChange } from './manifest.ts';

/** The policy's five kinds of small change (policy DF-35). */
export const BUCKETS = ['datamix', 'optimizer', 'architecture', 'system', 'observability'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** One changed knob as source text; null = absent. `line` is 1-based, in the head file if the knob exists there. */
export type KnobChange = {
  readonly knob: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly bucket: Bucket | null;
  readonly line: number;
};

export type Delta =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'knobs';
      readonly changes: readonly KnobChange[];
      /** Writing the old values back would not restore the old file, because settings or other text changed too. */
      readonly leavesMore?: true;
    }
  | {
      readonly kind: 'structural';
      readonly side: 'base' | 'head';
      readonly line: number;
      readonly statement: string;
    }
  | {
      readonly kind: 'unparsable';
      readonly side: 'base' | 'head';
      readonly line: number;
      readonly message: string;
    };

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
