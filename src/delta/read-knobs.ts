/** The knobs of one file, each with the path that tells it apart, its text and its place. */

import type { Bucket } from '../domain/launch/delta.ts';
import type { PyNode, PySyntax } from '../domain/python-syntax.ts';
import { type BucketRow, bucketOf, DEFAULT_BUCKETS } from './bucket.ts';
import { createPyFile, type PyFile } from './normal-form.ts';
import { type Slot, slotsOf } from './slots.ts';

/** One knob. `value` is source text; `start` and `end` are its offsets in the file, `line` is 1-based. */
export type Knob = {
  readonly knob: string;
  readonly path: string;
  readonly value: string;
  readonly bucket: Bucket | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
};

/** Every knob of a file in the order of the file. The file must parse. */
export function readKnobs(
  syntax: PySyntax,
  buckets: readonly BucketRow[] = DEFAULT_BUCKETS,
): readonly Knob[] {
  const file = createPyFile(syntax);
  return numberedSlots(file)
    .filter((slot) => slot.isLeaf)
    .map((slot) => ({
      knob: slot.knob,
      path: slot.path,
      value: file.source(slot.node),
      bucket: bucketOf(slot.path, buckets),
      start: slot.node.start,
      end: slot.node.end,
      line: slot.node.line,
    }));
}

/** All slots, with the second and later ones of the same path marked `#2`, `#3`. */
export function numberedSlots(file: PyFile): readonly Slot[] {
  const seen = new Map<string, number>();
  return slotsOf(file).map((slot) => {
    const count = (seen.get(slot.path) ?? 0) + 1;
    seen.set(slot.path, count);
    return count === 1 ? slot : { ...slot, path: `${slot.path}#${count}` };
  });
}

/** The slot of each value node. */
export function slotIndex(file: PyFile): ReadonlyMap<PyNode, Slot> {
  return new Map(numberedSlots(file).map((slot) => [slot.node, slot]));
}
