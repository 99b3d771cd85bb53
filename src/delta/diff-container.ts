/** Compares literal dicts, lists, tuples and sets. */

import { childIn, type PyNode, partsOf } from '../domain/python-syntax.ts';
import { align } from './align.ts';
import { type Outcome, together, UNCOUNTABLE } from './diff-outcome.ts';
import { diffPresence, diffValue, type Pair } from './diff-value.ts';
import { type PyFile, segmentsOf } from './normal-form.ts';

/** Entries are paired by key (a key written twice, in order); none may move across a `**` expansion. */
export function diffEntries(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = segmentsOf(base);
  const after = segmentsOf(head);
  if (before.length !== after.length) return UNCOUNTABLE;
  const everyBefore = new Set(before.flatMap((segment) => [...entriesOf(segment, files.base).keys()]));
  const everyAfter = new Set(after.flatMap((segment) => [...entriesOf(segment, files.head).keys()]));
  return together(
    before.values().map((segment, at) => {
      const other = after[at] ?? [];
      const [left] = segment;
      const [right] = other;
      if (left?.kind === 'dictionary_splat' && right?.kind === 'dictionary_splat')
        return files.expression(left, right);
      const old = entriesOf(segment, files.base);
      const now = entriesOf(other, files.head);
      const gone = [...old].filter(([key]) => !now.has(key));
      if (gone.some(([key]) => everyAfter.has(key))) return UNCOUNTABLE;
      if ([...now.keys()].some((key) => !old.has(key) && everyBefore.has(key))) return UNCOUNTABLE;
      return together([
        ...gone.map(([, value]) => diffPresence({ base: value }, 'any', head, files)),
        ...[...now].map(([key, value]) => {
          const known = old.get(key);
          return known === undefined
            ? diffPresence({ head: value }, 'any', head, files)
            : diffValue(known, value, 'any', files);
        }),
      ]);
    }),
  );
}

/** Elements of equal number are paired by position; otherwise what is equal stays paired. Sets have no order. */
export function diffElements(base: PyNode, head: PyNode, files: Pair): Outcome {
  const before = partsOf(base);
  const after = partsOf(head);
  const pairs =
    head.kind === 'set'
      ? pairMembers(before, after, files)
      : before.length === after.length
        ? before.map((left, at) => ({ base: left, head: after[at] ?? null }))
        : pairInRuns(before, after, files);
  return together(
    pairs.values().map(({ base: left, head: right }) => {
      if (left?.kind === 'list_splat' || right?.kind === 'list_splat')
        return left !== null && right !== null ? files.expression(left, right) : UNCOUNTABLE;
      if (left !== null && right !== null) return diffValue(left, right, 'any', files);
      if (left !== null) return diffPresence({ base: left }, 'any', head, files);
      return right === null ? UNCOUNTABLE : diffPresence({ head: right }, 'any', head, files);
    }),
  );
}

type ElementPair = { readonly base: PyNode | null; readonly head: PyNode | null };

function entriesOf(segment: readonly PyNode[], file: PyFile): ReadonlyMap<string, PyNode> {
  const entries = new Map<string, PyNode>();
  for (const part of segment) {
    const key = childIn(part, 'key');
    const value = childIn(part, 'value');
    if (key === null || value === null) continue;
    const normal = file.normal(key);
    let repeat = 1;
    while (entries.has(`${normal}#${repeat}`)) repeat += 1;
    entries.set(`${normal}#${repeat}`, value);
  }
  return entries;
}

function pairMembers(
  before: readonly PyNode[],
  after: readonly PyNode[],
  files: Pair,
): readonly ElementPair[] {
  const left = before.map((node) => files.base.normal(node));
  const right = after.map((node) => files.head.normal(node));
  const gone = before.filter((_, at) => !right.includes(left[at] ?? ''));
  const come = after.filter((_, at) => !left.includes(right[at] ?? ''));
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, at) => ({
    base: gone[at] ?? null,
    head: come[at] ?? null,
  }));
}

// Between two elements that stayed, what went and what came are paired in order.
function pairInRuns(
  before: readonly PyNode[],
  after: readonly PyNode[],
  files: Pair,
): readonly ElementPair[] {
  const isEqual = (left: PyNode, right: PyNode): boolean =>
    files.base.normal(left) === files.head.normal(right);
  const pairs: ElementPair[] = [];
  let gone: PyNode[] = [];
  let come: PyNode[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1)
      pairs.push({ base: gone[at] ?? null, head: come[at] ?? null });
    gone = [];
    come = [];
  };
  for (const pair of align(before, after, (left, right) => (isEqual(left, right) ? 1 : 0), isEqual)) {
    const isKept = pair.base !== null && pair.head !== null && isEqual(pair.base, pair.head);
    if (isKept) flush();
    else if (pair.base !== null) gone.push(pair.base);
    if (!isKept && pair.head !== null) come.push(pair.head);
  }
  flush();
  return pairs;
}
