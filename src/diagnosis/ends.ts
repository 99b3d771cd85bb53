/** The first and the last of many: where a log repeats itself, a failure begins at one end or the other. */

export type Ends<Item> = { readonly add: (item: Item) => void; readonly all: () => readonly Item[] };

/** Keeps so many from either end, in their order. */
export function createEnds<Item>(each: number): Ends<Item> {
  const first: Item[] = [];
  const last: Item[] = [];
  return {
    add: (item) => {
      if (first.length < each) {
        first.push(item);
        return;
      }
      last.push(item);
      if (last.length > each) last.shift();
    },
    all: () => [...first, ...last],
  };
}
