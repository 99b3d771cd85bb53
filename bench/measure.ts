/** Measuring on a noisy machine: the best of several tries for a cost, and ratios side by side in one run. */

export type Result = {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly op: '<=' | '>=' | null;
  readonly bar: number | null;
  readonly ok: boolean | null;
};

/** A value held against its bar; a bar that is missed is reported, never asserted. */
export function against(id: string, value: number, unit: string, op: '<=' | '>=', bar: number): Result {
  const rounded = Math.round(value * 1_000) / 1_000;
  return { id, value: rounded, unit, op, bar, ok: op === '<=' ? rounded <= bar : rounded >= bar };
}

/** A value that is reported beside the others, without a bar. */
export function reported(id: string, value: number, unit: string): Result {
  return { id, value: Math.round(value * 1_000) / 1_000, unit, op: null, bar: null, ok: null };
}

/** Milliseconds of the quickest of `tries`: the least disturbed one. */
export async function quickestMs(tries: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries; turn += 1) {
    const since = performance.now();
    await work();
    best = Math.min(best, performance.now() - since);
  }
  return best;
}

/** The middle value of several measurements. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
