/** Reads the knobs of one file. */

import type { ExperimentFile, Value } from '../domain/experiment.ts';
import type { Bucket } from '../domain/launch/delta.ts';
import { type BucketRow, bucketOf, DEFAULT_BUCKETS } from './bucket.ts';
import { type Named, partOf } from './diff-settings.ts';

/** One knob. `value` is source text, `start` and `end` are offsets, `line` is 1-based. */
export type Knob = {
  readonly knob: string;
  readonly path: string;
  readonly value: string;
  readonly bucket: Bucket | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly isString: boolean;
};

/** The innermost settings in file order. */
export function readKnobs(
  { settings }: ExperimentFile,
  buckets: readonly BucketRow[] = DEFAULT_BUCKETS,
): readonly Knob[] {
  return settings
    .flatMap((setting) => smallest(setting, setting))
    .map(({ path, knob, text, start, end, line, isString }) => ({
      ...{ knob, path, value: text, bucket: bucketOf(path, buckets), start, end, line },
      isString: isString === true,
    }))
    .toSorted((left, right) => left.start - right.start);
}

function smallest(value: Value, { path, knob }: Named): readonly (Value & Named)[] {
  if (value.entries === undefined || value.entries.length === 0) return [{ ...value, path, knob }];
  return value.entries
    .filter((entry) => value.container === 'dict' || entry.entries !== undefined)
    .flatMap((entry) => smallest(entry, partOf(entry, { path, knob })));
}
