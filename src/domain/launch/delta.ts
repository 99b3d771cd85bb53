/** The config delta between two versions of an experiment file. */

/** The policy's five kinds of small change (policy DF-35). */
export const BUCKETS = ['datamix', 'optimizer', 'architecture', 'system', 'observability'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** One changed knob. `before` and `after` are source text; null = absent. `line` is 1-based, in the head file where it stands there. */
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
      /** The old values written back would not give the old file: a setting came or went, or text besides values changed. */
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
