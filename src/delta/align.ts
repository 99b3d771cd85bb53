/** Pairs the items of two lists so that as much as possible stays where it was (longest common subsequence, weighted). */

/** Cells of the table that aligns two lists: 2,000 changed statements against 2,000, 32 MB for a moment. */
const ALIGN_CELLS_MAX = 4_000_000;

export type AlignedPair<Item> = { readonly base: Item | null; readonly head: Item | null };

/**
 * Pairs in order, all by position where that can be; else an item without a partner has null beside it, those of the head first. `likeness` is 0 for two items that may not be
 * paired, and larger the better they fit. Equal ends are paired first; where the rest is too large for the
 * table, items are paired by position.
 */
export function align<Item>(
  base: readonly Item[],
  head: readonly Item[],
  likeness: (base: Item, head: Item) => number,
  isEqual: (base: Item, head: Item) => boolean,
): readonly AlignedPair<Item>[] {
  const shorter = Math.min(base.length, head.length);
  let front = 0;
  while (front < shorter && bothAt(base, head, front, front, isEqual)) front += 1;
  let back = 0;
  while (
    back < shorter - front &&
    bothAt(base, head, base.length - 1 - back, head.length - 1 - back, isEqual)
  )
    back += 1;
  const innerBase = base.slice(front, base.length - back);
  const innerHead = head.slice(front, head.length - back);
  return [
    ...byPosition(base.slice(0, front), head.slice(0, front)),
    ...(mayPairAll(innerBase, innerHead, likeness) || innerBase.length * innerHead.length > ALIGN_CELLS_MAX
      ? byPosition(innerBase, innerHead)
      : byTable(innerBase, innerHead, likeness)),
    ...byPosition(base.slice(base.length - back), head.slice(head.length - back)),
  ];
}

// Where nothing came or went, each item is the next version of the one in its place.
function mayPairAll<Item>(
  base: readonly Item[],
  head: readonly Item[],
  likeness: (base: Item, head: Item) => number,
): boolean {
  return (
    base.length === head.length &&
    base.every((left, at) => {
      const right = head[at];
      return right !== undefined && likeness(left, right) > 0;
    })
  );
}

function bothAt<Item>(
  base: readonly Item[],
  head: readonly Item[],
  baseAt: number,
  headAt: number,
  isEqual: (base: Item, head: Item) => boolean,
): boolean {
  const left = base[baseAt];
  const right = head[headAt];
  return left !== undefined && right !== undefined && isEqual(left, right);
}

function byPosition<Item>(base: readonly Item[], head: readonly Item[]): AlignedPair<Item>[] {
  return Array.from({ length: Math.max(base.length, head.length) }, (_, at) => ({
    base: base[at] ?? null,
    head: head[at] ?? null,
  }));
}

function byTable<Item>(
  base: readonly Item[],
  head: readonly Item[],
  likeness: (base: Item, head: Item) => number,
): AlignedPair<Item>[] {
  const width = head.length + 1;
  const best = new Float64Array((base.length + 1) * width);
  const score = (i: number, j: number): number => best[i * width + j] ?? 0;
  const gain = (i: number, j: number): number => {
    const left = base[i];
    const right = head[j];
    return left === undefined || right === undefined ? 0 : likeness(left, right);
  };
  for (let i = base.length - 1; i >= 0; i -= 1)
    for (let j = head.length - 1; j >= 0; j -= 1) {
      const fit = gain(i, j);
      const paired = fit > 0 ? fit + score(i + 1, j + 1) : 0;
      best[i * width + j] = Math.max(paired, score(i + 1, j), score(i, j + 1));
    }
  const pairs: AlignedPair<Item>[] = [];
  let i = 0;
  let j = 0;
  while (i < base.length || j < head.length) {
    const fit = gain(i, j);
    if (fit > 0 && score(i, j) === fit + score(i + 1, j + 1))
      pairs.push({ base: base[i++] ?? null, head: head[j++] ?? null });
    else if (i >= base.length || (j < head.length && score(i, j) === score(i, j + 1)))
      pairs.push({ base: null, head: head[j++] ?? null });
    else pairs.push({ base: base[i++] ?? null, head: null });
  }
  return pairs;
}
