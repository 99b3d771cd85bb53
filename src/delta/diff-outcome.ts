/** What comparing two pieces of Python gives: value changes and imports that differ, or the first place that is no value. */

import type { PyNode } from '../domain/python-syntax.ts';

/** A value that changed; null on the side where it is absent. `at` is its place in the head, or where it was taken from. */
export type ValueChange = {
  readonly base: PyNode | null;
  readonly head: PyNode | null;
  readonly at: PyNode;
};

/** A name that an import binds, and what it binds it to. */
export type ImportBinding = {
  readonly name: string;
  /** The dotted text by which the import is used: `lab.small` for `import lab.small`, else the name. */
  readonly usedAs: string;
  readonly target: string;
  readonly statement: PyNode;
};

export type Differences = {
  readonly changes: readonly ValueChange[];
  readonly importsAdded: readonly ImportBinding[];
  readonly importsRemoved: readonly ImportBinding[];
};

/** `node` null: the statement around it is to be named. */
export type Structural = {
  readonly kind: 'structural';
  readonly side: 'base' | 'head';
  readonly node: PyNode | null;
};

export type Outcome = ({ readonly kind: 'values' } & Differences) | Structural;

export const SAME: { readonly kind: 'values' } & Differences = {
  kind: 'values',
  changes: [],
  importsAdded: [],
  importsRemoved: [],
};

/** Different in a way that is no value; the statement around it says where. */
export const UNCOUNTABLE: Structural = { kind: 'structural', side: 'head', node: null };

/** One changed value. */
export function changed(base: PyNode | null, head: PyNode | null, at: PyNode): Outcome {
  return { ...SAME, changes: [{ base, head, at }] };
}

/** Names the statement of a structural outcome that does not name one yet. */
export function locatedAt(node: PyNode, outcome: Outcome): Outcome {
  return outcome.kind === 'structural' && outcome.node === null ? { ...outcome, node } : outcome;
}

/** All outcomes together, asked one after the other: the first structural one wins and ends it. */
export function together(outcomes: Iterable<Outcome>): Outcome {
  const changes: ValueChange[] = [];
  const importsAdded: ImportBinding[] = [];
  const importsRemoved: ImportBinding[] = [];
  for (const outcome of outcomes) {
    if (outcome.kind === 'structural') return outcome;
    changes.push(...outcome.changes);
    importsAdded.push(...outcome.importsAdded);
    importsRemoved.push(...outcome.importsRemoved);
  }
  return { kind: 'values', changes, importsAdded, importsRemoved };
}
