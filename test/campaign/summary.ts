// The summary of many sequences: how often each move was made, and every broken promise.

import type { Outcome } from './outcome.ts';

export type Summary = {
  readonly sequences: number;
  readonly launched: number;
  /** How often each move was made, by its name. */
  readonly moves: readonly string[];
  /** Each broken promise with its seed; also too low a share of launches, which would test too little. */
  readonly problems: readonly string[];
};

/** A smaller share of launching sequences would test too little. */
const LAUNCHED_SHARE = 0.2;

/** Summarises outcomes. */
export function summarize(outcomes: readonly Outcome[]): Summary {
  const moves = new Map<string, number>();
  for (const what of outcomes.flatMap((one) => one.moves)) moves.set(what, (moves.get(what) ?? 0) + 1);
  const launched = outcomes.filter(({ starts }) => starts > 0).length;
  const broken = outcomes
    .toSorted((a, b) => a.seed - b.seed)
    .flatMap((one) => one.faults.map((fault) => `seed ${one.seed}: ${fault} (${one.moves.join(', ')})`));
  const isIdle = launched < outcomes.length * LAUNCHED_SHARE;
  return {
    sequences: outcomes.length,
    launched,
    moves: [...moves].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name} ${n}`),
    problems: isIdle ? [...broken, `only ${launched} of ${outcomes.length} sequences launched`] : broken,
  };
}
