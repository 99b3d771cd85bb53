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
