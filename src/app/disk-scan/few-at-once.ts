/** Asks many the same, a bounded number at one time. */

/** What was asked of each, in the order of `items`; never more than `max` are under way. Throws what `ask` throws. */
export async function fewAtOnce<Item, Answer>(
  items: readonly Item[],
  max: number,
  ask: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const waiting = [...items.entries()];
  const answers: [number, Answer][] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers.push([next[0], await ask(next[1])]);
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, work));
  return answers.toSorted(([a], [b]) => a - b).map(([, answer]) => answer);
}
