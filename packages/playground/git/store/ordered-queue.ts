/** A small priority queue: highest rank first, first-in first-out among equals, as git walks commits by date. */

type OrderedQueue<T> = {
  readonly push: (item: T) => void;
  readonly pop: () => T | undefined;
  readonly every: (test: (item: T) => boolean) => boolean;
};

/**
 * An empty queue; `rankOf` must not change while an item waits. The queue stays short in a history walk, so an array is
 * enough.
 */
export function createOrderedQueue<T>(rankOf: (item: T) => number): OrderedQueue<T> {
  const ascending: { readonly rank: number; readonly item: T }[] = [];
  return {
    push: (item) => {
      const rank = rankOf(item);
      let low = 0;
      let high = ascending.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ascending[middle]?.rank ?? 0) < rank) low = middle + 1;
        else high = middle;
      }
      ascending.splice(low, 0, { rank, item });
    },
    pop: () => ascending.pop()?.item,
    every: (test) => ascending.every(({ item }) => test(item)),
  };
}
